//! Calls that need a person.

use polyloop::{Agent, Call, Ending, Reply, RunError, Scripted, Status, Update, registry, tool};

use crate::support::{Log, call_ids, finish, last, observed, texts, updates};

/// Deletes something.
#[tool(approval)]
async fn delete(
    #[state] log: &Log,
    /// What.
    name: String,
) -> String {
    log.add(&*name);
    format!("deleted {name}")
}

/// Reads something.
#[tool(replay = safe)]
async fn read(#[state] log: &Log) -> String {
    log.add("read");
    "content".to_owned()
}

/// Deletes something beside others.
#[tool(approval, concurrent)]
async fn delete_beside(
    #[state] log: &Log,
    /// What.
    name: String,
) -> String {
    log.add(&*name);
    format!("deleted {name}")
}

/// Completes the run.
#[tool(completes_run)]
async fn submit() -> String {
    "submitted".to_owned()
}

registry! { struct App { state: Log, tools: [delete, read, delete_beside, submit] } }

fn delete_call(name: &str) -> (String, String) {
    ("delete".to_owned(), format!(r#"{{"name":"{name}"}}"#))
}

fn reply(calls: impl IntoIterator<Item = (String, String)>) -> Reply {
    calls.into_iter().fold(Reply::default(), |reply, (name, arguments)| reply.call(name, arguments))
}

fn agent(reply: Reply) -> (Agent<App>, Scripted) {
    let model = Scripted::replies([reply, Reply::text("done")]);
    (Agent::<App>::builder(model.clone()).build().unwrap(), model)
}

fn asked(updates: &[Update]) -> Vec<Call> {
    let call = |update: &Update| match update {
        Update::ApprovalAsked { call } => Some(call.clone()),
        _ => None,
    };
    updates.iter().filter_map(call).collect()
}

#[tokio::test]
async fn a_call_waits_until_a_person_agreed() {
    let (agent, model) = agent(reply([delete_call("a")]));
    let log = std::sync::Arc::new(Log::default());
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    let first = updates(&mut run).await;
    let waiting = run.waiting();
    assert_eq!(asked(&first), waiting);
    assert_eq!(waiting[0].action().payload(), r#"{"name":"a"}"#);
    assert!(log.lines().is_empty(), "nothing ran");
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    assert_eq!(run.finish().await.unwrap().requests, 1, "waiting costs nothing");
    run.approve(waiting[0].id()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.actions), (Ending::FinalAnswer, 1));
    assert_eq!(log.lines(), ["a"]);
    assert_eq!(texts(&last(&model))[2], "deleted a");
    assert_eq!(call_ids(&last(&model)).0, [waiting[0].id().to_string()], "call and outcome carry one id");
}

#[tokio::test]
async fn a_call_that_a_person_refused_is_not_executed_and_the_run_goes_on() {
    let (agent, model) = agent(reply([delete_call("a")]));
    let log = std::sync::Arc::new(Log::default());
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    updates(&mut run).await;
    let id = run.waiting()[0].id().clone();
    run.deny(&id).await.unwrap();
    let behind = updates(&mut run).await;
    let Some(Update::Observed { outcome, .. }) =
        behind.iter().find(|update| matches!(update, Update::Observed { .. }))
    else {
        panic!("{behind:?}")
    };
    assert_eq!((outcome.status, outcome.observation_is_synthetic), (Status::NotExecuted, true));
    assert_eq!(texts(&last(&model))[2], "A person refused this action; it was not executed.");
    let report = finish(run).await;
    assert_eq!((report.ending, report.actions, report.steps), (Ending::FinalAnswer, 0, 2));
    assert!(log.lines().is_empty());
}

#[tokio::test]
async fn an_approval_is_bound_to_its_call_also_when_the_second_is_approved_first() {
    let (agent, model) = agent(reply([delete_call("same"), delete_call("same")]));
    let log = std::sync::Arc::new(Log::default());
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    updates(&mut run).await;
    let waiting = run.waiting();
    let [first, second] = waiting.as_slice() else { panic!("{waiting:?}") };
    assert_ne!(first.id(), second.id());
    run.approve(second.id()).await.unwrap();
    updates(&mut run).await;
    assert!(log.lines().is_empty(), "the second waits for its turn");
    assert_eq!(run.waiting().as_slice(), std::slice::from_ref(first));
    run.deny(first.id()).await.unwrap();
    finish(run).await;
    assert_eq!(log.lines(), ["same"], "the one that was approved");
    let told = texts(&last(&model));
    assert_eq!(told[2..4], ["A person refused this action; it was not executed.", "deleted same"]);
}

#[tokio::test]
async fn an_answer_to_no_waiting_call_is_an_error() {
    let (agent, _) = agent(reply([delete_call("a")]));
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    updates(&mut run).await;
    let id = run.waiting()[0].id().clone();
    run.approve(&id).await.unwrap();
    assert_eq!(
        run.approve(&id).await,
        Err(RunError::NoSuchApproval { call: id.to_string() }),
        "answered already"
    );
    assert_eq!(run.deny(&id).await, Err(RunError::NoSuchApproval { call: id.to_string() }));
    run.finish().await.unwrap();
    assert!(run.approve(&id).await.is_err());
    assert!(run.waiting().is_empty());
}

#[tokio::test]
async fn calls_before_a_waiting_one_run_and_those_behind_it_wait() {
    let read = || ("read".to_owned(), String::new());
    let (agent, model) = agent(reply([read(), delete_call("a"), read()]));
    let log = std::sync::Arc::new(Log::default());
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    let before = updates(&mut run).await;
    assert_eq!(observed(&before), ["content"]);
    assert_eq!(log.lines(), ["read"]);
    run.approve(run.waiting()[0].id()).await.unwrap();
    finish(run).await;
    assert_eq!(log.lines(), ["read", "a", "read"]);
    assert_eq!(texts(&last(&model))[2..5], ["content", "deleted a", "content"]);
}

#[tokio::test]
async fn concurrent_calls_that_need_a_person_run_when_all_are_answered() {
    let call = |name: &str| ("delete_beside".to_owned(), format!(r#"{{"name":"{name}"}}"#));
    let (agent, model) = agent(reply([call("a"), call("b")]));
    let log = std::sync::Arc::new(Log::default());
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    updates(&mut run).await;
    for call in run.waiting() {
        run.approve(call.id()).await.unwrap();
    }
    finish(run).await;
    assert_eq!(log.lines().len(), 2);
    assert_eq!(texts(&last(&model))[2..4], ["deleted a", "deleted b"]);
}

#[tokio::test]
async fn a_wrong_call_is_refused_without_asking_a_person() {
    let (agent, model) = agent(reply([("delete".to_owned(), "{}".to_owned())]));
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    assert!(asked(&updates(&mut run).await).is_empty());
    assert!(texts(&last(&model))[2].contains("argument `name` is missing"));
}

#[tokio::test]
async fn a_cancelled_run_asks_nobody_and_refuses_what_waits() {
    let (agent, _) = agent(reply([delete_call("a")]));
    let log = std::sync::Arc::new(Log::default());
    let mut run = agent.on(log.clone()).goal("go").await.unwrap();
    updates(&mut run).await;
    let id = run.waiting()[0].id().clone();
    run.handle().cancel();
    run.approve(&id).await.unwrap();
    let behind = updates(&mut run).await;
    assert!(asked(&behind).is_empty());
    assert_eq!(observed(&behind), ["not executed: the run was cancelled"]);
    assert_eq!(finish(run).await.ending, Ending::Cancelled);
    assert!(log.lines().is_empty());
}

#[tokio::test]
async fn a_call_behind_a_completing_one_is_refused_even_if_it_waits() {
    let (agent, _) = agent(reply([("submit".to_owned(), String::new()), delete_call("a")]));
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!(report.ending, Ending::ToolCompleted { tool: "submit".into() });
    assert!(run.waiting().is_empty());
}
