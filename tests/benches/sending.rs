//! The check before sending, against one pass of the same hash over the body that is about to leave.
//!
//! What is measured is a run with bodies of the client for chat completions, over the store in memory. A model sees when its
//! body is rendered and when the request arrives; the journal sees when the seal is written. So a step has two windows that
//! can be measured from outside, and no part of the library has to be opened up for it:
//!
//! - *Sealing*, from the rendered body to the call of `append`: the hash of the body, which is one pass by the same function
//!   over the same bytes; and making records of all that waits, with their hashes, which is keeping a journal.
//! - *Reading back*, from the end of `append` to the model: reading, the chain, the fold into the second session, the hash of
//!   its messages, the watermark. This is all that the check adds to the pass.
//!
//! The check is therefore a pass and the second window, and its ratio 1 + reading back / pass. Both windows together are an
//! upper bound, with the making of records in it. The base is measured in the same step, on the same bytes, directly
//! afterwards, when they are at least as warm.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use polyloop::{
    Agent, Budget, Durability, Journal, JournalError, Lease, MemoryJournal, Model, ModelError, OpenAi,
    Prompt, Record, Reply, SealedRequest, SessionId, registry, tool,
};

use super::measure::median;
use super::table::{Goal, Table};

const RUNS: usize = 9;
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

/// One step: the size of its body, and seconds.
#[derive(Clone, Copy)]
struct Step {
    bytes: usize,
    sealing: f64,
    reading_back: f64,
    pass: f64,
}

impl Step {
    fn check(&self) -> f64 {
        1.0 + self.reading_back / self.pass
    }

    fn with_records(&self) -> f64 {
        (self.sealing + self.reading_back) / self.pass
    }
}

/// What happened since the body was rendered.
struct Clock {
    rendered: Instant,
    append_began: Instant,
    append_ended: Instant,
    steps: Vec<Step>,
}

impl Default for Clock {
    fn default() -> Self {
        let now = Instant::now();
        Self { rendered: now, append_began: now, append_ended: now, steps: Vec::new() }
    }
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
        let body = self.client.body(prompt).expect("every tool can be read");
        self.watch.set(|clock| clock.rendered = Instant::now());
        Some(body)
    }

    async fn ask_sealed(&self, request: &SealedRequest<'_>) -> Result<Reply, ModelError> {
        let arrived = Instant::now();
        let body = request.body().expect("a body was sealed");
        let begin = Instant::now();
        black_box(blake3::hash(black_box(body)));
        let pass = begin.elapsed().as_secs_f64();
        self.watch.set(|clock| {
            let seconds = |from: Instant, to: Instant| to.duration_since(from).as_secs_f64();
            clock.steps.push(Step {
                bytes: body.len(),
                sealing: seconds(clock.rendered, clock.append_began),
                reading_back: seconds(clock.append_ended, arrived),
                pass,
            });
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
        let end = Instant::now();
        self.watch.set(|clock| (clock.append_began, clock.append_ended) = (begin, end));
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
    let all = |ratio: fn(&Step) -> f64| median(&mut runs.iter().flatten().map(ratio).collect::<Vec<_>>());
    table.line("a run from 200 KB to 1 MB", all(Step::check), Goal::AtMost(1.3));
    for size in [200_000, 500_000, 1_000_000] {
        let steps = runs.iter().flat_map(|steps| around(steps, size));
        let mut ratios: Vec<f64> = steps.map(Step::check).collect();
        table.line(&format!("a body of {} KB", size / 1_000), median(&mut ratios), Goal::AtMost(1.3));
    }
    table.line("a run from 200 KB to 1 MB, with making the records", all(Step::with_records), Goal::None);
}

/// The steps whose bodies are about this large.
fn around(steps: &[Step], size: usize) -> impl Iterator<Item = &Step> {
    let middle = steps.iter().position(|step| step.bytes >= size).expect("the run was long enough");
    steps.iter().skip(middle.saturating_sub(AROUND)).take(2 * AROUND)
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
