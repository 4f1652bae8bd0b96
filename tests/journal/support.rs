//! A store that can be watched and killed, tools that can hang, and a model that follows its prompt.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use polyloop::{
    Agent, AgentBuilder, CallContext, ContextFragment, Durability, Finish, Journal, JournalError, Lease,
    MemoryJournal, Message, Model, ModelError, Prompt, Record, Reply, Role, Scripted, SessionId, registry,
    tool,
};
use tokio::sync::Notify;

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

    pub(crate) fn count(&self, line: &str) -> usize {
        self.lines().iter().filter(|known| known.starts_with(line)).count()
    }
}

/// Where a process is killed: something there never comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hang {
    /// Before a tool acts.
    Started(&'static str),
    /// After a tool acted.
    Done(&'static str),
    /// While the model writes its reply to the request with so many replies in it.
    Asked(usize),
}

/// What the tools work on.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) log: Log,
    pub(crate) hang: Arc<Mutex<Option<Hang>>>,
    /// Tells that something hangs.
    pub(crate) hung: Arc<Notify>,
    /// Where `tally` writes its lines to, for whoever comes after the process.
    file: Option<PathBuf>,
}

impl World {
    pub(crate) fn writing_to(file: &Path) -> Self {
        Self { file: Some(file.to_owned()), ..Self::default() }
    }

    pub(crate) fn hang(&self, at: Hang) {
        *self.hang.lock().unwrap() = Some(at);
    }

    pub(crate) fn heal(&self) {
        *self.hang.lock().unwrap() = None;
    }

    async fn pass(&self, point: Hang) {
        let hangs = self.hang.lock().unwrap().as_ref() == Some(&point);
        if hangs {
            self.hung.notify_one();
            std::future::pending::<()>().await;
        }
    }

    pub(crate) async fn act(&self, tool: &'static str, line: String) {
        self.pass(Hang::Started(tool)).await;
        if let Some(file) = self.file.as_ref().filter(|_| tool == "tally") {
            let mut file = OpenOptions::new().append(true).create(true).open(file).unwrap();
            writeln!(file, "{line}").unwrap();
        }
        self.log.add(line);
        self.pass(Hang::Done(tool)).await;
    }
}

/// Reads.
#[tool(replay = safe)]
pub(crate) async fn peek(#[state] world: &World, #[call] call: &CallContext) -> String {
    world.act("peek", format!("peek {} {}", call.id(), call.attempt())).await;
    "nothing new".to_owned()
}

/// Writes a line.
#[tool]
pub(crate) async fn tally(
    #[state] world: &World,
    /// What to write.
    line: String,
) -> String {
    world.act("tally", format!("tally {line}")).await;
    format!("wrote {line}")
}

/// Writes a line beside others.
#[tool(concurrent)]
pub(crate) async fn tally_beside(
    #[state] world: &World,
    /// What to write.
    line: String,
) -> String {
    for _ in 0..line.len() {
        tokio::task::yield_now().await;
    }
    world.log.add(format!("tally {line}"));
    "wrote".to_owned()
}

/// Writes a line when a person agreed.
#[tool(approval)]
pub(crate) async fn tally_agreed(#[state] world: &World) -> String {
    world.act("tally_agreed", "tally agreed".to_owned()).await;
    "wrote".to_owned()
}

/// Waits until the run is cancelled.
#[tool]
pub(crate) async fn waits(#[state] world: &World, #[call] call: &CallContext) -> String {
    world.log.add("waits");
    call.cancelled().await;
    world.log.add("heard");
    "cancelled".to_owned()
}

/// What is the same for all runs.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", slot = run, max_chars = 500, body = "{text}")]
pub(crate) struct Rules {
    pub(crate) text: String,
}

registry! {
    pub(crate) struct App {
        state: World,
        fragments: [Rules],
        tools: [peek, tally, tally_beside, tally_agreed, waits],
    }
}

/// When a store fails: at which append, counted from 0, and whether that one is kept all the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Death {
    pub(crate) append: usize,
    pub(crate) kept: bool,
}

/// A store over another, that writes down what becomes durable, and dies when it is told to.
#[derive(Clone)]
pub(crate) struct Store<J> {
    pub(crate) kept: J,
    pub(crate) log: Log,
    death: Arc<Mutex<Option<Death>>>,
    appends: Arc<Mutex<usize>>,
}

impl Store<MemoryJournal> {
    pub(crate) fn logging(log: &Log) -> Self {
        Self { log: log.clone(), ..Self::over(MemoryJournal::new()) }
    }
}

