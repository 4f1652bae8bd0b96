//! A registry with a kind for each policy, and a model that keeps the requests it was sent.

use std::sync::{Arc, Mutex};

use polyloop::{
    Agent, AgentBuilder, ContextFragment, Durability, Journal, MemoryJournal, Message, Model, ModelError,
    Prompt, Record, Registry, Reply, Scripted, SessionId, SqliteJournal, registry, tool,
};
use serde::{Deserialize, Serialize};

/// What happened outside, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Writes a line; may not be repeated.
#[tool]
pub(crate) async fn tally(
    #[state] log: &Log,
    /// What to write.
    line: String,
) -> String {
    log.add(&*line);
    format!("wrote {line}")
}

/// Reads.
#[tool(replay = safe)]
pub(crate) async fn peek() -> String {
    "nothing new".to_owned()
}

/// What is the same for all runs.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", max_chars = 500, body = "{text}")]
pub(crate) struct Rules {
    pub(crate) text: String,
}

/// Where the agent works: stated anew by compaction and by a fork.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<environment>", "</environment>"), max_chars = 500)]
#[fragment(lifetime = latest, absent = "The environment described earlier no longer applies.", at_most = 8)]
#[fragment(body = "{cwd}")]
pub(crate) struct Environment {
    pub(crate) cwd: String,
}

/// What may be done.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<permissions>", "</permissions>"), max_chars = 500, at_most = 8)]
#[fragment(lifetime = latest, absent = "No permissions are stated any more.", body = "{text}")]
pub(crate) struct Permissions {
    pub(crate) text: String,
}

/// The commands that a person agreed to; only what is new is said.
#[derive(ContextFragment, Serialize, Deserialize)]
#[fragment(role = developer, markers("<approved>", "</approved>"), max_chars = 500, state, at_most = 8)]
#[fragment(lifetime = latest, absent = "No command is approved any more.", change = one_more, body = listed)]
pub(crate) struct Approved {
    pub(crate) commands: Vec<String>,
}

fn listed(approved: &Approved) -> String {
    approved.commands.join("\n")
}

fn one_more(earlier: &Approved, now: &Approved) -> Option<polyloop::Body> {
    let new = now.commands.strip_prefix(earlier.commands.as_slice())?;
    Some(polyloop::Body::new().text("new: ").value(new.join("\n")))
}

/// News of one turn.
#[derive(ContextFragment)]
#[fragment(role = user, unmarked = "news of one turn", slot = turn, lifetime = once, max_chars = 200)]
#[fragment(body = "{text}")]
pub(crate) struct News {
    pub(crate) text: String,
}

/// What stays, whatever happens.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<note>", "</note>"), max_chars = 200, on_rollback = keep, visible)]
#[fragment(memory = include, body = "{text}")]
pub(crate) struct Note {
    pub(crate) text: String,
}

registry! {
    /// Everything that these tests may show a model.
    pub(crate) struct App {
        state: Log,
        fragments: [Rules, Environment, Permissions, Approved, News, Note],
        tools: [tally, peek],
    }
}

/// A model that follows a script, and keeps what it was sent.
pub(crate) struct Kept {
    script: Scripted,
    prompts: Arc<Mutex<Vec<Prompt>>>,
}

impl Model for Kept {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        self.prompts.lock().unwrap().push(prompt.clone());
        self.script.ask(prompt).await
    }
}

/// Every prompt that a model was sent.
#[derive(Clone, Default)]
pub(crate) struct Sent(Arc<Mutex<Vec<Prompt>>>);

impl Sent {
    pub(crate) fn prompts(&self) -> Vec<Prompt> {
        self.0.lock().unwrap().clone()
    }

    /// The texts of each prompt, message by message.
    pub(crate) fn texts(&self) -> Vec<Vec<String>> {
        self.prompts().iter().map(texts).collect()
    }

    /// The texts of the last prompt.
    pub(crate) fn last(&self) -> Vec<String> {
        self.texts().pop().unwrap_or_default()
    }
}

pub(crate) fn texts(prompt: &Prompt) -> Vec<String> {
    prompt.messages().map(Message::text).collect()
}

/// An agent whose model follows a script, and what its model is sent.
pub(crate) fn builder(script: impl IntoIterator<Item = Reply>) -> (AgentBuilder<App>, Sent) {
    builder_of(script)
}

/// The same for another registry.
pub(crate) fn builder_of<R: Registry>(script: impl IntoIterator<Item = Reply>) -> (AgentBuilder<R>, Sent) {
    let sent = Sent::default();
    let model = Kept { script: Scripted::replies(script), prompts: sent.0.clone() };
    (Agent::builder(model), sent)
}

/// Everything that a journal has of a session.
pub(crate) async fn records(journal: &impl Journal, session: &SessionId) -> Vec<Record> {
    journal.read(session, 0).await.unwrap()
}

/// A journal in which the first `count` records of a session are all there is.
pub(crate) async fn prefix(records: &[Record], count: usize) -> MemoryJournal {
    let journal = MemoryJournal::new();
    let mut lease = journal.lease(&records[0].session).await.unwrap();
    for (seq, record) in (0..).zip(&records[..count]) {
        while lease.epoch < record.epoch {
            lease = journal.lease(&record.session).await.unwrap();
        }
        journal.append(&lease, seq, vec![record.clone()], Durability::Barrier).await.unwrap();
    }
    journal
}

/// A journal in a file of its own, which is gone with the folder.
pub(crate) fn in_a_file() -> (tempfile::TempDir, SqliteJournal) {
    let folder = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
    (folder, journal)
}

/// What the seals of a session say, in order.
pub(crate) async fn seals(journal: &impl Journal, session: &SessionId) -> Vec<serde_json::Value> {
    let records = records(journal, session).await;
    let sealed = records.iter().filter(|record| record.kind == "prompt.sealed");
    sealed
        .map(|record| serde_json::from_str(&record.payload).unwrap())
        .map(|seal: serde_json::Value| seal["seal"].clone())
        .collect()
}

/// The kinds of everything that a journal has of a session.
pub(crate) async fn kinds(journal: &impl Journal, session: &SessionId) -> Vec<String> {
    records(journal, session).await.iter().map(|record| record.kind.to_string()).collect()
}

pub(crate) fn environment(cwd: &str) -> Environment {
    Environment { cwd: cwd.to_owned() }
}

pub(crate) fn permissions(text: &str) -> Permissions {
    Permissions { text: text.to_owned() }
}

pub(crate) fn approved(commands: &[&str]) -> Approved {
    Approved { commands: commands.iter().map(|command| (*command).to_owned()).collect() }
}

pub(crate) fn news(text: &str) -> News {
    News { text: text.to_owned() }
}

pub(crate) fn note(text: &str) -> Note {
    Note { text: text.to_owned() }
}

pub(crate) fn rules() -> Rules {
    Rules { text: "be brief".to_owned() }
}
