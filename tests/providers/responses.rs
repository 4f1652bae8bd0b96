//! The client for OpenAI's responses.

use polyloop::{Model, ModelErrorClass, OpenAiResponses, OpenAiResponsesBuilder};
use serde_json::{Value, json};

use crate::conversation::{events, held};
use crate::server::{Answer, Server, answer, said};
use crate::support::prompt;

fn client(server: &Server) -> OpenAiResponsesBuilder {
    OpenAiResponses::builder(server.url(), "some-model")
}

fn reasoning() -> Value {
    json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5jcnlwdGVk"})
}

fn text(text: &str, phase: &str) -> Value {
    json!({
        "type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "phase": phase,
        "content": [{"type": "output_text", "text": text, "annotations": []}]
    })
}

fn calling() -> Vec<Value> {
    vec![
        reasoning(),
        text("Let me add.", "commentary"),
        json!({
            "type": "function_call", "id": "fc_1", "call_id": "call_9", "name": "add", "status": "completed",
            "arguments": "{\"left\":40,\"right\":2}"
        }),
    ]
}

fn response(output: &[Value]) -> Value {
    json!({
        "id": "resp_1", "object": "response", "status": "completed", "error": null, "incomplete_details": null,
        "output": output,
        "usage": {
            "input_tokens": 120, "input_tokens_details": {"cached_tokens": 100},
            "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 130
        }
    })
}

fn answering() -> Vec<Value> {
    vec![text("It is 42.", "final_answer")]
}

/// The events of an answer; the last one may leave out what the others said.
fn stream(output: &[Value], repeated: bool) -> Answer {
    let mut all =
        vec![json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}})];
    for (index, item) in output.iter().enumerate() {
        all.push(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
        if item["type"] == "message" {
            for piece in item["content"][0]["text"].as_str().unwrap().split_inclusive(' ') {
                all.push(json!({"type": "response.output_text.delta", "delta": piece}));
            }
        }
        all.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    let last = response(if repeated { output } else { &[] });
    all.push(json!({"type": "response.completed", "response": last}));
    events(&all)
}

#[tokio::test]
async fn an_agent_calls_a_tool_and_answers_whole_and_as_a_stream() {
    let whole = [answer(&response(&calling())), answer(&response(&answering()))];
    let repeated = [stream(&calling(), true), stream(&answering(), true)];
    let once = [stream(&calling(), false), stream(&answering(), false)];
    for (streaming, answers) in [(false, whole), (true, repeated), (true, once)] {
        let held = held(|server| client(server).streaming(streaming).reasoning_effort("low"), answers).await;
        assert_eq!(held.report.answer.as_deref(), Some("It is 42."));
        let usage = held.report.usage;
        assert_eq!((usage.prompt, usage.cached, usage.reply), (240, 200, 20));
        assert_eq!(held.lines, ["POST /v1/responses HTTP/1.1"; 2]);
        assert_eq!(held.told.concat(), if streaming { "Let me add." } else { "" });
        let [first, second] = <[Value; 2]>::try_from(held.bodies).unwrap();
        assert_eq!(
            (&first["store"], &first["include"]),
            (&json!(false), &json!(["reasoning.encrypted_content"]))
        );
        assert_eq!(first["reasoning"], json!({"effort": "low"}));
        assert_eq!(
            first["input"],
            json!([
                {"type": "message", "role": "system", "content": "Be brief."},
                {"type": "message", "role": "developer", "content": "<cwd>/srv</cwd>"},
                {"type": "message", "role": "user", "content": [
                    {"type": "input_text", "text": "What is 40 plus 2?"},
                    {"type": "input_image", "image_url": "data:image/png;base64,iVBORw==", "detail": "auto"},
                ]},
            ])
        );
        assert!(first["tools"].as_array().unwrap().iter().all(|tool| tool["strict"].is_boolean()));
        let told = second["input"].as_array().unwrap();
        assert_eq!(&told[..3], first["input"].as_array().unwrap());
        assert_eq!(told[3], reasoning(), "what was encrypted goes back as it came");
        assert_eq!(
            told[4],
            json!({"type": "message", "role": "assistant", "content": "Let me add.", "phase": "commentary"})
        );
        assert_eq!(told[5]["arguments"], r#"{"left":40,"right":2}"#);
        assert_eq!(
            told[6],
            json!({"type": "function_call_output", "call_id": told[5]["call_id"], "output": "42"})
        );
        assert_eq!(told.len(), 7);
    }
}

async fn asked(answered: Answer) -> Result<polyloop::Reply, polyloop::ModelError> {
    let server = Server::answering([answered]).await;
    client(&server).build().unwrap().ask(&prompt()).await
}

#[tokio::test]
async fn failures_have_their_classes() {
    let error = |code: &str| json!({"error": {"code": code, "message": "no"}}).to_string();
    for (status, body, class) in [
        (400, error("context_length_exceeded"), ModelErrorClass::ContextTooLong),
        (401, error("invalid_api_key"), ModelErrorClass::Authorisation),
        (429, error("rate_limit_exceeded"), ModelErrorClass::RateLimited),
        (500, error("server_error"), ModelErrorClass::Server),
    ] {
        assert_eq!(asked(said(status, &body)).await.unwrap_err().class(), class, "{body}");
    }
    let mut failed = response(&[]);
    failed["status"] = "failed".into();
    failed["error"] = json!({"code": "rate_limit_exceeded", "message": "slow"});
    assert_eq!(asked(answer(&failed)).await.unwrap_err().class(), ModelErrorClass::RateLimited);
    let last = json!({"type": "response.failed", "response": failed});
    assert_eq!(asked(events(&[last])).await.unwrap_err().class(), ModelErrorClass::RateLimited);
    let event = json!({"type": "error", "code": "server_error", "message": "gone"});
    assert_eq!(asked(events(&[event])).await.unwrap_err().class(), ModelErrorClass::Server);
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "I will not."}]});
    let refused = asked(answer(&response(&[refusal]))).await.unwrap_err();
    assert_eq!((refused.class(), refused.message()), (ModelErrorClass::ContentRefused, "I will not."));
    let unfinished = events(&[json!({"type": "response.output_text.delta", "delta": "It"})]);
    assert_eq!(asked(unfinished).await.unwrap_err().class(), ModelErrorClass::Transport);
    assert_eq!(asked(answer(&json!({"id": 1}))).await.unwrap_err().class(), ModelErrorClass::Protocol);
}

#[test]
fn encrypted_reasoning_need_not_be_asked_for() {
    let builder = || OpenAiResponses::builder("http://localhost/v1", "some-model");
    let body = |builder: OpenAiResponsesBuilder| -> Value {
        serde_json::from_slice(&builder.build().unwrap().body(&prompt()).unwrap()).unwrap()
    };
    assert!(body(builder()).get("include").is_some());
    assert!(body(builder().encrypted_reasoning(false)).get("include").is_none());
}

#[tokio::test]
async fn a_reply_that_its_limit_cut_says_so() {
    let mut cut = response(&calling());
    cut["status"] = "incomplete".into();
    cut["incomplete_details"] = json!({"reason": "max_output_tokens"});
    assert_eq!(asked(answer(&cut)).await.unwrap().finish(), polyloop::Finish::Length);
}
