//! What a server gets is what was sealed, and who the client is.

use std::collections::BTreeSet;

use polyloop::prelude::*;
use polyloop::{Agent, DeveloperRole, Ending, Journal, MemoryJournal, OpenAi, SealedRequest};
use serde_json::{Value, json};

use crate::server::{Server, answer};
use crate::support::{App, call, client, completion, text};

#[tokio::test]
async fn the_server_gets_the_bytes_whose_hash_is_in_the_journal() {
    let calls = json!([call("a", "add", r#"{"left":40,"right":2}"#)]);
    let calling = completion(json!({"content": null, "tool_calls": calls}), "tool_calls");
    let server = Server::answering([answer(&calling), text("It is 42.")]).await;
    let journal = MemoryJournal::new();
    let agent =
        Agent::<App>::builder(client(&server).build().unwrap()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(()).goal("What is 40 plus 2?").await.unwrap();
    run.finish().await.unwrap();
    let mut sealed = Vec::new();
    for record in journal.read(run.session_id(), 0).await.unwrap() {
        if record.kind == "prompt.sealed" {
            let seal: Value = serde_json::from_str(&record.payload).unwrap();
            sealed.push(seal["seal"]["wire"].as_str().unwrap().to_owned());
        }
    }
    let received: Vec<String> =
        server.received().iter().map(|request| blake3::hash(&request.body).to_hex().to_string()).collect();
    assert_eq!(sealed, received);
    assert_eq!(sealed.len(), 2);
}

/// A model around the client that forgets what it sends.
struct Around(OpenAi);

impl Model for Around {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        self.0.ask(prompt).await
    }

    async fn ask_sealed(&self, request: &SealedRequest<'_>) -> Result<Reply, ModelError> {
        self.0.ask_sealed(request).await
    }
}

#[tokio::test]
async fn a_body_that_was_not_sealed_is_not_sent() {
    let server = Server::answering([text("a")]).await;
    let agent = Agent::<App>::builder(Around(client(&server).build().unwrap())).build().unwrap();
    let report = agent.on(()).goal("go").await.unwrap().finish().await.unwrap();
    let Ending::ModelFailure { message } = report.ending else { panic!("{report}") };
    assert_eq!(
        message,
        "bad request: the body was not sealed, so it is not sent; a model around this one must forward `Model::body`"
    );
    assert!(server.received().is_empty());
}

#[test]
fn the_identity_names_server_model_and_parameters_and_no_secret() {
    let builder = || OpenAi::builder("https://example.org:8443/v1?api-key=sk-proj-0123456789", "m");
    let identity = |builder: polyloop::OpenAiBuilder| builder.build().unwrap().identity();
    let full = builder()
        .key("sk-proj-abcdefghij")
        .header("x-secret", "other-secret-42")
        .seed(7)
        .streaming(false)
        .parallel_tool_calls(false)
        .developer_role(DeveloperRole::Developer)
        .parameter("top_p", 1);
    let parameters = r#"{"seed":7,"top_p":1,"parallel_tool_calls":false,"developer_role":"developer","schemas":"open_ai"}"#;
    assert_eq!(identity(full), format!("openai.chat/2 example.org:8443/v1/chat/completions m {parameters}"));
    let different = [
        builder(),
        builder().streaming(false),
        builder().temperature(0.0),
        builder().developer_role(DeveloperRole::Developer),
        OpenAi::builder("https://example.org:8443/v2", "m"),
        OpenAi::builder("https://example.org:8443/v1", "n"),
    ];
    let count = different.len();
    assert_eq!(different.map(identity).into_iter().collect::<BTreeSet<_>>().len(), count);
}
