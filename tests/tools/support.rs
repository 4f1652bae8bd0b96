//! Calls one tool through a whole run, and looks at schemas.

use polyloop::{ActionOutcome, Agent, CallError, Dialect, Ending, Registry, Reply, Report, Scripted, Update};
use serde_json::Value;

/// What one call left behind.
pub(crate) struct Called {
    pub(crate) outcome: ActionOutcome,
    /// What the model is told.
    pub(crate) shown: String,
    pub(crate) report: Report,
    /// What handlers reported on the way.
    pub(crate) progress: Vec<String>,
}

/// Runs one call of a native tool, and lets the model answer behind it.
pub(crate) async fn call_with<R: Registry>(state: R::State, name: &str, arguments: &str) -> Called {
    let model = Scripted::replies([Reply::tool(name, arguments), Reply::text("done")]);
    let agent = Agent::<R>::builder(model.clone()).build().unwrap();
    let mut run = agent.on(state).goal("go").await.unwrap();
    let mut outcomes = Vec::new();
    let mut progress = Vec::new();
    while let Some(update) = run.next().await {
        match update.unwrap() {
            Update::Observed { outcome, shown, .. } => outcomes.push((outcome, shown)),
            Update::Progress { text, .. } => progress.push(text),
            _ => {}
        }
    }
    let report = run.finish().await.unwrap();
    assert!(!matches!(report.ending, Ending::ModelFailure { .. }), "a strict provider refused: {report}");
    assert_eq!(outcomes.len(), 1, "exactly one result per call");
    let (outcome, shown) = outcomes.remove(0);
    if report.ending == Ending::FinalAnswer {
        let last = model.requests().pop().unwrap();
        let told = last.messages().next_back().unwrap().text();
        assert_eq!(told, shown, "what is told to the host is what the model sees");
    }
    Called { outcome, shown, report, progress }
}

/// Runs one call of a tool that borrows no state.
pub(crate) async fn call<R: Registry<State = ()>>(name: &str, arguments: &str) -> Called {
    call_with::<R>((), name, arguments).await
}

/// What the model is told of one call.
pub(crate) async fn told<R: Registry<State = ()>>(name: &str, arguments: &str) -> String {
    call::<R>(name, arguments).await.shown
}

/// Why a call is refused; nothing runs.
pub(crate) fn refusal<R: Registry>(name: &str, arguments: &str) -> CallError {
    R::tools().unwrap().validate(name, arguments).expect_err("the call must be refused")
}

/// The paths of everything that is wrong with a call.
pub(crate) fn wrong_paths<R: Registry>(name: &str, arguments: &str) -> Vec<String> {
    match refusal::<R>(name, arguments) {
        CallError::InvalidArguments { errors, .. } => {
            errors.iter().map(|error| error.path().to_owned()).collect()
        }
        other => panic!("{other}"),
    }
}

/// Whether a call's arguments are taken; nothing runs.
pub(crate) fn takes<R: Registry>(name: &str, arguments: &str) -> bool {
    R::tools().unwrap().validate(name, arguments).is_ok()
}

/// The canonical schema of a tool, as text.
pub(crate) fn schema<R: Registry>(name: &str) -> String {
    R::tools().unwrap().schema(name, Dialect::Canonical).unwrap().into_owned()
}

/// The canonical schema of one argument, as text in the order in which it is written.
pub(crate) fn property<R: Registry>(tool: &str, name: &str) -> String {
    let schema: Value = serde_json::from_str(&schema::<R>(tool)).unwrap();
    schema["properties"].get(name).unwrap().to_string()
}

/// The names of the required arguments.
pub(crate) fn required<R: Registry>(tool: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(&schema::<R>(tool)).unwrap();
    serde_json::from_value(schema["required"].clone()).unwrap()
}
