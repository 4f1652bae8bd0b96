//! A call that is a run of its own: who works for whom in these tests.

mod around;
mod interrupted;

use polyloop::{Agent, CallContext, Journal, Reply, Report, Run, RunError, SessionId, registry, tool};

use crate::support::{self, App, World, tally_reply, writing};

/// What the model is told where nobody knows what became of a call.
const UNKNOWN: &str = "It is not known whether this action took effect; check before repeating it.";

/// Who works for an office.
struct Office {
    worker: Agent<App>,
    world: World,
}

/// Lets somebody do a task.
#[tool(replay = child)]
async fn delegate(
    #[state] office: &Office,
    #[call] call: &CallContext,
    /// The task.
    task: String,
) -> Result<String, RunError> {
    let mut run = office.worker.child(call, office.world.clone()).inject(support::rules()).goal(task).await?;
    Ok(said(&run.finish().await?))
}

/// Lets somebody do a task, whoever that is today.
#[tool(replay = child)]
async fn delegate_to_anyone(
    #[state] office: &Office,
    #[call] call: &CallContext,
) -> Result<String, RunError> {
    let child = office.worker.child(call, office.world.clone()).goal("task").accept_changes();
    Ok(said(&child.await?.finish().await?))
}

/// Lets somebody do a task, one beside another.
#[tool(replay = child, concurrent)]
async fn delegate_beside(
    #[state] office: &Office,
    #[call] call: &CallContext,
    /// The task.
    task: String,
) -> Result<String, RunError> {
    let mut run = office.worker.child(call, office.world.clone()).goal(task).await?;
    Ok(said(&run.finish().await?))
}

/// Lets somebody do a task, and agrees to whatever is asked.
#[tool(replay = child)]
async fn delegate_and_agree(
    #[state] office: &Office,
    #[call] call: &CallContext,
) -> Result<String, RunError> {
    let mut run = office.worker.child(call, office.world.clone()).goal("task").await?;
    let waited = run.finish().await?.ending;
    for asked in run.waiting() {
        run.approve(asked.id()).await?;
    }
    Ok(format!("{waited}; {}", said(&run.finish().await?)))
}

/// Forgets to say that it begins a run.
#[tool]
async fn forgets(#[state] office: &Office, #[call] call: &CallContext) -> Result<String, RunError> {
    Ok(said(&office.worker.child(call, office.world.clone()).goal("task").await?.finish().await?))
}

/// Lets somebody do a task for a moment only.
#[tool(replay = child, timeout = "5ms")]
async fn delegate_shortly(#[state] office: &Office, #[call] call: &CallContext) -> Result<String, RunError> {
    Ok(said(&office.worker.child(call, office.world.clone()).goal("task").await?.finish().await?))
}

/// Lets somebody do two tasks, one behind the other.
#[tool(replay = child)]
async fn delegate_twice(#[state] office: &Office, #[call] call: &CallContext) -> Result<String, RunError> {
    let mut run = office.worker.child(call, office.world.clone()).goal("one").await?;
    let first = run.finish().await?.ending;
    run.follow_up().goal("two").await?;
    Ok(format!("{first}; {}", run.finish().await?.ending))
}

fn said(report: &Report) -> String {
    report.to_string()
}

registry! {
    struct Bureau {
        state: Office,
        tools: [
            delegate,
            delegate_to_anyone,
            delegate_beside,
            delegate_and_agree,
            delegate_twice,
            forgets,
            delegate_shortly,
        ],
    }
}

fn worker(world: &World, replies: Vec<Reply>, journal: &(impl Journal + Clone)) -> Agent<App> {
    support::builder(world, replies).journal(journal.clone()).build().unwrap()
}

fn works() -> Vec<Reply> {
    vec![tally_reply("a"), Reply::text("written")]
}

fn calls(tool: &str) -> Vec<Reply> {
    vec![
        Reply::tool(tool, if tool == "delegate" { r#"{"task":"write"}"# } else { "{}" }),
        Reply::text("done"),
    ]
}

fn boss(replies: Vec<Reply>, journal: &(impl Journal + Clone)) -> Agent<Bureau> {
    // Its model is not the workers' one: nothing hangs there.
    Agent::<Bureau>::builder(writing(&World::default(), replies)).journal(journal.clone()).build().unwrap()
}

fn office(world: &World, replies: Vec<Reply>, journal: &(impl Journal + Clone)) -> Office {
    Office { worker: worker(world, replies, journal), world: world.clone() }
}

async fn start(world: &World, journal: &(impl Journal + Clone)) -> Result<Run<Bureau>, RunError> {
    boss(calls("delegate"), journal).on(office(world, works(), journal)).goal("go").await
}

async fn resume(
    world: &World,
    journal: &(impl Journal + Clone),
    session: &SessionId,
) -> Result<Run<Bureau>, RunError> {
    boss(calls("delegate"), journal).resume(office(world, works(), journal), session.clone()).await
}

fn told(run: &Run<Bureau>) -> Vec<String> {
    run.items().iter().map(|item| item.text().into_owned()).collect()
}

fn child_of(session: &SessionId, call: &str) -> SessionId {
    SessionId::from(format!("{session}/{call}"))
}
