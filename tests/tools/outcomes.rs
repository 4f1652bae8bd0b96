//! The table of outcomes: what happened, what is recorded, what the model sees, what counts, and whether the run goes on.

use std::collections::BTreeMap;
use std::future::pending;
use std::panic::panic_any;

use polyloop::{
    ActionOutcome, Agent, Budget, CodeFence, Content, Ending, Json, Reply, Report, Run, Scripted, Status,
    Texts, ToolError, Update, registry, tool,
};

/// Returns a value.
#[tool]
async fn value() -> String {
    "a value".to_owned()
}

/// Fails with a text.
#[tool]
async fn fails() -> Result<String, String> {
    Err("no row".to_owned())
}

/// Fails with an error of the standard library.
#[tool]
async fn fails_io() -> Result<String, std::io::Error> {
    Err(std::io::Error::other("disk full"))
}

/// Fails with a report.
#[tool]
async fn fails_anyhow() -> anyhow::Result<String> {
    Err(anyhow::anyhow!("inner").context("outer"))
}

/// Fails with a box.
#[tool]
async fn fails_box() -> Result<String, Box<dyn std::error::Error>> {
    Err("boxed".into())
}

/// Fails with the environment.
#[tool]
async fn environment() -> Result<String, ToolError> {
    Err(ToolError::Environment("the machine is gone".to_owned()))
}

/// Loses sight of what it did.
#[tool]
async fn lost() -> Result<String, ToolError> {
    Err(ToolError::Unknown("no answer".to_owned()))
}

/// Loses sight of what may be done again.
#[tool(replay = safe)]
async fn lost_safe() -> Result<String, ToolError> {
    Err(ToolError::Unknown("no answer".to_owned()))
}

/// Panics with a formatted text.
#[tool]
async fn panics_string(
    /// What with.
    text: String,
) -> String {
    panic!("broke: {text}")
}

/// Panics with a fixed text.
#[tool]
async fn panics_str() -> String {
    panic!("broke")
}

/// Panics with something else.
#[tool]
async fn panics_other() -> String {
    panic_any(42_u8)
}

/// Panics behind an await.
#[tool]
async fn panics_late() -> String {
    tokio::task::yield_now().await;
    panic!("late")
}

/// Takes too long, and may be repeated.
#[tool(timeout = "20ms", replay = safe)]
async fn slow_safe() -> String {
    pending().await
}

/// Takes too long, and may not be repeated.
#[tool(timeout = "20ms")]
async fn slow_never() -> String {
    pending().await
}

/// Takes whole seconds.
#[tool(timeout = "1s", replay = safe)]
async fn slow_second() -> String {
    pending().await
}

/// Returns in time.
#[tool(timeout = "30s")]
async fn quick() -> String {
    "in time".to_owned()
}

/// Returns what cannot be serialised.
#[tool]
async fn unserializable() -> Json<BTreeMap<Vec<u8>, u8>> {
    Json(BTreeMap::from([(vec![1], 2)]))
}

/// Needs a person.
#[tool(approval)]
async fn dangerous() -> String {
    "did it".to_owned()
}

/// Completes the run, if it can.
#[tool(completes_run)]
async fn submit(
    /// Whether it can.
    good: bool,
) -> Result<String, String> {
    if good { Ok("the answer".to_owned()) } else { Err("not yet".to_owned()) }
}

registry! {
    struct App {
        tools: [
            value, fails, fails_io, fails_anyhow, fails_box, environment, lost, lost_safe, panics_string, panics_str, panics_other,
            panics_late, slow_safe, slow_never, slow_second, quick, unserializable, dangerous, submit,
        ],
    }
}

/// One row of the table.
struct Row {
    call: (&'static str, &'static str),
    status: Status,
    is_error: bool,
    synthetic: bool,
    /// What is recorded for the audit.
    observation: &'static str,
    /// What the model sees.
    shown: &'static str,
    /// Whether it counts as an action.
    counts: bool,
}

const ENVIRONMENT: &str = "The environment failed; the action did not take effect.";
const UNKNOWN: &str = "It is not known whether this action took effect; check before repeating it.";
const DENIED: &str = "A person refused this action; it was not executed.";

