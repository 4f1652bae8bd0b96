//! A whole agent, through the client and a server.

use polyloop::prelude::*;
use polyloop::{Agent, Ending, Journal, MemoryJournal, ModelErrorClass, ReplyCall, Report};
use serde_json::{Value, json};

use crate::decode;
use crate::server::{Answer, Server, advised, answer};
use crate::support::{App, Place, call, client, completion, done, piece, text, usage};

/// Runs an agent against a server that answers so; the report, what was told, and the requests.
async fn run(server: &Server, streaming: bool) -> (Report, Vec<Update>) {
    let model = client(server).streaming(streaming).key("sk-1").build().unwrap();
    let agent = Agent::<App>::builder(model).budget(Budget::steps(5)).build().unwrap();
    let mut run =
        agent.on(()).inject(Place { path: "/srv".to_owned() }).goal("What is 40 plus 2?").await.unwrap();
    let mut updates = Vec::new();
    while let Some(update) = run.next().await {
        updates.push(update.unwrap());
    }
    (run.finish().await.unwrap(), updates)
}

fn deltas(updates: &[Update]) -> Vec<&str> {
    let mut texts = Vec::new();
    for update in updates {
        if let Update::Delta { text } = update {
            texts.push(text.as_str());
        }
    }
    texts
}

fn assert_answered(server: &Server, report: &Report) {
    assert_eq!((report.answer.as_deref(), &report.ending), (Some("It is 42."), &Ending::FinalAnswer));
    assert_eq!((report.steps, report.actions, report.requests), (2, 1, 2));
    assert_eq!((report.usage.prompt, report.usage.cached, report.usage.reply), (38, 32, 20));
    let requests = server.received();
    let said = decode::messages(&requests[1].body);
    let last: Vec<_> = said.iter().map(|said| (&*said.role, &*said.text, said.answers.as_deref())).collect();
    assert_eq!(
        last,
        [
            ("system", "<cwd>/srv</cwd>", None),
            ("user", "What is 40 plus 2?", None),
            ("assistant", "Let me add.", None),
            ("tool", "42", Some("call_1")),
        ]
    );
    let arguments = r#"{"left":40,"right":2}"#.to_owned();
    let called = ReplyCall { id: "call_1".to_owned(), name: "add".to_owned(), arguments };
    assert_eq!(said[2].calls, [called]);
    // What was sent stays sent.
    assert_eq!(decode::messages(&requests[0].body), said[..2]);
}

