//! Ten thousand runs at once, on `MemoryJournal`: that all of them end, what one that waits takes, and how fast they go.
//!
//! The aim is 30 KB or less for a run that waits for its model. What the process holds is asked of the system, where it
//! tells, before the runs and while all of them wait: their journals are in it.

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;
use polyloop::{Agent, Budget, Ending, MemoryJournal, Model, ModelError, Prompt, Reply, registry, tool};
use tokio::sync::Semaphore;

use super::table::Table;

const RUNS: u32 = 10_000;
/// Decisions of a run: as many calls, less the answer.
const STEPS: usize = 4;

/// Looks around.
#[tool(replay = safe)]
async fn look() -> String {
    "nothing new".to_owned()
}

registry! {
    /// What the runs show.
    struct Looking { tools: [look] }
}

/// Follows the same script in each run, and does not begin before it is let.
struct Gate {
    asked: Semaphore,
    open: Semaphore,
}

struct Gated(Arc<Gate>);

impl Model for Gated {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        self.0.asked.add_permits(1);
        drop(self.0.open.acquire().await);
        let replied = (prompt.messages().count() - 1) / 2;
        Ok(if replied + 1 < STEPS { Reply::tool("look", "{}") } else { Reply::text("done") })
    }
}

/// Sets all of it down.
pub(crate) fn measure(_: &mut Table) {
    Table::group("10 000 runs at once, each of 4 steps, on `MemoryJournal`");
    let runtime = tokio::runtime::Builder::new_multi_thread().build().expect("a runtime starts");
    let gate = Arc::new(Gate { asked: Semaphore::new(0), open: Semaphore::new(0) });
    let agent = Agent::<Looking>::builder(Gated(gate.clone()))
        .budget(Budget::steps(STEPS))
        .journal(MemoryJournal::new())
        .build()
        .expect("the agent is complete");
    let before = resident();
    let runs: Vec<_> = (0..RUNS)
        .map(|_| {
            let request = agent.on(()).goal("Look around.");
            runtime.spawn(async move {
                let report = request.await.expect("it starts").finish().await.expect("it goes on");
                assert_eq!((report.ending, report.steps), (Ending::FinalAnswer, STEPS));
            })
        })
        .collect();
    drop(runtime.block_on(gate.asked.acquire_many(RUNS)));
    match (before, resident()) {
        (Some(before), Some(waiting)) => {
            let each = waiting.saturating_sub(before) / u64::from(RUNS);
            Table::note(&format!("a run that waits for its model takes {each} bytes (aim: 30 KB or less)"));
        }
        _ => Table::note("what a run that waits takes is not known here: the system does not tell"),
    }
    let begin = Instant::now();
    gate.open.add_permits(Semaphore::MAX_PERMITS / 2);
    for run in runtime.block_on(join_all(runs)) {
        run.expect("each run ends with its answer");
    }
    let steps = f64::from(RUNS) * f64::from(u32::try_from(STEPS).expect("it is a small number"));
    let rate = steps / begin.elapsed().as_secs_f64();
    Table::note(&format!("all of them ended with their answer, {rate:.0} steps a second"));
}

/// Bytes that the process holds in memory.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
