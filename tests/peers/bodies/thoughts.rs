//! What a provider signs or encrypts goes back to it, through a journal and a new process.

use polyloop::prelude::*;
use polyloop::{Anthropic, ClientBuilder, Gemini, MemoryJournal, OpenAiResponses, Protocol, SchemaReader};
use serde_json::{Value, json};

use super::clients::print_sent;
use crate::server::{Server, answer};

/// Adds two numbers.
#[tool(replay = safe)]
async fn add(
    /// The first.
    left: i64,
    /// The second.
    right: i64,
) -> Json<i64> {
    Json(left + right)
}

registry! { struct App { tools: [add] } }

/// Prints the later requests of a conversation with each provider that gives such state.
pub(crate) async fn print() {
    held("Anthropic", SchemaReader::Anthropic, anthropic, |server| {
        Anthropic::builder(server.root(), "some-model").thinking(1_024)
    })
    .await;
    held("OpenAiResponses", SchemaReader::OpenAi, responses, |server| {
        OpenAiResponses::builder(server.url(), "some-model")
    })
    .await;
    held("Gemini", SchemaReader::Gemini, gemini, |server| {
        Gemini::builder(format!("{}/v1beta", server.root()), "some-model")
    })
    .await;
}

/// Holds two turns with a call each, the second one by an agent that reads the first one from the journal.
async fn held<P: Protocol>(
    name: &str,
    reader: SchemaReader,
    answers: impl Fn(bool) -> Value,
    client: impl Fn(&Server) -> ClientBuilder<P>,
) {
    let server = Server::answering([true, false, true, false].map(|calls| answer(&answers(calls)))).await;
    let journal = MemoryJournal::new();
    for goal in ["What is 40 plus 2?", "Add it again."] {
        let model = client(&server).schemas(reader).streaming(false).build().expect("the client is built");
        let agent =
            Agent::<App>::builder(model).journal(journal.clone()).build().expect("the agent is built");
        let mut run = agent.on(()).session("thoughts").goal(goal).await.expect("the run begins");
        run.finish().await.expect("the run ends");
    }
    let received = server.received();
    assert_eq!(received.len(), 4, "a call and an answer for each turn");
    for request in &received[1..] {
        print_sent(name, reader, "thoughts", &request.body);
    }
}

fn anthropic(calls: bool) -> Value {
    let mut content = vec![json!({"type": "text", "text": "It is 42."})];
    if calls {
        content = vec![
            json!({"type": "thinking", "thinking": "Forty and two.", "signature": "c2lnbmVk"}),
            json!({"type": "redacted_thinking", "data": "aGlkZGVu"}),
            json!({"type": "text", "text": "Let me add."}),
            json!({"type": "tool_use", "id": "toolu_7", "name": "add", "input": {"left": 40, "right": 2}}),
        ];
    }
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "content": content,
        "stop_reason": if calls { "tool_use" } else { "end_turn" }, "stop_sequence": null,
        "usage": {"input_tokens": 20, "output_tokens": 10}
    })
}

fn responses(calls: bool) -> Value {
    let text = |text: &str, phase: &str| {
        json!({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": phase,
            "content": [{"type": "output_text", "text": text, "annotations": []}]
        })
    };
    let mut output = vec![text("It is 42.", "final_answer")];
    if calls {
        output = vec![
            json!({
                "type": "reasoning", "id": "rs_1", "encrypted_content": "c2VjcmV0",
                "summary": [{"type": "summary_text", "text": "Forty and two."}]
            }),
            text("Let me add.", "commentary"),
            json!({
                "type": "function_call", "id": "fc_1", "call_id": "call_9", "name": "add", "status": "completed",
                "arguments": r#"{"left":40,"right":2}"#
            }),
        ];
    }
    json!({"id": "resp_1", "object": "response", "status": "completed", "output": output})
}

fn gemini(calls: bool) -> Value {
    let mut parts = vec![json!({"text": "It is 42.", "thoughtSignature": "ZW5k"})];
    if calls {
        parts = vec![
            json!({"text": "**Adding**", "thought": true}),
            json!({"text": "Let me add.", "thoughtSignature": "dGV4dA=="}),
            json!({"functionCall": {"name": "add", "args": {"left": 40, "right": 2}}, "thoughtSignature": "c2lnbmVk"}),
        ];
    }
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}]})
}