impl<J> Store<J> {
    pub(crate) fn over(kept: J) -> Self {
        Self { kept, log: Log::default(), death: Arc::default(), appends: Arc::default() }
    }

    /// Lets the store die at an append that is still to come; the count begins anew.
    pub(crate) fn die(&self, death: Option<Death>) {
        *self.death.lock().unwrap() = death;
        *self.appends.lock().unwrap() = 0;
    }

    pub(crate) fn appends(&self) -> usize {
        *self.appends.lock().unwrap()
    }
}

impl<J: Journal> Journal for Store<J> {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.kept.lease(session).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        let number = {
            let mut appends = self.appends.lock().unwrap();
            *appends += 1;
            *appends - 1
        };
        let dead = || Err(JournalError::Store { message: "killed".to_owned() });
        let death = *self.death.lock().unwrap();
        match death {
            Some(death) if number > death.append || (number == death.append && !death.kept) => return dead(),
            _ => {}
        }
        let kinds: Vec<String> = records.iter().map(|record| record.kind.to_string()).collect();
        self.kept.append(lease, seq, records, durability).await?;
        assert_eq!(durability, Durability::Barrier, "nothing waits in between so far");
        self.log.add(format!("durable: {}", kinds.join(", ")));
        if death.is_some_and(|death| number == death.append) { dead() } else { Ok(()) }
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.kept.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.kept.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        self.kept.watermark(session).await
    }
}

/// A model that says the same to the same prompt, in every process; checked as a strict provider would.
#[derive(Clone)]
pub(crate) struct Writing {
    pub(crate) scripted: Scripted,
    world: World,
}

impl Model for Writing {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        self.world.log.add("asked");
        self.world.pass(Hang::Asked(replies(prompt))).await;
        self.scripted.ask(prompt).await
    }
}

fn replies(prompt: &Prompt) -> usize {
    prompt.messages().filter(|message| message.role() == Role::Assistant).count()
}

/// Replies by how many replies there are in the prompt.
pub(crate) fn writing(world: &World, script: Vec<Reply>) -> Writing {
    let scripted = Scripted::by(move |prompt| script[replies(prompt).min(script.len() - 1)].clone());
    Writing { scripted, world: world.clone() }
}

pub(crate) fn tally_reply(line: &str) -> Reply {
    Reply::text("I write.").call("tally", format!(r#"{{"line":"{line}"}}"#))
}

/// One step that may be done again, one that may not, one that is not valid, and the answer.
pub(crate) fn script() -> Vec<Reply> {
    vec![
        Reply::text("I look.").call("peek", "{}"),
        tally_reply("a"),
        Reply::text("cut").finished(Finish::Length),
        Reply::text("done"),
    ]
}

pub(crate) fn builder(world: &World, script: Vec<Reply>) -> AgentBuilder<App> {
    Agent::<App>::builder(writing(world, script))
}

pub(crate) fn rules() -> Rules {
    Rules { text: "Be brief.".to_owned() }
}

/// The texts of all messages.
pub(crate) fn texts(prompt: &Prompt) -> Vec<String> {
    prompt.messages().map(Message::text).collect()
}

/// What a journal says of a session.
pub(crate) async fn kinds(journal: &impl Journal, session: &SessionId) -> Vec<String> {
    let records = journal.read(session, 0).await.unwrap();
    records.iter().map(|record| record.kind.to_string()).collect()
}

/// A journal in which the first `count` records of a session are all there is.
pub(crate) async fn prefix(records: &[Record], count: usize) -> MemoryJournal {
    let journal = MemoryJournal::new();
    copy(records, count, &journal).await;
    journal
}

/// Writes the first `count` records to a journal.
pub(crate) async fn copy(records: &[Record], count: usize, journal: &impl Journal) {
    let session = &records[0].session;
    let mut lease = journal.lease(session).await.unwrap();
    for (seq, record) in (0..).zip(&records[..count]) {
        while lease.epoch < record.epoch {
            lease = journal.lease(session).await.unwrap();
        }
        journal.append(&lease, seq, vec![record.clone()], Durability::Barrier).await.unwrap();
    }
}

/// The payloads of all records of a kind.
pub(crate) fn payloads(records: &[Record], kind: &str) -> Vec<serde_json::Value> {
    let of_kind = records.iter().filter(|record| record.kind == kind);
    of_kind.map(|record| serde_json::from_str(&record.payload).unwrap()).collect()
}
