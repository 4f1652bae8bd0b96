//! When a run stops, and which of several reasons counts.

use polyloop::{
    Action, ActionOutcome, Budget, CallContext, Ending, Executor, ModelErrorClass, Reply, Report, Retries,
    RunError, Scripted,
};

use crate::support::{Log, builder, failure, run, tallies};

fn tally() -> Reply {
    tallies(["x"])
}

fn submit(answer: &str) -> Reply {
    Reply::tool("submit", format!(r#"{{"answer":"{answer}"}}"#))
}

/// Each failure closes its step here.
async fn report(model: Scripted, budget: Budget) -> Report {
    run(&builder(model).budget(budget).retries(Retries::none()).build().unwrap()).await
}

async fn ending(replies: impl IntoIterator<Item = Reply>, budget: Budget) -> Ending {
    report(Scripted::replies(replies), budget).await.ending
}

fn submitted() -> Ending {
    Ending::ToolCompleted { tool: "submit".into() }
}

#[tokio::test]
async fn a_run_that_completes_on_its_last_allowed_step_is_completed() {
    let replies = || [tally(), submit("a")];
    assert_eq!(ending(replies(), Budget::steps(2)).await, submitted());
    assert_eq!(ending(replies(), Budget::steps(1).actions(9)).await, Ending::StepsUsedUp);
    assert_eq!(ending(replies(), Budget::steps(9).actions(2)).await, submitted());
    assert_eq!(ending(replies(), Budget::steps(9).actions(1)).await, Ending::ActionsUsedUp);
    assert_eq!(ending([tally(), Reply::text("a")], Budget::steps(2)).await, Ending::FinalAnswer);
}

#[tokio::test]
async fn max_steps_allows_exactly_so_many_decisions() {
    for steps in [0, 1, 4] {
        let model = Scripted::by(|_| Reply::tool("nope", ""));
        let report = report(model.clone(), Budget::steps(steps)).await;
        assert_eq!((report.ending, report.steps, report.actions), (Ending::StepsUsedUp, steps, 0));
        assert_eq!(model.requests().len(), steps);
    }
}

#[tokio::test]
async fn actions_used_up_goes_before_steps_used_up() {
    assert_eq!(ending([tally(), tally()], Budget::steps(2)).await, Ending::ActionsUsedUp);
    assert_eq!(ending([tally(), tally()], Budget::steps(2).actions(3)).await, Ending::StepsUsedUp);
}

#[tokio::test]
async fn refused_calls_and_failures_of_the_environment_spend_steps_and_no_actions() {
    let replies = [Reply::tool("nope", ""), Reply::tool("outage", ""), tally(), Reply::text("done")];
    let report = report(Scripted::replies(replies), Budget::steps(9).actions(2)).await;
    assert_eq!((report.ending, report.steps, report.actions), (Ending::FinalAnswer, 4, 1));
}

#[tokio::test]
async fn failures_of_the_environment_in_a_row_end_the_run() {
    let outage = || Reply::tool("outage", "");
    let budget = Budget::steps(9).environment_errors(2);
    assert_eq!(ending([outage(), outage()], budget).await, Ending::EnvironmentFailure);
    let interrupted = [outage(), tally(), outage(), Reply::tool("nope", ""), Reply::text("a")];
    assert_eq!(ending(interrupted, budget).await, Ending::FinalAnswer, "an executed action resets the count");
    let refused_between = [outage(), Reply::tool("nope", ""), outage()];
    assert_eq!(ending(refused_between, budget).await, Ending::EnvironmentFailure, "a refusal does not");
}

#[tokio::test]
async fn a_failure_of_the_environment_goes_before_what_is_used_up() {
    let outage = || Reply::tool("outage", "");
    let budget = Budget::steps(2).environment_errors(2);
    assert_eq!(ending([outage(), outage()], budget).await, Ending::EnvironmentFailure);
    let none = Budget::steps(9).environment_errors(0);
    assert_eq!(ending([tally(), Reply::text("a")], none).await, Ending::FinalAnswer, "there was none");
    assert_eq!(ending([tally(), outage()], none).await, Ending::EnvironmentFailure);
}

#[tokio::test]
async fn failures_of_the_model_in_a_row_end_the_run() {
    use ModelErrorClass::{ContentRefused, Overloaded, Protocol, RateLimited, Server, Timeout, Transport};
    for class in [Transport, Timeout, RateLimited, Overloaded, Server, Protocol, ContentRefused] {
        let model = Scripted::results([failure(class), Ok(tally()), failure(class), failure(class)]);
        let report = report(model.clone(), Budget::steps(9).model_failures(2)).await;
        assert_eq!(report.ending, Ending::ModelFailure { message: format!("{class}: told so") });
        assert_eq!(
            (report.steps, report.requests),
            (4, 4),
            "each failed step counts, a reply resets the row"
        );
    }
}

#[tokio::test]
async fn a_failure_that_asking_again_does_not_mend_ends_the_run_at_once() {
    use ModelErrorClass::{Authorisation, BadRequest, ContextTooLong};
    for class in [ContextTooLong, BadRequest, Authorisation] {
        for budget in [Budget::steps(9), Budget::steps(1)] {
            let model = Scripted::results([failure(class), Ok(tally())]);
            let report = report(model.clone(), budget).await;
            assert_eq!(report.ending, Ending::ModelFailure { message: format!("{class}: told so") });
            assert_eq!(model.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn steps_used_up_goes_before_failures_in_a_row() {
    let model = Scripted::results([failure(ModelErrorClass::Server), failure(ModelErrorClass::Server)]);
    assert_eq!(report(model, Budget::steps(2).model_failures(2)).await.ending, Ending::StepsUsedUp);
}

#[tokio::test]
async fn a_prompt_over_the_budget_is_never_sent() {
    let model = Scripted::replies([]);
    let report = report(model.clone(), Budget::steps(9).prompt_chars(1)).await;
    assert_eq!(report.ending, Ending::ContextOverflow { chars: 2 });
    assert!(model.requests().is_empty());
    assert_eq!((report.requests, report.steps), (0, 0));
}

#[tokio::test]
async fn a_prompt_of_exactly_the_budget_is_sent() {
    let model = Scripted::replies([Reply::text("done")]);
    let report = report(model, Budget::steps(9).prompt_chars(2)).await;
    assert_eq!((report.ending, report.prompt_chars), (Ending::FinalAnswer, 2));
}

#[tokio::test]
async fn a_prompt_that_has_grown_over_the_budget_is_never_sent() {
    let model = Scripted::by(|_| tallies(["a line that makes the prompt grow"]));
    let budget = Budget::steps(9).prompt_chars(100);
    let report = report(model.clone(), budget).await;
    let Ending::ContextOverflow { chars } = report.ending else { panic!("{report}") };
    assert!(chars > 100);
    for request in model.requests() {
        assert!(request.chars() <= 100);
    }
    assert_eq!(report.prompt_chars, model.requests().pop().unwrap().chars());
}

#[tokio::test]
async fn the_size_goes_before_failures_of_the_model() {
    let model = Scripted::results([failure(ModelErrorClass::Server)]);
    let budget = Budget::steps(9).prompt_chars(10).model_failures(1);
    assert!(matches!(report(model, budget).await.ending, Ending::ContextOverflow { .. }));
}

#[tokio::test]
async fn outcomes_that_nobody_knows_suspend_the_run() {
    let vanish = || Reply::tool("vanish", "");
    let replies = [vanish(), vanish(), Reply::text("done")];
    let report = report(Scripted::replies(replies), Budget::steps(9)).await;
    assert_eq!((report.ending, report.actions, report.steps), (Ending::UnknownOutcomes, 2, 2));
    assert_eq!(ending([vanish(), Reply::text("done")], Budget::steps(9)).await, Ending::FinalAnswer);
    let none = Budget::steps(9).unknown_outcomes(0);
    assert_eq!(ending([vanish(), Reply::text("done")], none).await, Ending::UnknownOutcomes);
    assert_eq!(ending([vanish(), vanish()], Budget::steps(2)).await, Ending::UnknownOutcomes);
}

#[tokio::test]
async fn a_run_with_unknown_outcomes_goes_on_when_a_person_looked() {
    let vanish = || Reply::tool("vanish", "");
    let model = Scripted::replies([vanish(), vanish(), Reply::text("done")]);
    let agent = builder(model).build().unwrap();
    let mut run = agent.on(Log::default()).goal("go").await.unwrap();
    assert_eq!(run.acknowledge().await, Err(RunError::NothingToAcknowledge));
    assert_eq!(run.finish().await.unwrap().ending, Ending::UnknownOutcomes);
    run.acknowledge().await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    assert_eq!(run.acknowledge().await, Err(RunError::NothingToAcknowledge));
}

#[tokio::test]
async fn a_completing_tool_that_failed_does_not_complete() {
    assert_eq!(ending([submit(""), submit("a")], Budget::steps(9)).await, submitted());
    assert_eq!(ending([submit("")], Budget::steps(1).actions(5)).await, Ending::StepsUsedUp);
    assert_eq!(ending([Reply::tool("submit", "{}"), submit("a")], Budget::steps(9)).await, submitted());
}

/// An environment that says when the goal is reached.
struct Judge;

impl<S: Send + Sync> Executor<S> for Judge {
    async fn execute(&self, action: &Action, _: &CallContext, _: &S) -> ActionOutcome {
        let outcome = ActionOutcome::executed(action.payload());
        if action.payload().contains("win") { outcome.completed() } else { outcome }
    }
}

#[tokio::test]
async fn evidence_of_the_environment_goes_before_the_agents_own_word_and_both_are_reported() {
    let run_with = async |replies: Vec<Reply>| {
        run(&builder(Scripted::replies(replies)).executor(Judge).build().unwrap()).await
    };
    let report = run_with(vec![submit("win")]).await;
    assert_eq!(report.ending, Ending::EnvironmentCompleted);
    assert!(report.environment_completed && report.tool_completed);
    let report = run_with(vec![tallies(["win"])]).await;
    assert_eq!(report.ending, Ending::EnvironmentCompleted);
    assert!(report.environment_completed && !report.tool_completed);
    let report = run_with(vec![submit("so")]).await;
    assert_eq!(report.ending, submitted());
    assert!(!report.environment_completed && report.tool_completed);
}
