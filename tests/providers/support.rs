//! Answers in the shapes of the API reference, prompts, and ways to ask.

use polyloop::prelude::*;
use polyloop::{Agent, Model, ModelError, ModelErrorClass, OpenAi, OpenAiBuilder};
use serde_json::{Value, json};

use crate::server::{Answer, Server, answer};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
pub(crate) struct Place {
    pub(crate) path: String,
}

/// What it must never do.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", max_chars = 200, body = "{text}")]
pub(crate) struct Rules {
    pub(crate) text: String,
}

/// Adds two numbers.
#[tool(replay = safe)]
pub(crate) async fn add(
    /// The first.
    left: i64,
    /// The second.
    right: i64,
) -> Json<i64> {
    Json(left + right)
}

/// Tells the time.
#[tool(replay = safe)]
pub(crate) async fn clock() -> String {
    "noon".to_owned()
}

registry! {
    pub(crate) struct App { fragments: [Rules, Place], tools: [add, clock] }
}

/// A client of the server.
pub(crate) fn client(server: &Server) -> OpenAiBuilder {
    OpenAi::builder(server.url(), "small-model")
}

/// A prompt of one message.
pub(crate) fn prompt() -> Prompt {
    let mut session = Session::<App>::new();
    session.say("What is six times seven?").unwrap();
    session.prompt()
}

/// The message of an assistant, as an answer that is whole.
pub(crate) fn completion(message: Value, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small-model-0101",
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": 19,
            "completion_tokens": 10,
            "total_tokens": 29,
            "prompt_tokens_details": {"cached_tokens": 16, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0}
        }
    })
}

/// A text, as an answer that is whole.
pub(crate) fn text(text: &str) -> Answer {
    answer(&completion(json!({"role": "assistant", "content": text, "refusal": null}), "stop"))
}

/// One call of an answer.
pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// One piece of a stream, as an event.
pub(crate) fn piece(delta: Value, finish: Option<&str>) -> Vec<u8> {
    let chunk = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "small-model-0101",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}],
        "usage": null
    });
    format!("data: {chunk}\n\n").into_bytes()
}

/// The last event with what it cost.
pub(crate) fn usage() -> Vec<u8> {
    let usage = json!({
        "choices": [],
        "usage": {"prompt_tokens": 19, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 16}}
    });
    format!("data: {usage}\n\n").into_bytes()
}

/// The event behind the last one.
pub(crate) fn done() -> Vec<u8> {
    b"data: [DONE]\n\n".to_vec()
}

/// Asks once, as an agent does; the reply, and the pieces that were told.
pub(crate) async fn told(client: &OpenAi) -> (Result<Reply, ModelError>, Vec<String>) {
    let agent = Agent::<App>::builder(client.clone()).budget(Budget::steps(1)).build().unwrap();
    let mut run = agent.on(()).goal("What is six times seven?").await.unwrap();
    let mut pieces = Vec::new();
    loop {
        match run.next().await.unwrap().unwrap() {
            Update::Delta { text } => pieces.push(text),
            Update::Replied { reply } => return (Ok(Reply::clone(&reply)), pieces),
            Update::Failed { error, .. } => return (Err(error), pieces),
            _ => {}
        }
    }
}

/// Asks a server that answers so, once.
pub(crate) async fn ask(answer: Answer) -> Result<Reply, ModelError> {
    let server = Server::answering([answer]).await;
    client(&server).build().unwrap().ask(&prompt()).await
}

/// Asks a server that answers so, and fails; the class, the advice in milliseconds, the message.
pub(crate) async fn failure(answer: Answer) -> (ModelErrorClass, Option<u128>, String) {
    let error = ask(answer).await.unwrap_err();
    (error.class(), error.retry_after().map(|wait| wait.as_millis()), error.message().to_owned())
}
