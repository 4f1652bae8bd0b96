//! One conversation through any client: a person's words with an image, a call with what only the provider can read, its
//! result, an answer.

use polyloop::prelude::*;
use polyloop::{ClientBuilder, Image, Journal, MemoryJournal, Protocol, Report, UserInput};
use serde_json::Value;

use crate::server::{Answer, Server};
use crate::support::{App, Place, Rules};

/// What came of a conversation.
pub(crate) struct Held {
    pub(crate) report: Report,
    /// The pieces of text that were told.
    pub(crate) told: Vec<String>,
    /// The bodies of the requests.
    pub(crate) bodies: Vec<Value>,
    /// The first lines of the requests.
    pub(crate) lines: Vec<String>,
}

/// Holds the conversation with a server that answers so; killed behind the first reply and taken up again by a new client, so
/// that everything goes through the journal.
pub(crate) async fn held<P: Protocol>(
    client: impl Fn(&Server) -> ClientBuilder<P>,
    answers: impl IntoIterator<Item = Answer>,
) -> Held {
    let server = Server::answering(answers).await;
    let journal = MemoryJournal::new();
    let builder = || {
        let model = client(&server).key("sk-0123456789").build().unwrap();
        Agent::<App>::builder(model).budget(Budget::steps(5)).journal(journal.clone()).build().unwrap()
    };
    let image = Image::new("image/png", b"\x89PNG", 100).unwrap();
    let goal = UserInput::from("What is 40 plus 2?").image(image);
    let agent = builder();
    let run =
        agent.on(()).inject(Rules { text: "Be brief.".to_owned() }).inject(Place { path: "/srv".to_owned() });
    let mut run = run.goal(goal).await.unwrap();
    let mut told = Vec::new();
    while let Some(update) = run.next().await {
        match update.unwrap() {
            Update::Delta { text } => told.push(text),
            Update::Observed { .. } => break,
            _ => {}
        }
    }
    let session = run.session_id().clone();
    drop(run);
    assert!(!journal.read(&session, 0).await.unwrap().is_empty());
    let mut run = builder().resume((), session).await.unwrap();
    let report = run.finish().await.unwrap();
    let received = server.received();
    Held {
        report,
        told,
        bodies: received.iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect(),
        lines: received.into_iter().map(|request| request.line).collect(),
    }
}

/// Events of a stream, with their types as names.
pub(crate) fn events(events: &[Value]) -> Answer {
    let event = |event: &Value| {
        let name = event["type"].as_str().map(|name| format!("event: {name}\n")).unwrap_or_default();
        format!("{name}data: {event}\n\n").into_bytes()
    };
    Answer::Stream(events.iter().map(event).collect())
}
