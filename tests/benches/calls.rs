//! The cost of one call, against how many calls the reply makes; and that of a report, against the size of the prompt.

use std::hint::black_box;
use std::time::Instant;

use polyloop::{Agent, Budget, Reply, Run, Scripted, registry, tool};
use tokio::runtime::Runtime;

use super::measure::{median, ratio};
use super::table::{Goal, Table};

const ROUNDS: usize = 21;
const FEW: usize = 10;
const MANY: usize = 3_000;
const SHORT: usize = 100;
const LONG: usize = 10_000;

/// Looks around.
#[tool(replay = safe)]
async fn look() -> String {
    "nothing new".to_owned()
}

/// Looks around, beside other calls.
#[tool(replay = safe, concurrent)]
async fn glance() -> String {
    "nothing new".to_owned()
}

registry! {
    /// What the runs show.
    struct Looking { tools: [look, glance] }
}

/// Sets all of it down.
pub(crate) fn measure(table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    Table::group("one call of a reply with 3 000 / one of a reply with 10");
    for (what, tool) in
        [("one after another", "look"), ("side by side", "glance"), ("refused: no such tool", "gaze")]
    {
        let mut ratios: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let mut few: Vec<f64> = (0..MANY / FEW).map(|_| each_call(&runtime, tool, FEW)).collect();
                each_call(&runtime, tool, MANY) / median(&mut few)
            })
            .collect();
        table.line(what, median(&mut ratios), Goal::AtMost(1.5));
    }
    Table::group("a report of a run with 10 000 items / of one with 100");
    let (mut long, mut short) = (runtime.block_on(ended(LONG / 2)), runtime.block_on(ended(SHORT / 2)));
    let reporting = |run: &mut Run<Looking>| {
        black_box(runtime.block_on(run.finish()).expect("the run ended"));
    };
    table.line("`Run::finish`", ratio(|| reporting(&mut long), || reporting(&mut short)), Goal::AtMost(2.0));
}

/// Seconds of one call of a reply that makes so many.
fn each_call(runtime: &Runtime, tool: &str, calls: usize) -> f64 {
    let acting = (0..calls).fold(Reply::text("I look."), |reply, _| reply.call(tool, "{}"));
    let agent = Agent::<Looking>::builder(Scripted::replies([acting, Reply::text("done")]))
        .budget(Budget::steps(2).actions(calls + 1).prompt_chars(usize::MAX).calls_per_reply(calls))
        .build()
        .expect("the agent is complete");
    runtime.block_on(async {
        let mut run = agent.on(()).goal("Look around.").await.expect("the goal has words");
        let begin = Instant::now();
        let report = run.finish().await.expect("the run goes on");
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!((report.steps, report.answer.as_deref()), (2, Some("done")));
        seconds / f64::from(u32::try_from(calls).expect("it is a small number"))
    })
}

/// A run that has ended, of so many steps with one call each.
async fn ended(steps: usize) -> Run<Looking> {
    let model = Scripted::by(|_| Reply::tool("look", "{}"));
    let agent = Agent::<Looking>::builder(model)
        .budget(Budget::steps(steps).prompt_chars(usize::MAX))
        .build()
        .expect("the agent is complete");
    let mut run = agent.on(()).goal("Look around.").await.expect("the goal has words");
    let report = run.finish().await.expect("the run goes on");
    assert_eq!(report.actions, steps);
    run
}
