//! The check before sending, against one pass of the same hash over the body that is about to leave.
//!
//! What is measured is a run with a body of the client for chat completions, over the store in memory. The window opens when
//! the body is rendered, which sending takes in any case, and closes when the model gets it. In it stand: the hash of the
//! body; the hash of the messages; writing the seal and what was waiting, as records with their own hashes; reading it back,
//! its chain, the fold into the second session, the hash of that one's messages; and the watermark. Only the time inside the
//! store's `append` is taken off: that is keeping a journal, whatever is checked. So the ratio is an upper bound: what
//! makes records of events is in it as well, and no part of the library has to be opened up to be measured.
//!
//! The base is a pass over the very same bytes, directly afterwards, when they are at least as warm.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use polyloop::{
    Agent, Budget, Durability, Journal, JournalError, Lease, MemoryJournal, Model, ModelError, OpenAi,
    Prompt, Record, Reply, SealedRequest, SessionId, registry, tool,
};

use super::measure::median;
use super::table::{Goal, Table};

const RUNS: usize = 3;
/// The goal, in bytes: what a run begins with.
const BEGINS_WITH: usize = 190_000;
/// A step adds this much in an observation, in bytes.
const OBSERVATION: usize = 1_800;
const STEPS: usize = 420;
/// How many steps around a size are taken together.
const AROUND: usize = 20;

/// Looks around.
#[tool(replay = safe)]
async fn look() -> String {
    "a corridor, ".repeat(OBSERVATION / 12)
}

registry! {
    /// What the run shows.
    struct Looking { tools: [look] }
}

/// One step: the size of its body, and how long the check took of as long as a pass over it.
#[derive(Clone, Copy)]
struct Step {
    bytes: usize,
    ratio: f64,
}

/// What happened since the body was rendered.
#[derive(Default)]
struct Clock {
    rendered: Option<Instant>,
    appending: Duration,
    steps: Vec<Step>,
}

#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Clock>>);

impl Watch {
    fn set<T>(&self, set: impl FnOnce(&mut Clock) -> T) -> T {
        set(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Asks for the tool, whatever it is shown.
struct Looker {
    client: OpenAi,
    watch: Watch,
}

impl Model for Looker {
    async fn ask(&self, _: &Prompt) -> Result<Reply, ModelError> {
        Ok(Reply::tool("look", "{}"))
    }

    fn body(&self, prompt: &Prompt) -> Option<Vec<u8>> {
        let body = self.client.body(prompt);
        self.watch.set(|clock| {
            clock.appending = Duration::ZERO;
            clock.rendered = Some(Instant::now());
        });
        Some(body)
    }

    async fn ask_sealed(&self, request: &SealedRequest<'_>) -> Result<Reply, ModelError> {
        let arrived = Instant::now();
        let body = request.body().expect("a body was sealed");
        let begin = Instant::now();
        black_box(blake3::hash(black_box(body)));
        let pass = begin.elapsed().as_secs_f64();
        self.watch.set(|clock| {
            let window = arrived.duration_since(clock.rendered.expect("it was rendered"));
            let check = window.saturating_sub(clock.appending).as_secs_f64();
            clock.steps.push(Step { bytes: body.len(), ratio: check / pass });
        });
        // The host takes what it is told between two steps.
        tokio::task::yield_now().await;
        self.ask(request.prompt()).await
    }
}

/// The store in memory, that measures its appends.
struct Spy {
    memory: MemoryJournal,
    watch: Watch,
}

impl Journal for Spy {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.memory.lease(session).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        let begin = Instant::now();
        let appended = self.memory.append(lease, seq, records, durability).await;
        self.watch.set(|clock| clock.appending += begin.elapsed());
        appended
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.memory.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.memory.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        self.memory.watermark(session).await
    }
}

/// Sets all of it down.
pub(crate) fn measure(table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let runs: Vec<Vec<Step>> = (0..RUNS).map(|_| runtime.block_on(run())).collect();
    Table::group("the check before sending / one pass of its hash over the body");
    for size in [200_000, 500_000, 1_000_000] {
        let mut ratios: Vec<f64> = runs.iter().flat_map(|steps| around(steps, size)).collect();
        table.line(&format!("a body of {} KB", size / 1_000), median(&mut ratios), Goal::AtMost(1.3));
    }
}

/// The ratios of the steps whose bodies are about this large.
fn around(steps: &[Step], size: usize) -> Vec<f64> {
    let middle = steps.iter().position(|step| step.bytes >= size).expect("the run was long enough");
    let from = middle.saturating_sub(AROUND);
    steps.iter().skip(from).take(2 * AROUND).map(|step| step.ratio).collect()
}

async fn run() -> Vec<Step> {
    let watch = Watch::default();
    let client = OpenAi::new("http://localhost/v1", "model").expect("the URL is one");
    let agent = Agent::<Looking>::builder(Looker { client, watch: watch.clone() })
        .budget(Budget::steps(STEPS).prompt_chars(usize::MAX))
        .journal(Spy { memory: MemoryJournal::new(), watch: watch.clone() })
        .build()
        .expect("the agent is complete");
    let goal = "Look around. ".repeat(BEGINS_WITH / 13);
    let mut run = agent.on(()).goal(goal).await.expect("the goal has words");
    let report = run.finish().await.expect("the run goes on");
    assert_eq!(report.actions, STEPS);
    watch.set(|clock| std::mem::take(&mut clock.steps))
}
