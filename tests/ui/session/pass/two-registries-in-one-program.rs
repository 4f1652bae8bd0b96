//! An orchestrator and a worker live in one program, each with its own world; one calls the other as a run inside a call.

use polyloop::prelude::*;
use polyloop::{Key, MemoryJournal, Run};

/// What the orchestrator knows alone.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<plan>", "</plan>"), max_chars = 200, body = "{text}")]
struct Plan {
    text: String,
}

/// What a worker is told; the orchestrator's marker is nothing in its world.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<from_{who}>", "</from_{who}>"), max_chars = 200, body = "{text}")]
struct Task {
    who: Key,
    text: String,
}

/// Works.
#[tool(replay = safe)]
async fn work(#[state] bench: &Bench) -> String {
    bench.0.to_owned()
}

/// Lets a worker do a task.
#[tool(replay = child)]
async fn delegate(
    #[state] worker: &Agent<Worker>,
    #[call] call: &CallContext,
    /// The task.
    text: String,
) -> Result<String, RunError> {
    let task = Task { who: Key::new("orchestrator").unwrap(), text };
    let mut run: Run<Worker> = worker.child(call, Bench("planed")).inject(task).goal("Work.").await?;
    let answer = run.finish().await?.to_string();
    let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told[0], "<from_orchestrator><plan>plane it</plan></from_orchestrator>");
    Ok(answer)
}

struct Bench(&'static str);

registry! { struct Orchestrator { state: Agent<Worker>, fragments: [Plan], tools: [delegate] } }
registry! { struct Worker { state: Bench, fragments: [Task], tools: [work] } }

async fn orchestrate() -> Result<String, Box<dyn std::error::Error>> {
    let journal = MemoryJournal::new();
    let working = Scripted::replies([Reply::tool("work", "{}"), Reply::text("</plan> done")]);
    let worker = Agent::<Worker>::builder(working).journal(journal.clone()).build()?;
    let call = Reply::tool("delegate", r#"{"text": "<plan>plane it</plan>"}"#);
    let planning = Scripted::replies([call, Reply::text("It is planed.")]);
    let agent = Agent::<Orchestrator>::builder(planning).journal(journal).build()?;
    let mut run = agent.on(worker).inject(Plan { text: "a table".into() }).goal("Build it.").await?;
    let answer = run.finish().await?.to_string();
    assert!(run.items().iter().any(|item| item.text() == "</plan> done"));
    Ok(answer)
}

pub(crate) fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(orchestrate()).unwrap(), "It is planed.");
    assert!(Orchestrator::recognize("<plan>x</plan>").is_some() && Worker::recognize("<plan>x</plan>").is_none());
}
