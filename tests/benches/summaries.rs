//! What summaries cost beside the work: characters paid for summaries, requests and replies, over the characters of all
//! requests for steps. Nothing here is a time, so it is the same on every machine.

use std::sync::atomic::{AtomicUsize, Ordering};

use polyloop::{Agent, Budget, Ending, Finish, Prompt, Reply, Scripted, Summarizer, registry, tool};

use super::table::{Goal, Table};

/// Reads so many characters.
#[tool(replay = safe)]
async fn read(
    /// How many.
    size: usize,
) -> String {
    "x".repeat(size)
}

registry! {
    /// What the runs show.
    struct Reading { tools: [read] }
}

/// Sets both scenarios down.
pub(crate) fn measure(table: &mut Table) {
    Table::group("Characters paid for summaries / characters of work");
    let cut = Reply::text("s".repeat(16_000)).finished(Finish::Length);
    let cut = cost(Budget::steps(400), 300, 5_000, &cut);
    table.line(
        "each summary is cut by its length limit, results of 5 000 characters",
        cut,
        Goal::AtMost(0.15),
    );
    let good = Reply::text("s".repeat(4_000));
    let good = cost(Budget::steps(60).prompt_chars(100_000), 40, 30_000, &good);
    table.line("summaries of 4 000, results of 30 000, a budget of 100 000", good, Goal::AtMost(0.15));
}

/// The cost of the summaries of a run with so many steps, each with a result of this size.
fn cost(budget: Budget, steps: usize, result: usize, summary: &Reply) -> f64 {
    let (summary, step) = (summary.clone(), AtomicUsize::new(0));
    let model = Scripted::by(move |prompt| {
        let last = prompt.messages().next_back().map(polyloop::Message::text).unwrap_or_default();
        if last.starts_with("Stop here") {
            summary.clone()
        } else if step.fetch_add(1, Ordering::Relaxed) < steps {
            Reply::tool("read", format!(r#"{{"size":{result}}}"#))
        } else {
            Reply::text("done")
        }
    });
    let agent = Agent::<Reading>::builder(model.clone()).budget(budget).compactor(Summarizer::new());
    let agent = agent.build().expect("the agent is complete");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    let report = runtime.block_on(async {
        let mut run = agent.on(()).goal("Read.").await.expect("it starts");
        run.finish().await.expect("it goes on")
    });
    assert_eq!(report.ending, Ending::FinalAnswer);
    let all: usize = model.requests().iter().map(Prompt::chars).sum();
    let asked: usize = model.requests().iter().filter(|prompt| is_summary(prompt)).map(Prompt::chars).sum();
    // What was paid is at least a character, so that a run without summaries is measured as well.
    ratio(report.summaries.chars.max(1), all - asked)
}

fn is_summary(prompt: &Prompt) -> bool {
    prompt.messages().next_back().is_some_and(|last| last.text().starts_with("Stop here"))
}

#[expect(clippy::cast_precision_loss, reason = "a ratio of characters needs no more than 52 bits")]
fn ratio(paid: usize, work: usize) -> f64 {
    paid as f64 / work as f64
}
