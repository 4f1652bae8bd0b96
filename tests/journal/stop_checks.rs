//! After each step it is recorded what was measured and everything that could stop the run there.

use futures_util::FutureExt;
use polyloop::{
    Action, ActionOutcome, Agent, AgentBuilder, Budget, CallContext, Ending, Executor, Finish, Journal,
    MemoryJournal, Model, ModelError, ModelErrorClass, Record, Reply, Retries, Scripted, ToolError, registry,
    tool,
};
use serde_json::Value;

use crate::support::{self, Hang, World, payloads, prefix};

/// Works.
#[tool]
async fn works() -> String {
    "worked".to_owned()
}

/// Fails in an ordinary way.
#[tool]
async fn fails() -> Result<String, String> {
    Err("no".to_owned())
}

/// Fails with the environment.
#[tool]
async fn outage() -> Result<String, ToolError> {
    Err(ToolError::Environment("no network".to_owned()))
}

/// Never comes back.
#[tool(timeout = "5ms")]
async fn vanish() -> String {
    std::future::pending().await
}

/// Hands in the answer.
#[tool(completes_run)]
async fn submit() -> String {
    "answer".to_owned()
}

registry! { struct App { tools: [works, fails, outage, vanish, submit] } }

fn builder(model: impl Model, journal: &MemoryJournal) -> AgentBuilder<App> {
    Agent::<App>::builder(model).journal(journal.clone()).retries(Retries::none())
}

type Replied = Result<Reply, ModelError>;

#[expect(clippy::unnecessary_wraps, reason = "it stands beside failures")]
fn call(tool: &str) -> Replied {
    Ok(Reply::tool(tool, "{}"))
}

fn failure() -> Replied {
    Err(ModelError::new(ModelErrorClass::Protocol, "told so"))
}

#[expect(clippy::unnecessary_wraps, reason = "it stands beside failures")]
fn cut() -> Replied {
    Ok(Reply::text("cut").finished(Finish::Length))
}

/// The reasons of the last check.
fn matches(records: &[Record]) -> Vec<String> {
    let checked = payloads(records, "stop.checked");
    let matches = checked.last().unwrap()["matches"].as_array().unwrap();
    matches.iter().map(|ending| ending["reason"].as_str().unwrap().to_owned()).collect()
}

fn counts(checked: &Value) -> [u64; 5] {
    ["steps", "actions", "environment_errors", "model_failures", "unknown_outcomes"]
        .map(|counter| checked["measured"][counter].as_u64().unwrap())
}

#[tokio::test(start_paused = true)]
async fn each_counter_counts_what_the_guide_says_and_nothing_else() {
    // What happens in a step; then steps, actions, environment errors in a row, model failures in a row, unknowns.
    let table = [
        (call("works"), [1, 1, 0, 0, 0], "an executed action"),
        (call("fails"), [2, 2, 0, 0, 0], "an ordinary error is executed"),
        (call("nope"), [3, 2, 0, 0, 0], "a refused call is no action"),
        (call("outage"), [4, 2, 1, 0, 0], "an environment error is no action"),
        (call("nope"), [5, 2, 1, 0, 0], "a refusal does not break the row"),
        (cut(), [6, 2, 1, 0, 0], "an invalid decision is a step"),
        (call("vanish"), [7, 3, 1, 0, 1], "an unknown outcome is an action, and does not break the row"),
        (failure(), [8, 3, 1, 1, 1], "a failure of the model is a step"),
        (call("outage"), [9, 3, 2, 0, 1], "a decision breaks the row of the model"),
        (call("fails"), [10, 4, 0, 0, 1], "an executed action breaks that of the environment"),
        (failure(), [11, 4, 0, 1, 1], "once more"),
        (failure(), [12, 4, 0, 2, 1], "in a row"),
        (cut(), [13, 4, 0, 0, 1], "also an invalid decision breaks it"),
        (Ok(Reply::text("done")), [14, 4, 0, 0, 1], "the answer is a step"),
    ];
    let journal = MemoryJournal::new();
    let model = Scripted::results(table.iter().map(|(reply, ..)| reply.clone()));
    let agent = builder(model, &journal).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let checked = payloads(&records, "stop.checked");
    assert_eq!(checked.len(), table.len(), "after each step");
    for (checked, (_, expected, what)) in checked.iter().zip(&table) {
        assert_eq!(&counts(checked), expected, "{what}");
    }
    let sealed = payloads(&records, "prompt.sealed");
    for (checked, sealed) in checked.iter().zip(&sealed) {
        assert_eq!(checked["measured"]["prompt_chars"], sealed["seal"]["chars"]);
    }
    assert!(checked[..13].iter().all(|checked| checked["matches"] == serde_json::json!([])));
    assert_eq!(matches(&records), ["final_answer"]);
}

#[tokio::test]
async fn a_request_that_nobody_waited_for_is_a_failure_and_no_step() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let budget = Budget::default().model_failures(1);
    let agent = support::builder(&world, support::script()).journal(journal.clone()).budget(budget);
    let agent = agent.build().unwrap();
    world.hang(Hang::Asked(0));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    let session = run.session_id().clone();
    let mut run = agent.resume(world, session.clone()).await.unwrap();
    assert!(matches!(run.finish().await.unwrap().ending, Ending::ModelFailure { .. }));
    let records = journal.read(&session, 0).await.unwrap();
    let checked = payloads(&records, "stop.checked");
    assert_eq!(counts(&checked[0]), [0, 0, 0, 1, 0]);
    assert_eq!(
        matches(&records),
        ["model_failure"],
        "what forbids a request is recorded where it stops the run"
    );
}

