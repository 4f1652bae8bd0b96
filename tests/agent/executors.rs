//! What acts: the handlers of the tools, or a project's own executor.

use std::sync::Arc;

use polyloop::{
    Action, ActionOutcome, Agent, BuildError, CallContext, Ending, Executor, Registry, Reply, RunError,
    Scripted, SetProblem, Status, Texts, Update, registry, tool,
};

use crate::support::{self, Log, builder, finish, last, observed, tallies, tally, texts, updates};

/// Searches; somebody else does it.
#[tool(schema_only)]
async fn search(
    /// What for.
    #[arg(length(1..))]
    query: String,
) -> String;

/// Counts; somebody else does it.
#[tool(schema_only, completes_run)]
async fn count() -> String;

registry! { struct Foreign { tools: [search, count] } }

/// Says what it was asked for.
struct Own;

impl<S: Send + Sync> Executor<S> for Own {
    async fn execute(&self, action: &Action, call: &CallContext, _: &S) -> ActionOutcome {
        call.progress("on it");
        match action.label() {
            "count" => ActionOutcome::executed("3"),
            label if action.payload().contains("gone") => {
                ActionOutcome::environment_error(format!("{label} gone"))
            }
            label if action.payload().contains("blank") => {
                ActionOutcome::not_executed(format!("{label} is locked by pid 1"))
            }
            label => ActionOutcome::executed(format!("{label} {} {}", action.payload(), call.attempt())),
        }
    }
}

