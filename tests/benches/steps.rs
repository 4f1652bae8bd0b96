//! Assembling the next prompt, against how many steps there are already.
//!
//! What is measured is a run: from the end of a handler to the model, which is recording the observation, planning and
//! projecting; and from one request to the next, which is a whole step. A run of few steps is repeated until its steps
//! are as warm as those of a long one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use polyloop::{Agent, Budget, Model, ModelError, Prompt, Reply, registry, tool};

use super::measure::median;
use super::table::{Goal, Table};

const ROUNDS: usize = 15;
/// How many short runs stand beside one long one.
const SHORT_RUNS: usize = 60;
const FEW: usize = 10;
const MORE: usize = 1_000;
const MOST: usize = 10_000;

/// When handlers ended, and when the model was asked.
#[derive(Default)]
struct Clock(Mutex<Marks>);

#[derive(Default)]
struct Marks {
    asked: Vec<Instant>,
    handled: Vec<Instant>,
}

impl Clock {
    fn mark(&self, mark: impl FnOnce(&mut Marks)) {
        mark(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Looks around.
#[tool(replay = safe)]
async fn look(#[state] clock: &Clock) -> String {
    let seen = "nothing new".to_owned();
    clock.mark(|marks| marks.handled.push(Instant::now()));
    seen
}

registry! {
    /// What the run shows.
    struct Looking { state: Clock, tools: [look] }
}

/// Asks for the tool, whatever it is shown.
struct Looker(Arc<Clock>);

impl Model for Looker {
    async fn ask(&self, _: &Prompt) -> Result<Reply, ModelError> {
        let now = Instant::now();
        self.0.mark(|marks| marks.asked.push(now));
        // The host takes what it is told between two steps.
        tokio::task::yield_now().await;
        Ok(Reply::tool("look", "{}"))
    }
}

/// Seconds, one number a step.
struct Times {
    assembling: Vec<f64>,
    whole: Vec<f64>,
}

/// Sets all of it down.
pub(crate) fn measure(table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let mut ratios: [Vec<f64>; 5] = Default::default();
    for _ in 0..ROUNDS {
        let mut short = Times { assembling: Vec::new(), whole: Vec::new() };
        for _ in 0..SHORT_RUNS {
            let times = runtime.block_on(run(FEW + 3));
            short.assembling.extend(around(&times.assembling, FEW, 2));
            short.whole.extend(around(&times.whole, FEW, 2));
        }
        let (first, first_whole) = (median(&mut short.assembling), median(&mut short.whole));
        let long = runtime.block_on(run(MOST + 151));
        let middle = |times: &[f64], at: usize| median(&mut around(times, at, 150));
        let half = long.assembling.len() / 2;
        let (early, late) = long.assembling.split_at(half);
        let measured = [
            middle(&long.assembling, MORE) / first,
            middle(&long.assembling, MOST) / first,
            middle(&long.whole, MORE) / first_whole,
            middle(&long.whole, MOST) / first_whole,
            late.iter().sum::<f64>() / early.iter().sum::<f64>(),
        ];
        ratios.iter_mut().zip(measured).for_each(|(ratios, ratio)| ratios.push(ratio));
    }
    Table::group("assembling step n + 1 / assembling step 11");
    let lines = [
        "n = 1 000, assembling / n = 10",
        "n = 10 000, assembling / n = 10",
        "n = 1 000, the whole step / n = 10",
        "n = 10 000, the whole step / n = 10",
        "assembling, sum of the later half of 10 000 steps / of the earlier",
    ];
    for (what, ratios) in lines.into_iter().zip(&mut ratios) {
        table.line(what, median(ratios), Goal::AtMost(2.0));
    }
}

async fn run(steps: usize) -> Times {
    let clock = Arc::new(Clock::default());
    clock.mark(|marks| {
        marks.asked.reserve(steps);
        marks.handled.reserve(steps);
    });
    let agent = Agent::<Looking>::builder(Looker(clock.clone()))
        .budget(Budget::steps(steps).prompt_chars(usize::MAX))
        .build()
        .expect("the agent is complete");
    let mut run = agent.on(clock.clone()).goal("Look around.").await.expect("the goal has words");
    let report = run.finish().await.expect("the run goes on");
    assert_eq!(report.actions, steps);
    let mut times = Times { assembling: Vec::new(), whole: Vec::new() };
    clock.mark(|marks| {
        let next = || marks.asked.iter().skip(1);
        times.assembling = marks.handled.iter().zip(next()).map(|(from, to)| seconds(*from, *to)).collect();
        times.whole = marks.asked.iter().zip(next()).map(|(from, to)| seconds(*from, *to)).collect();
    });
    times
}

fn seconds(from: Instant, to: Instant) -> f64 {
    to.duration_since(from).as_secs_f64()
}

/// The times of the steps around the `number`th.
fn around(times: &[f64], number: usize, width: usize) -> Vec<f64> {
    times.get(number - width..number + width).expect("the run was long enough").to_vec()
}