#[tokio::test]
async fn an_agent_calls_a_tool_and_answers() {
    let calls = json!([call("provider-7", "add", r#"{"left":40,"right":2}"#)]);
    let calling =
        completion(json!({"role": "assistant", "content": "Let me add.", "tool_calls": calls}), "tool_calls");
    let server = Server::answering([answer(&calling), text("It is 42.")]).await;
    let (report, updates) = run(&server, false).await;
    assert_answered(&server, &report);
    assert!(deltas(&updates).is_empty());
}

#[tokio::test]
async fn an_agent_does_the_same_over_a_stream_and_tells_the_pieces() {
    let start = json!({"tool_calls": [{
        "index": 0, "id": "provider-7", "type": "function", "function": {"name": "add", "arguments": ""}
    }]});
    let more = |arguments: &str| {
        piece(json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]}), None)
    };
    let calling = vec![
        piece(json!({"role": "assistant", "content": "Let me"}), None),
        piece(json!({"content": " add."}), None),
        piece(start, None),
        more(r#"{"left":40,"#),
        more(r#""right":2}"#),
        piece(json!({}), Some("tool_calls")),
        usage(),
        done(),
    ];
    let answering = vec![
        piece(json!({"content": "It is"}), None),
        piece(json!({"content": " 42."}), None),
        piece(json!({}), Some("stop")),
        usage(),
        done(),
    ];
    let server = Server::answering([Answer::Stream(calling), Answer::Stream(answering)]).await;
    let (report, updates) = run(&server, true).await;
    assert_answered(&server, &report);
    assert_eq!(deltas(&updates), ["Let me", " add.", "It is", " 42."]);
    // The pieces come before the reply that they make.
    let place = |wanted: fn(&Update) -> bool| updates.iter().position(wanted).unwrap();
    assert!(
        place(|update| matches!(update, Update::Asked { .. }))
            < place(|update| matches!(update, Update::Delta { .. }))
    );
    assert!(
        place(|update| matches!(update, Update::Delta { .. }))
            < place(|update| matches!(update, Update::Replied { .. }))
    );
}

#[tokio::test]
async fn ids_of_the_provider_are_never_sent_back() {
    let two = json!([call("", "clock", "{}"), call("", "clock", "{}")]);
    let again = json!([call("x", "clock", "{}"), call("x", "clock", "{broken")]);
    let calling =
        |calls: Value| answer(&completion(json!({"content": null, "tool_calls": calls}), "tool_calls"));
    let server = Server::answering([calling(two), calling(again), text("Done.")]).await;
    let (report, _) = run(&server, false).await;
    assert_eq!(report.answer.as_deref(), Some("Done."));
    let said = decode::messages(&server.received()[2].body);
    let calls: Vec<&str> = said.iter().flat_map(|said| &said.calls).map(|call| call.id.as_str()).collect();
    assert_eq!(calls, ["call_1", "call_2", "call_3", "call_4"]);
    let mut answers: Vec<&str> = said.iter().filter_map(|said| said.answers.as_deref()).collect();
    answers.sort_unstable();
    assert_eq!(answers, calls);
}

#[tokio::test]
async fn a_length_stop_with_a_call_is_never_an_action() {
    let calls = json!([call("a", "add", r#"{"left":40,"right":2}"#)]);
    let cut = answer(&completion(json!({"content": null, "tool_calls": calls}), "length"));
    let server = Server::answering([cut, text("It is 42.")]).await;
    let (report, updates) = run(&server, false).await;
    assert_eq!((report.answer.as_deref(), report.actions), (Some("It is 42."), 0));
    assert!(!updates.iter().any(|update| matches!(update, Update::Called { .. })));
}

#[tokio::test]
async fn a_failure_is_told_with_its_class_and_its_advice() {
    let server = Server::answering([advised(401, "retry-after", "3")]).await;
    let (report, updates) = run(&server, true).await;
    assert_eq!(
        report.ending,
        Ending::ModelFailure { message: "authorisation: status 401 Unauthorized".to_owned() }
    );
    let failed = updates.iter().find_map(|update| match update {
        Update::Failed { error, .. } => Some((error.class(), error.retry_after())),
        _ => None,
    });
    assert_eq!(failed, Some((ModelErrorClass::Authorisation, Some(std::time::Duration::from_secs(3)))));
}

#[tokio::test]
async fn an_empty_reply_is_a_failure_that_is_tried_again() {
    let server = Server::answering([text(" "), text("It is 42.")]).await;
    let (report, updates) = run(&server, false).await;
    assert_eq!(report.answer.as_deref(), Some("It is 42."));
    let is_empty = |update: &Update| matches!(update, Update::Failed { error, .. } if error.class() == ModelErrorClass::Empty);
    assert!(updates.iter().any(is_empty));
}

#[tokio::test]
async fn the_journal_keeps_what_the_server_sent_without_the_key() {
    const KEY: &str = "sk-proj-0123456789";
    let odd = json!({"role": "assistant", "content": "It is 42.", "reasoning_content": "Sum.", "said": KEY});
    let pieces = vec![
        piece(json!({"role": "assistant", "reasoning_content": "Su", "content": ""}), None),
        piece(json!({"reasoning_content": "m.", "said": KEY}), None),
        piece(json!({"content": "It is"}), None),
        piece(json!({"content": " 42."}), None),
        piece(json!({}), Some("stop")),
        usage(),
        done(),
    ];
    for answer in [answer(&completion(odd, "stop")), Answer::Stream(pieces)] {
        let server = Server::answering([answer]).await;
        let journal = MemoryJournal::new();
        let model = client(&server).key(KEY).build().unwrap();
        let agent = Agent::<App>::builder(model).journal(journal.clone()).build().unwrap();
        let mut run = agent.on(()).goal("What is 40 plus 2?").await.unwrap();
        assert_eq!(run.finish().await.unwrap().answer.as_deref(), Some("It is 42."));
        let records = journal.read(run.session_id(), 0).await.unwrap();
        assert!(records.iter().all(|record| !record.payload.contains(KEY)));
        let replied = records.iter().find(|record| record.kind == "model.replied").unwrap();
        let replied: Value = serde_json::from_str(&replied.payload).unwrap();
        let raw: Value = serde_json::from_str(replied["reply"]["raw"].as_str().unwrap()).unwrap();
        let choice = &raw["choices"][0];
        let message = choice.get("message").unwrap_or(&choice["delta"]);
        assert_eq!(
            (&message["content"], &message["reasoning_content"]),
            (&json!("It is 42."), &json!("Sum."))
        );
        assert_eq!((&message["said"], &choice["finish_reason"]), (&json!("[hidden]"), &json!("stop")));
        assert_eq!((&raw["id"], &raw["usage"]["prompt_tokens"]), (&json!("chatcmpl-1"), &json!(19)));
    }
}
