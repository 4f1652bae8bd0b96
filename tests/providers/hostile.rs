//! Answers in which a server leaves out, adds or breaks what its interface says.

use polyloop::prelude::*;
use polyloop::{
    Anthropic, ClientBuilder, Gemini, Model, ModelError, ModelErrorClass, OpenAi, OpenAiResponses, Protocol,
};
use serde_json::{Value, json};

use crate::conversation::events;
use crate::server::{Answer, Server, answer};
use crate::support::prompt;

pub(crate) async fn asked<P: Protocol>(
    client: impl Fn(&Server) -> ClientBuilder<P>,
    answered: Answer,
) -> Result<Reply, ModelError> {
    let server = Server::answering([answered]).await;
    client(&server).build().unwrap().ask(&prompt()).await
}

pub(crate) fn chat(server: &Server) -> ClientBuilder<polyloop::ChatCompletions> {
    OpenAi::builder(server.url(), "m")
}

pub(crate) fn responses(server: &Server) -> ClientBuilder<polyloop::Responses> {
    OpenAiResponses::builder(server.url(), "m")
}

pub(crate) fn messages(server: &Server) -> ClientBuilder<polyloop::Messages> {
    Anthropic::builder(server.url(), "m")
}

pub(crate) fn generate(server: &Server) -> ClientBuilder<polyloop::GenerateContent> {
    Gemini::builder(server.url(), "m")
}

#[tokio::test]
async fn no_reply_is_lost_for_what_it_cost() {
    for odd in [json!(null), json!(-1), json!(1.5), json!("9"), json!(1e30), json!({}), json!([])] {
        for whole in [false, true] {
            let usage = |names: &[&str]| {
                let each = || names.iter().map(|name| ((*name).to_owned(), odd.clone())).collect();
                if whole { odd.clone() } else { each() }
            };
            let of_chat = usage(&["prompt_tokens", "completion_tokens", "prompt_tokens_details"]);
            let of_responses = usage(&["input_tokens", "output_tokens", "input_tokens_details"]);
            let of_messages = usage(&["input_tokens", "output_tokens", "cache_read_input_tokens"]);
            let of_gemini = usage(&["promptTokenCount", "thoughtsTokenCount", "cachedContentTokenCount"]);
            let said = [
                asked(chat, answer(&json!({
                    "choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}], "usage": of_chat,
                }))).await,
                asked(responses, answer(&json!({
                    "output": [{"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}],
                    "status": "completed", "usage": of_responses,
                }))).await,
                asked(messages, answer(&json!({
                    "content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn", "usage": of_messages,
                }))).await,
                asked(messages, events(&[
                    json!({"type": "message_start", "message": {"usage": of_messages}}),
                    json!({"type": "content_block_start", "index": null, "content_block": {"type": "text", "text": "Yes."}}),
                    json!({"type": "content_block_stop", "index": null}),
                    json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "text": null}, "usage": of_messages}),
                    json!({"type": "message_stop"}),
                ])).await,
                asked(generate, answer(&json!({
                    "candidates": [{"content": {"parts": [{"text": "Yes.", "thought": null}]}, "finishReason": "STOP"}],
                    "usageMetadata": of_gemini,
                }))).await,
            ];
            for reply in said {
                let reply = reply.unwrap_or_else(|error| panic!("{odd}: {error}"));
                assert_eq!((reply.as_text(), reply.usage().prompt), ("Yes.", 0));
            }
        }
    }
}

#[tokio::test]
async fn what_is_null_is_left_out() {
    let call = |reply: Result<Reply, ModelError>| {
        let reply = reply.unwrap();
        reply.calls().iter().map(|call| (call.name.clone(), call.arguments.clone())).collect::<Vec<_>>()
    };
    let clock = [("clock".to_owned(), String::new())];
    let item = json!({"type": "function_call", "call_id": null, "name": "clock", "arguments": null});
    let empty = json!({"type": "message", "content": null, "phase": null});
    let reply =
        asked(responses, answer(&json!({"output": [empty, item], "usage": null, "error": null}))).await;
    assert_eq!(call(reply), clock);
    let block = json!({"type": "tool_use", "id": null, "name": "clock", "text": null});
    let reply =
        asked(messages, answer(&json!({"content": [block], "stop_reason": null, "error": null}))).await;
    assert_eq!(call(reply), clock);
    let part = json!({"functionCall": {"id": null, "name": "clock", "args": null}, "text": null});
    let candidate = json!({"content": {"parts": [part]}, "finishReason": "STOP", "finishMessage": null});
    let reply = asked(generate, answer(&json!({"candidates": [candidate], "promptFeedback": null}))).await;
    assert_eq!(call(reply)[0].0, "clock");
    let nothing: [Value; 2] =
        [json!({"candidates": null}), json!({"candidates": [{"content": {"parts": null}}]})];
    for answered in nothing {
        let error = asked(generate, answer(&answered)).await.unwrap_err();
        assert_eq!(error.class(), ModelErrorClass::Transport, "the model has not stopped");
    }
    let stopped = json!({"candidates": [{"content": {"parts": null}, "finishReason": "STOP"}]});
    assert_eq!(asked(generate, answer(&stopped)).await.unwrap().as_text(), "");
}

#[tokio::test]
async fn a_piece_that_belongs_to_no_block_is_not_lost_without_a_word() {
    let error = asked(
        messages,
        events(&[
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Yes."}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
            json!({"type": "message_stop"}),
        ]),
    );
    assert_eq!(error.await.unwrap_err().class(), ModelErrorClass::Protocol);
}
