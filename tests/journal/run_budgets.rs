//! A budget for one run.

use polyloop::{Agent, Budget, Ending, MemoryJournal, Reply, RunError, Scripted, SessionId, registry, tool};

use crate::support::kinds;

/// Looks around.
#[tool(replay = safe)]
async fn look() -> String {
    "nothing".to_owned()
}

registry! { struct App { tools: [look] } }

/// An agent with 50 steps for each run, and a model that never stops by itself.
fn agent(journal: &MemoryJournal) -> Agent<App> {
    let model = Scripted::by(|_| Reply::tool("look", "{}"));
    Agent::<App>::builder(model).budget(Budget::steps(5)).journal(journal.clone()).build().unwrap()
}

/// A run under a budget of its own that was left in the middle.
async fn left(journal: &MemoryJournal) -> SessionId {
    let mut run = agent(journal).on(()).budget(Budget::steps(3)).goal("go").await.unwrap();
    while run.report().steps < 1 {
        run.next().await.unwrap().unwrap();
    }
    run.session_id().clone()
}

#[tokio::test]
async fn a_budget_of_one_run_holds_for_that_run_alone() {
    let journal = MemoryJournal::new();
    let agent = agent(&journal);
    let mut run = agent.on(()).budget(Budget::steps(2)).goal("go").await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.steps), (Ending::ActionsUsedUp, 2));
    run.follow_up().goal("more").await.unwrap();
    assert_eq!(run.finish().await.unwrap().steps, 5, "a follow-up has the agent's budget again");
    run.follow_up().budget(Budget::steps(1)).goal("more").await.unwrap();
    assert_eq!(run.finish().await.unwrap().steps, 1);
    let session = run.session_id().clone();
    let mut run = agent.on(()).session(session.clone()).goal("more").await.unwrap();
    assert_eq!(run.finish().await.unwrap().steps, 5);
    let mut run = agent.fork((), session.clone()).budget(Budget::steps(4)).goal("more").await.unwrap();
    assert_eq!(run.finish().await.unwrap().steps, 4);
    let mut run = agent.fork((), session).goal("more").await.unwrap();
    assert_eq!(run.finish().await.unwrap().steps, 5, "a fork does not inherit the budget of a run");
    assert_eq!(agent.without::<look>().on(()).goal("go").await.unwrap().finish().await.unwrap().steps, 5);
}

#[tokio::test]
async fn a_run_with_a_budget_of_its_own_is_resumed_under_the_same_one() {
    let journal = MemoryJournal::new();
    let session = left(&journal).await;
    let mut run = agent(&journal).resume((), session).budget(Budget::steps(3)).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.steps), (Ending::ActionsUsedUp, 3));
    run.follow_up().goal("more").await.unwrap();
    assert_eq!(run.finish().await.unwrap().steps, 5);
}

#[tokio::test]
async fn a_resume_under_another_budget_is_refused_with_both_values() {
    let journal = MemoryJournal::new();
    let session = left(&journal).await;
    let before = kinds(&journal, &session).await;
    let refused = agent(&journal).resume((), session.clone()).await.unwrap_err();
    let changed = "budget (`actions` was 3 and is 5, `steps` was 3 and is 5)".to_owned();
    assert_eq!(refused, RunError::Changed { changed: vec![changed.clone()] });
    assert!(refused.to_string().contains(&changed), "{refused}");
    assert_eq!(kinds(&journal, &session).await, before, "nothing was written");
    let mut run = agent(&journal).resume((), session).accept_changes().await.unwrap();
    assert_eq!(run.finish().await.unwrap().steps, 5);
}