fn searching(query: &str) -> Reply {
    Reply::tool("search", format!(r#"{{"query":"{query}"}}"#))
}

#[test]
fn without_an_executor_every_tool_without_a_handler_is_named() {
    let built = Agent::<Foreign>::builder(Scripted::replies([])).build();
    let Err(BuildError::Tools(error)) = built else { panic!("{built:?}") };
    assert_eq!(error.problems(), [SetProblem::NoHandler { tools: vec!["search".into(), "count".into()] }]);
    assert!(Agent::<Foreign>::builder(Scripted::replies([])).executor(Own).build().is_ok());
}

#[tokio::test]
async fn an_own_executor_gets_calls_whose_arguments_are_checked() {
    let model = Scripted::replies([
        searching("a").call("search", r#"{"query":""}"#).call("nope", ""),
        Reply::tool("count", ""),
    ]);
    let agent = Agent::<Foreign>::builder(model.clone()).executor(Own).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    updates(&mut run).await;
    let report = finish(run).await;
    assert_eq!(report.ending, Ending::ToolCompleted { tool: "count".into() });
    assert_eq!((report.answer.as_deref(), report.actions), (Some("3"), 2));
    let told = texts(&last(&model));
    assert_eq!(told[2], r#"search {"query":"a"} 1"#);
    assert!(told[3].contains("argument `query`: "), "{}", told[3]);
    assert!(told[4].contains("there is no tool `nope`"), "{}", told[4]);
}

#[tokio::test]
async fn outcomes_of_an_own_executor_are_shown_as_those_of_handlers_are() {
    let model = Scripted::replies([searching("gone"), searching("blank"), Reply::text("done")]);
    let mut texts_of = Texts::default();
    "{reason}".clone_into(&mut texts_of.not_executed);
    let agent = Agent::<Foreign>::builder(model.clone()).executor(Own).texts(texts_of).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    let told = updates(&mut run).await;
    let expected = [
        "The environment failed; the action did not take effect.",
        "The executor refused this action; it was not executed.",
    ];
    assert_eq!(observed(&told), expected);
    assert_eq!(finish(run).await.answer.as_deref(), Some("done"), "no message is ever empty");
}

#[tokio::test]
async fn the_executor_of_another_set_is_refused_before_anything_is_sent() {
    let tools = support::App::tools().unwrap();
    let log = Arc::new(Log::default());
    let model = Scripted::replies([tallies(["a"]), Reply::text("done")]);
    let whole = builder(model.clone()).executor(tools.executor(log.clone()).unwrap()).build().unwrap();
    let narrowed = whole.without::<tally>();
    let refused = narrowed.on(Log::default()).goal("go").await.err();
    assert_eq!(refused, Some(RunError::ForeignExecutor));
    assert!(model.requests().is_empty());
    let report = finish(whole.on(Log::default()).goal("go").await.unwrap()).await;
    assert_eq!((report.actions, log.lines()), (1, vec!["a".to_owned()]));
    let narrow = tools.without::<support::App, tally>();
    let agent = builder(model).executor(narrow.executor(log).unwrap()).build().unwrap();
    assert_eq!(agent.on(Log::default()).goal("go").await.err(), Some(RunError::ForeignExecutor));
    assert!(agent.without::<tally>().on(Log::default()).goal("go").await.is_ok(), "now it is the same set");
}

#[tokio::test]
async fn the_executor_of_a_set_refuses_what_the_set_refuses() {
    let tools = support::App::tools().unwrap();
    let executor = tools.executor(Log::default()).unwrap();
    assert_eq!(executor.tools().fingerprint(), tools.fingerprint());
    let model = Scripted::replies([Reply::text("```sh\nls\n```"), Reply::text("done")]);
    let agent = builder(model).interpreter(polyloop::CodeFence::any()).executor(executor).build().unwrap();
    let mut run = support::start(&agent).await;
    let told = updates(&mut run).await;
    assert_eq!(observed(&told), ["The executor refused this action; it was not executed."]);
    let refused = told.iter().any(
        |update| matches!(update, Update::Observed { outcome, .. } if outcome.status == Status::NotExecuted),
    );
    assert!(refused);
}

/// Never gets far.
struct Broken;

impl<S: Send + Sync> Executor<S> for Broken {
    async fn execute(&self, _: &Action, _: &CallContext, _: &S) -> ActionOutcome {
        panic!("out of order");
    }
}

#[tokio::test]
async fn a_panic_of_an_own_executor_is_an_outcome() {
    let model = Scripted::replies([searching("a"), Reply::text("done")]);
    let agent = Agent::<Foreign>::builder(model.clone()).executor(Broken).build().unwrap();
    let report = agent.on(()).goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!((report.ending, report.actions), (Ending::FinalAnswer, 1));
    assert_eq!(model.requests()[1].messages().last().unwrap().text(), "panicked: out of order");
}

/// Does not even begin.
struct Stuck;

impl<S: Send + Sync> Executor<S> for Stuck {
    fn execute(&self, _: &Action, _: &CallContext, _: &S) -> impl Future<Output = ActionOutcome> + Send {
        assert!(Log::default().lines().len() > 1, "stuck");
        async { ActionOutcome::executed("done") }
    }
}

#[tokio::test]
async fn a_panic_before_the_future_is_an_outcome_as_well() {
    let model = Scripted::replies([searching("a"), Reply::text("done")]);
    let agent = Agent::<Foreign>::builder(model.clone()).executor(Stuck).build().unwrap();
    let report = agent.on(()).goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!((report.ending, report.actions), (Ending::FinalAnswer, 1));
    assert_eq!(model.requests()[1].messages().last().unwrap().text(), "panicked: stuck");
}

/// Breaks when it is let go.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(Log::default().lines().len() > 1, "boom");
    }
}

/// Never comes back, and breaks when it is let go.
#[tool(timeout = "5ms", replay = safe)]
async fn hang() -> String {
    let _bomb = Bomb;
    std::future::pending().await
}

registry! { struct Hanging { tools: [hang] } }

#[tokio::test]
async fn a_handler_that_panics_when_its_time_is_over_has_timed_out() {
    let model = Scripted::replies([Reply::tool("hang", ""), Reply::text("done")]);
    let agent = Agent::<Hanging>::builder(model.clone()).build().unwrap();
    let report = agent.on(()).goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!((report.ending, report.actions), (Ending::FinalAnswer, 1));
    assert_eq!(model.requests()[1].messages().last().unwrap().text(), "timed out after 5 ms");
}

#[test]
fn a_run_that_panicked_says_so_once_and_then_is_over() {
    let model = Scripted::by(|_| panic!("no model"));
    let agent = Agent::<Hanging>::builder(model).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut run = runtime.block_on(async { agent.on(()).goal("go").await.unwrap() });
    let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        runtime.block_on(async { while run.next().await.is_some() {} });
    }));
    assert!(polled.is_err());
    // What was told before was heard; now it says so, and is over.
    let mut rest = Vec::new();
    while let Some(update) = runtime.block_on(run.next()) {
        rest.push(update);
    }
    assert!(matches!(rest.as_slice(), [Err(RunError::Lost)]), "{rest:?}");
    assert_eq!(runtime.block_on(run.finish()), Err(RunError::Lost));
}
