//! The body of a request is sealed as well: what leaves has the hash that the journal holds, whenever it is rendered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use polyloop::{
    Agent, Ending, Journal, MemoryJournal, Message, Model, ModelError, ModelErrorClass, Prompt, Record,
    Reply, Retries, RunError, SealedRequest, SessionId,
};
use serde_json::{Value, json};

use crate::support::{App, Log, World, kinds};

/// What a client is told to do with its nth rendering, counted from 1.
type Change = fn(usize, Vec<u8>) -> Option<Vec<u8>>;

/// A client that writes down what it sends, and replies by how many replies there are.
#[derive(Clone)]
struct Client {
    name: &'static str,
    change: Change,
    /// How many requests fail, or hang, before one is answered.
    fails: usize,
    hangs: bool,
    rendered: Arc<AtomicUsize>,
    sent: Log,
}

fn client(change: Change) -> Client {
    Client {
        name: "client/1",
        change,
        fails: 0,
        hangs: false,
        rendered: Arc::default(),
        sent: Log::default(),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it stands where others give none")]
fn as_it_is(_: usize, body: Vec<u8>) -> Option<Vec<u8>> {
    Some(body)
}

/// One space more, before the last byte.
fn with_a_space(body: &[u8]) -> Vec<u8> {
    let (rest, last) = body.split_at(body.len() - 1);
    [rest, b" ", last].concat()
}

impl Model for Client {
    async fn ask(&self, _: &Prompt) -> Result<Reply, ModelError> {
        unreachable!("an agent sends sealed requests");
    }

    fn body(&self, prompt: &Prompt) -> Option<Vec<u8>> {
        let text = |message: &Message| json!({"role": message.role().as_str(), "content": message.text()});
        let body = json!({"messages": prompt.messages().map(text).collect::<Vec<_>>()});
        (self.change)(self.rendered.fetch_add(1, Ordering::SeqCst) + 1, body.to_string().into_bytes())
    }

    async fn ask_sealed(&self, request: &SealedRequest<'_>) -> Result<Reply, ModelError> {
        let sent = self.sent.lines().len();
        self.sent.add(String::from_utf8_lossy(request.body().unwrap_or(b"nothing")));
        if sent < self.fails {
            return Err(ModelError::new(ModelErrorClass::Server, "no"));
        }
        if self.hangs {
            std::future::pending::<()>().await;
        }
        let replies =
            request.prompt().messages().filter(|message| message.role() == polyloop::Role::Assistant);
        Ok(if replies.count() == 0 { Reply::tool("peek", "{}") } else { Reply::text("done") })
    }

    fn identity(&self) -> String {
        self.name.to_owned()
    }
}

fn agent(client: &Client, journal: &MemoryJournal) -> Agent<App> {
    let retries = Retries::times(2).first_wait(std::time::Duration::ZERO);
    Agent::<App>::builder(client.clone()).retries(retries).journal(journal.clone()).build().unwrap()
}

/// Runs to the end, or to the fault.
async fn run(client: &Client, journal: &MemoryJournal) -> (Result<Ending, RunError>, SessionId) {
    let mut run = agent(client, journal).on(World::default()).goal("go").await.unwrap();
    let ending = run.finish().await.map(|report| report.ending);
    (ending, run.session_id().clone())
}

/// A run whose process ends while the first request is on its way.
async fn killed(client: &Client, journal: &MemoryJournal) -> SessionId {
    let hanging = Client { hangs: true, ..client.clone() };
    let mut run = agent(&hanging, journal).on(World::default()).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none(), "it hangs");
    run.session_id().clone()
}

async fn of_kind(journal: &MemoryJournal, session: &SessionId, kind: &str) -> Vec<Value> {
    let records = journal.read(session, 0).await.unwrap();
    let of_kind = records.iter().filter(|record| record.kind == kind);
    of_kind.map(|record: &Record| serde_json::from_str(&record.payload).unwrap()).collect()
}

#[tokio::test]
async fn what_is_sent_has_the_hash_that_the_journal_holds_and_is_rendered_once() {
    let (client, journal) = (client(as_it_is), MemoryJournal::new());
    let (ending, session) = run(&client, &journal).await;
    assert_eq!(ending, Ok(Ending::FinalAnswer));
    let sealed = of_kind(&journal, &session, "prompt.sealed").await;
    let sealed: Vec<&str> = sealed.iter().map(|seal| seal["seal"]["wire"].as_str().unwrap()).collect();
    let hash = |body: &String| blake3::hash(body.as_bytes()).to_hex().to_string();
    assert_eq!(sealed, client.sent.lines().iter().map(hash).collect::<Vec<_>>());
    assert_eq!((sealed.len(), client.rendered.load(Ordering::SeqCst)), (2, 2));
}

#[tokio::test]
async fn a_body_changed_by_one_space_is_found_before_it_is_sent_again() {
    let spaced: Change = |number, body| Some(if number == 2 { with_a_space(&body) } else { body });
    let (client, journal) = (Client { fails: 1, ..client(spaced) }, MemoryJournal::new());
    let (ending, session) = run(&client, &journal).await;
    let byte = client.sent.lines()[0].len() - 1;
    let fault = RunError::BodyDiffers { message: None, byte: Some(byte) };
    assert_eq!(ending, Err(fault.clone()));
    assert_eq!(client.sent.lines().len(), 1, "the first one, which was right");
    let kinds = kinds(&journal, &session).await;
    assert_eq!(kinds[kinds.len() - 3..], ["prompt.sealed", "model.failed", "run.faulted"]);
    let again = agent(&client, &journal).resume(World::default(), session).await.unwrap_err();
    assert_eq!(again, RunError::Faulted { message: fault.to_string() });
    assert_eq!(
        fault.to_string(),
        "the body of the request is not the one that the same prompt had before, from byte 44 on, and nothing was sent; \
         `Model::body` must be a pure function"
    );
}

#[tokio::test]
async fn a_client_that_renders_another_text_is_found_with_the_message() {
    let other: Change = |number, body| {
        let body = String::from_utf8_lossy(&body).replace("go", if number == 1 { "go" } else { "so" });
        Some(body.into_bytes())
    };
    let client = Client { fails: 1, ..client(other) };
    let (ending, _) = run(&client, &MemoryJournal::new()).await;
    let byte = client.sent.lines()[0].find("go").unwrap();
    assert_eq!(ending, Err(RunError::BodyDiffers { message: Some(1), byte: Some(byte) }));
}

#[tokio::test]
async fn a_client_that_renders_no_body_the_second_time_is_found() {
    let (none, journal) =
        (Client { fails: 1, ..client(|number, body| (number == 1).then_some(body)) }, MemoryJournal::new());
    let (ending, _) = run(&none, &journal).await;
    assert_eq!(ending, Err(RunError::BodyDiffers { message: None, byte: None }));
    assert_eq!(none.sent.lines().len(), 1);
}

#[tokio::test]
async fn a_body_that_comes_out_differently_after_a_crash_is_found_before_it_is_sent() {
    let journal = MemoryJournal::new();
    let session = killed(&client(as_it_is), &journal).await;
    let changed = client(|_, body| Some(with_a_space(&body)));
    let mut run = agent(&changed, &journal).resume(World::default(), session.clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap_err(), RunError::BodyDiffers { message: None, byte: None });
    assert!(changed.sent.lines().is_empty());
    assert_eq!(kinds(&journal, &session).await.last().unwrap(), "run.faulted");
}

#[tokio::test]
async fn a_body_that_comes_out_the_same_after_a_crash_is_sent_again() {
    let journal = MemoryJournal::new();
    let client = client(as_it_is);
    let session = killed(&client, &journal).await;
    let mut run = agent(&client, &journal).resume(World::default(), session.clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    let sent = client.sent.lines();
    assert_eq!((sent.len(), &sent[0]), (3, &sent[1]));
    let attempts: Vec<Value> = of_kind(&journal, &session, "prompt.sealed").await;
    let attempts: Vec<_> = attempts.iter().map(|seal| seal["seal"]["attempt"].as_u64().unwrap()).collect();
    assert_eq!(attempts, [1, 2, 1]);
}

#[tokio::test]
async fn another_model_is_refused_and_where_it_is_accepted_its_bodies_are_its_own() {
    let journal = MemoryJournal::new();
    let session = killed(&client(as_it_is), &journal).await;
    let other = Client { name: "other/1", ..client(|_, body| Some(with_a_space(&body))) };
    let refused = agent(&other, &journal).resume(World::default(), session.clone()).await.unwrap_err();
    assert_eq!(refused, RunError::Changed { changed: vec!["model".to_owned()] });
    let taken = agent(&other, &journal).resume(World::default(), session.clone()).accept_changes().await;
    assert_eq!(taken.unwrap().finish().await.unwrap().ending, Ending::FinalAnswer);
    let headers = of_kind(&journal, &session, "header.changed").await;
    let models: Vec<&str> =
        headers.iter().map(|header| header["header"]["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["client/1", "other/1"]);
}

#[tokio::test]
async fn what_stands_beside_the_messages_is_recorded_once_before_the_first_seal() {
    let (client, journal) = (Client { fails: 1, ..client(as_it_is) }, MemoryJournal::new());
    let (_, session) = run(&client, &journal).await;
    let headers = of_kind(&journal, &session, "header.changed").await;
    assert_eq!(headers.len(), 1);
    let tools: Value = serde_json::from_str(headers[0]["header"]["tools"].as_str().unwrap()).unwrap();
    assert_eq!(tools[0]["name"], "peek");
    let kinds = kinds(&journal, &session).await;
    let place = kinds.iter().position(|kind| kind == "header.changed").unwrap();
    assert_eq!(kinds[place + 1], "prompt.sealed");
    // Taken up again by the same agent, nothing of it is new.
    let session = killed(&client, &journal).await;
    let mut run = agent(&client, &journal).resume(World::default(), session.clone()).await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(of_kind(&journal, &session, "header.changed").await.len(), 1);
}

#[tokio::test]
async fn a_shared_model_sends_and_is_what_it_is_alone() {
    let (client, journal) = (client(as_it_is), MemoryJournal::new());
    let agent = Agent::<App>::builder(Arc::new(client.clone())).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(World::default()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert!(client.sent.lines().iter().all(|sent| sent.starts_with(r#"{"messages":"#)));
    let header = &of_kind(&journal, run.session_id(), "header.changed").await[0];
    assert_eq!(header["header"]["model"], "client/1");
}

#[tokio::test]
async fn a_model_that_takes_the_prompt_as_it_is_has_no_body_to_seal() {
    let (bare, journal) = (client(|_, _| None), MemoryJournal::new());
    let (ending, session) = run(&bare, &journal).await;
    assert_eq!(ending, Ok(Ending::FinalAnswer));
    assert_eq!(bare.sent.lines(), ["nothing"; 2]);
    let sealed = of_kind(&journal, &session, "prompt.sealed").await;
    assert!(sealed.iter().all(|seal| seal["seal"]["wire"].is_null()));
}