#[tokio::test]
async fn unknown_outcomes_that_a_person_looked_at_count_no_more() {
    let journal = MemoryJournal::new();
    let model = Scripted::results([call("vanish"), Ok(Reply::text("done"))]);
    let agent = builder(model, &journal).budget(Budget::default().unknown_outcomes(0)).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::UnknownOutcomes);
    run.acknowledge().await.unwrap();
    run.finish().await.unwrap();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let unknown: Vec<u64> =
        payloads(&records, "stop.checked").iter().map(|checked| counts(checked)[4]).collect();
    assert_eq!(unknown, [1, 0, 0], "the check is made again when the run goes on");
}

/// An environment that says that the goal is reached.
struct Judge;

impl<S: Send + Sync> Executor<S> for Judge {
    async fn execute(&self, action: &Action, _: &CallContext, _: &S) -> ActionOutcome {
        ActionOutcome::executed(action.payload()).completed()
    }
}

#[tokio::test]
async fn all_matches_are_recorded_and_the_first_one_counts() {
    let journal = MemoryJournal::new();
    let agent = builder(Scripted::results([call("submit")]), &journal).executor(Judge);
    let agent = agent.budget(Budget::steps(1)).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::EnvironmentCompleted);
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let all = ["environment_completed", "tool_completed", "actions_used_up", "steps_used_up"];
    assert_eq!(matches(&records), all);
}

#[tokio::test]
async fn a_prompt_over_the_budget_is_recorded_as_refused_before_the_run_ends() {
    let journal = MemoryJournal::new();
    let budget = Budget::default().prompt_chars(1);
    let agent = builder(Scripted::replies([]), &journal).budget(budget).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::ContextOverflow { chars: 2 });
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let kinds: Vec<&str> = records[4..].iter().map(|record| &*record.kind).collect();
    assert_eq!(kinds, ["prompt.refused", "stop.checked", "run.ended"]);
    assert_eq!(payloads(&records, "prompt.refused")[0].to_string(), r#"{"chars":2,"limit":1}"#);
    assert_eq!(matches(&records), ["context_overflow"]);
}

/// Runs that stop for all sorts of reasons: replies, budget, and whether each is cancelled first.
fn stops() -> Vec<(Vec<Replied>, Budget, bool)> {
    let budget = Budget::default();
    vec![
        (vec![call("works"), Ok(Reply::text("done"))], budget, false),
        (vec![call("works"), call("submit")], budget, false),
        (vec![call("works"), call("works")], Budget::steps(2), false),
        (vec![call("works"), call("works")], Budget::steps(1).actions(9), false),
        (vec![call("outage")], budget.environment_errors(1), false),
        (vec![call("works"), failure()], budget.model_failures(1), false),
        (vec![call("works")], budget.prompt_chars(12), false),
        (vec![call("vanish")], budget.unknown_outcomes(0), false),
        (vec![], Budget::steps(0), false),
        (vec![], budget, true),
    ]
}

#[tokio::test]
async fn killed_between_the_check_and_the_end_it_stops_for_the_same_reasons() {
    let mut reasons = Vec::new();
    for (replies, budget, cancelled) in stops() {
        let journal = MemoryJournal::new();
        let agent = builder(Scripted::results(replies), &journal).budget(budget).build().unwrap();
        let mut run = agent.on(()).goal("go").await.unwrap();
        if cancelled {
            run.handle().cancel();
        }
        let ending = run.finish().await.unwrap().ending;
        let records = journal.read(run.session_id(), 0).await.unwrap();
        let at = records.iter().rposition(|record| record.kind == "stop.checked").unwrap();
        assert!(
            ["run.ended", "run.suspended"].contains(&&*records[at + 1].kind),
            "it is what the check led to"
        );
        for count in [at, at + 1] {
            let cut = prefix(&records, count).await;
            let agent = builder(Scripted::replies([]), &cut).budget(budget).build().unwrap();
            let mut run = agent.resume((), records[0].session.clone()).await.unwrap();
            assert_eq!(run.finish().await.unwrap().ending, ending);
            let again = cut.read(run.session_id(), 0).await.unwrap();
            assert_eq!(matches(&again), matches(&records));
            assert_eq!(
                payloads(&again, "stop.checked").last().unwrap()["measured"],
                payloads(&records, "stop.checked").last().unwrap()["measured"]
            );
        }
        reasons.push(matches(&records)[0].clone());
    }
    reasons.sort();
    reasons.dedup();
    assert_eq!(reasons.len(), 9, "{reasons:?}");
}

#[tokio::test]
async fn a_budget_that_is_smaller_when_a_run_is_taken_up_holds_from_then_on() {
    let journal = MemoryJournal::new();
    let agent = builder(Scripted::results([call("works"), call("works")]), &journal).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let at = records.iter().position(|record| record.kind == "stop.checked").unwrap();
    let cut = prefix(&records, at + 1).await;
    let agent = builder(Scripted::replies([]), &cut).budget(Budget::steps(1)).build().unwrap();
    let mut run = agent.resume((), records[0].session.clone()).accept_changes().await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.requests), (Ending::StepsUsedUp, 1));
}