/// A row of a call that was executed: the model sees what is recorded.
const fn executed(name: &'static str, is_error: bool, text: &'static str) -> Row {
    Row {
        call: (name, ""),
        status: Status::Executed,
        is_error,
        synthetic: false,
        observation: text,
        shown: text,
        counts: true,
    }
}

/// A row of a call that never started.
const fn refused(call: (&'static str, &'static str), observation: &'static str, shown: &'static str) -> Row {
    Row {
        call,
        status: Status::NotExecuted,
        is_error: true,
        synthetic: true,
        observation,
        shown,
        counts: false,
    }
}

const TABLE: &[Row] = &[
    executed("value", false, "a value"),
    executed("quick", false, "in time"),
    executed("fails", true, "error: no row"),
    executed("fails_io", true, "Error: disk full"),
    executed("fails_anyhow", true, "error: outer"),
    executed("fails_box", true, "error: boxed"),
    executed("unserializable", true, "error: key must be a string"),
    executed("panics_str", true, "panicked: broke"),
    executed("panics_other", true, "panicked"),
    executed("panics_late", true, "panicked: late"),
    Row { call: ("panics_string", r#"{"text":"x"}"#), ..executed("", true, "panicked: broke: x") },
    Row { call: ("submit", r#"{"good":false}"#), ..executed("", true, "error: not yet") },
    executed("slow_safe", true, "timed out after 20 ms"),
    executed("slow_second", true, "timed out after 1 s"),
    executed("lost_safe", true, "no answer"),
    Row { status: Status::Unknown, shown: UNKNOWN, ..executed("lost", true, "no answer") },
    Row { status: Status::Unknown, shown: UNKNOWN, ..executed("slow_never", true, "timed out after 20 ms") },
    Row {
        status: Status::EnvironmentError,
        shown: ENVIRONMENT,
        counts: false,
        ..executed("environment", true, "the machine is gone")
    },
    refused(
        ("valeu", ""),
        "there is no tool `valeu`; did you mean `value`?",
        "not executed: there is no tool `valeu`; did you mean `value`?",
    ),
    refused(
        ("panics_string", ""),
        "invalid arguments for `panics_string`: argument `text` is missing",
        "not executed: invalid arguments for `panics_string`: argument `text` is missing",
    ),
    refused(
        ("value", "no JSON"),
        "invalid arguments for `value`: arguments must be a JSON object, and these are not JSON",
        "not executed: invalid arguments for `value`: arguments must be a JSON object, and these are not JSON",
    ),
    refused(("dangerous", ""), DENIED, DENIED),
];

/// Goes on to the end, refusing whatever a person is asked; the outcomes with what the model sees.
async fn outcomes(run: &mut Run<App>) -> (Vec<(ActionOutcome, String)>, Report) {
    let mut outcomes = Vec::new();
    loop {
        while let Some(update) = run.next().await {
            if let Update::Observed { outcome, shown, .. } = update.unwrap() {
                outcomes.push((outcome, shown));
            }
        }
        let waiting = run.waiting();
        for call in &waiting {
            run.deny(call.id()).await.unwrap();
        }
        if waiting.is_empty() {
            return (outcomes, run.finish().await.unwrap());
        }
    }
}

#[tokio::test]
async fn every_row_of_the_table_holds() {
    for row in TABLE {
        let (name, arguments) = row.call;
        let model = Scripted::replies([Reply::tool(name, arguments), Reply::text("done")]);
        let agent = Agent::<App>::builder(model.clone()).build().unwrap();
        let mut run = agent.on(()).goal("go").await.unwrap();
        let (outcomes, report) = outcomes(&mut run).await;
        let [(outcome, shown)] = outcomes.as_slice() else { panic!("{name}: {outcomes:?}") };
        assert_eq!(outcome.status, row.status, "{name}");
        assert_eq!(outcome.is_error, row.is_error, "{name}");
        assert_eq!(outcome.observation_is_synthetic, row.synthetic, "{name}");
        assert_eq!(outcome.observation.parts().concat(), row.observation, "{name}");
        assert_eq!(outcome.observation_truncated_chars, 0, "{name}");
        assert!(!outcome.env_reported_completion, "{name}");
        assert_eq!(shown, row.shown, "{name}");
        assert_eq!(report.actions, usize::from(row.counts), "{name}");
        assert_eq!(report.steps, 2, "{name}: every row spends a step, and the answer another");
        assert_eq!(report.ending, Ending::FinalAnswer, "{name}: no row ends the run");
        assert!(!report.tool_completed && !report.environment_completed, "{name}");
        let requests = model.requests();
        assert_eq!(requests.len(), 2, "{name}: nothing is tried again");
        let results: Vec<String> = requests[1]
            .messages()
            .flat_map(|message| message.blocks().to_vec())
            .filter_map(|block| match block.content() {
                Content::ToolResult { parts, .. } => Some(parts.concat()),
                _ => None,
            })
            .collect();
        assert_eq!(results, [row.shown], "{name}: exactly one result for the call");
    }
}

#[tokio::test]
async fn a_completing_tool_ends_the_run_and_another_one_does_not() {
    let model = Scripted::replies([Reply::tool("submit", r#"{"good":true}"#)]);
    let agent = Agent::<App>::builder(model).build().unwrap();
    let report = agent.on(()).goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!(report.ending, Ending::ToolCompleted { tool: "submit".into() });
    assert_eq!(report.answer.as_deref(), Some("the answer"));
    assert!(report.tool_completed && !report.environment_completed);
}

#[tokio::test]
async fn a_panic_fails_its_call_alone_and_tells_no_location() {
    let reply = Reply::default().call("value", "").call("panics_str", "").call("value", "");
    let model = Scripted::replies([reply, Reply::text("done")]);
    let agent = Agent::<App>::builder(model).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    let (outcomes, report) = outcomes(&mut run).await;
    let shown: Vec<&str> = outcomes.iter().map(|(_, shown)| shown.as_str()).collect();
    assert_eq!(shown, ["a value", "panicked: broke", "a value"]);
    assert!(!shown[1].contains(".rs") && !shown[1].contains("outcomes"));
    assert_eq!((report.actions, report.answer.as_deref()), (3, Some("done")));
}

#[tokio::test]
async fn an_action_that_is_no_call_is_not_executed() {
    let model = Scripted::replies([Reply::text("```sh\nls\n```"), Reply::text("done")]);
    let agent = Agent::<App>::builder(model.clone()).interpreter(CodeFence::any()).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    let (outcomes, report) = outcomes(&mut run).await;
    let [(outcome, shown)] = outcomes.as_slice() else { panic!("{outcomes:?}") };
    assert_eq!((outcome.status, outcome.observation_is_synthetic), (Status::NotExecuted, true));
    assert_eq!(outcome.observation.parts().concat(), "there is no tool call in the action");
    assert_eq!(shown, "not executed: there is no tool call in the action");
    assert_eq!((report.actions, report.steps), (0, 2));
}

#[tokio::test]
async fn the_fixed_texts_belong_to_the_definition() {
    let mut texts = Texts::default();
    "No: {reason}.".clone_into(&mut texts.not_executed);
    "Gone {observation}".clone_into(&mut texts.environment_error);
    "Who knows.".clone_into(&mut texts.unknown);
    "Denied.".clone_into(&mut texts.denied);
    "Silence.".clone_into(&mut texts.empty_observation);
    let expected = [
        ("nope", "No: there is no tool `nope`."),
        ("environment", "Gone {observation}"),
        ("slow_never", "Who knows."),
        ("dangerous", "Denied."),
    ];
    for (name, text) in expected {
        let model = Scripted::replies([Reply::tool(name, ""), Reply::text("done")]);
        let agent = Agent::<App>::builder(model).texts(texts.clone()).build().unwrap();
        let mut run = agent.on(()).goal("go").await.unwrap();
        let (outcomes, _) = outcomes(&mut run).await;
        assert_eq!(outcomes[0].1, text);
    }
}

#[tokio::test]
async fn a_broken_tool_spends_its_budget() {
    let model = Scripted::by(|_| Reply::tool("fails", ""));
    let agent = Agent::<App>::builder(model).budget(Budget::steps(9).actions(4)).build().unwrap();
    let report = agent.on(()).goal("go").await.unwrap().finish().await.unwrap();
    assert_eq!((report.ending, report.actions, report.steps), (Ending::ActionsUsedUp, 4, 4));
}
