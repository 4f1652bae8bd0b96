//! Cancelling a run.

use std::sync::Mutex;

use polyloop::{
    Agent, CallContext, Ending, Model, ModelError, Prompt, Reply, RunHandle, Scripted, Update, registry, tool,
};

use crate::support::{self, builder, finish, last, observed, start, tallies, texts, updates};

/// Holds what cancels the run, for a handler.
#[derive(Default)]
struct Switch(Mutex<Option<RunHandle<App>>>);

impl Switch {
    fn press(&self) {
        self.0.lock().unwrap().as_ref().unwrap().cancel();
    }
}

/// Cancels the run in which it is called, and waits to hear of it.
#[tool]
async fn cancels(#[state] switch: &Switch, #[call] call: &CallContext) -> String {
    let before = call.is_cancelled();
    switch.press();
    call.cancelled().await;
    format!("{before} {}", call.is_cancelled())
}

/// Goes on.
#[tool]
async fn goes_on() -> String {
    "went on".to_owned()
}

/// Cancels, and completes.
#[tool(completes_run)]
async fn cancels_and_completes(#[state] switch: &Switch) -> String {
    switch.press();
    "complete".to_owned()
}

registry! { struct App { state: Switch, tools: [cancels, goes_on, cancels_and_completes] } }

async fn run_with(reply: Reply) -> (Vec<String>, Ending, usize) {
    let model = Scripted::replies([reply, Reply::text("done")]);
    let agent = Agent::<App>::builder(model.clone()).build().unwrap();
    let switch = std::sync::Arc::new(Switch::default());
    let mut run = agent.on(switch.clone()).goal("go").await.unwrap();
    *switch.0.lock().unwrap() = Some(run.handle());
    let shown = observed(&updates(&mut run).await);
    let report = finish(run).await;
    (shown, report.ending, model.requests().len())
}

#[tokio::test]
async fn the_current_action_has_its_outcome_and_nothing_new_starts() {
    let (shown, ending, requests) = run_with(Reply::tool("cancels", "").call("goes_on", "")).await;
    assert_eq!(shown, ["false true", "not executed: the run was cancelled"]);
    assert_eq!((ending, requests), (Ending::Cancelled, 1));
}

#[tokio::test]
async fn cancelled_goes_before_every_other_ending() {
    let (shown, ending, _) = run_with(Reply::tool("cancels_and_completes", "")).await;
    assert_eq!((shown[0].as_str(), ending), ("complete", Ending::Cancelled));
}

#[tokio::test]
async fn a_run_that_is_cancelled_before_it_is_polled_sends_nothing() {
    let model = Scripted::replies([Reply::text("done")]);
    let run = start(&builder(model.clone()).build().unwrap()).await;
    run.handle().cancel();
    let report = finish(run).await;
    assert_eq!((report.ending, report.requests, report.steps), (Ending::Cancelled, 0, 0));
    assert!(model.requests().is_empty());
}

/// Cancels while it is asked.
struct Cancelling(Mutex<Option<RunHandle<support::App>>>, Reply);

impl Model for Cancelling {
    async fn ask(&self, _: &Prompt) -> Result<Reply, ModelError> {
        self.0.lock().unwrap().as_ref().unwrap().cancel();
        Ok(self.1.clone())
    }
}

#[tokio::test]
async fn a_reply_that_comes_after_cancelling_is_kept_and_its_calls_are_refused() {
    let reply = Reply::text("I will write.").call("tally", r#"{"line":"a"}"#);
    let model = std::sync::Arc::new(Cancelling(Mutex::default(), reply));
    let agent = builder(model.clone()).build().unwrap();
    let mut run = start(&agent).await;
    *model.0.lock().unwrap() = Some(run.handle());
    let told = updates(&mut run).await;
    assert_eq!(observed(&told), ["not executed: the run was cancelled"]);
    assert!(matches!(told.last(), Some(Update::Ended { ending: Ending::Cancelled })));
    let items: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(items, ["go", "I will write.", "not executed: the run was cancelled", CANCELLED]);
}

#[tokio::test]
async fn cancelling_a_run_that_has_ended_changes_nothing() {
    let model = Scripted::replies([tallies(["a"]), Reply::text("done")]);
    let mut run = start(&builder(model.clone()).build().unwrap()).await;
    let before = run.finish().await.unwrap();
    run.handle().cancel();
    assert_eq!(run.finish().await.unwrap(), before);
    assert_eq!(texts(&last(&model)).len(), 3);
}

/// Does what a person must agree to.
#[tool(approval)]
async fn risky() -> String {
    "done".to_owned()
}

registry! { struct Careful { tools: [risky] } }

#[tokio::test]
async fn cancelling_ends_a_run_that_waits_for_a_person() {
    let model = Scripted::replies([Reply::tool("risky", ""), Reply::text("done")]);
    let agent = Agent::<Careful>::builder(model).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    run.handle().cancel();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.actions), (Ending::Cancelled, 0));
    assert!(run.waiting().is_empty());
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
}

/// Never comes back, and may be repeated.
#[tool(replay = safe)]
async fn waits_safely() -> String {
    std::future::pending().await
}

/// Never comes back, and may not be repeated.
#[tool]
async fn waits() -> String {
    std::future::pending().await
}

/// Never comes back, beside others.
#[tool(concurrent)]
async fn waits_beside() -> String {
    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let _held = PanicsWhenDropped;
    std::future::pending().await
}

/// Comes back at once, beside others.
#[tool(concurrent)]
async fn at_once() -> String {
    "done".to_owned()
}

registry! { struct Stuck { tools: [waits_safely, waits, waits_beside, at_once] } }

const CANCELLED: &str = "This turn was cancelled; go on with it only if you are asked to.";
const UNKNOWN: &str = "It is not known whether this action took effect; check before repeating it.";

/// What is observed where a run is dropped once all that can is done; and what a run that follows it is shown.
async fn dropped(calls: &[&str]) -> (Vec<String>, Vec<String>) {
    let reply = calls.iter().fold(Reply::default(), |reply, call| reply.call(*call, "{}"));
    let model = Scripted::replies([reply, Reply::text("on")]);
    let agent = Agent::<Stuck>::builder(model.clone()).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    let mut told = Vec::new();
    loop {
        told.push(run.next().await.unwrap().unwrap());
        let begun = told.iter().filter(|update| matches!(update, Update::Called { .. })).count();
        if begun == calls.len() || matches!(calls[0], "waits" | "waits_safely") && begun == 1 {
            break;
        }
    }
    run.handle().cancel_now();
    told.extend(updates(&mut run).await);
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    run.follow_up().goal("and now?").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "on");
    (observed(&told), texts(&last(&model)))
}

#[tokio::test]
async fn of_a_call_that_is_dropped_and_may_not_be_repeated_the_outcome_is_unknown() {
    let (observed, told) = dropped(&["waits", "waits_safely"]).await;
    assert_eq!(observed, [UNKNOWN, "not executed: the run was cancelled"]);
    assert_eq!(told[2..], [UNKNOWN, "not executed: the run was cancelled", CANCELLED, "and now?"]);
}

#[tokio::test]
async fn a_call_that_is_dropped_and_may_be_repeated_is_not_executed() {
    let (observed, _) = dropped(&["waits_safely"]).await;
    assert_eq!(observed, ["not executed: the run was cancelled while it was under way"]);
}

#[tokio::test]
async fn of_a_batch_that_is_dropped_what_is_done_stays_done_also_where_dropping_panics() {
    let (observed, told) = dropped(&["waits_beside", "at_once"]).await;
    assert_eq!(observed, ["done", UNKNOWN]);
    assert_eq!(told[2..4], [UNKNOWN, "done"], "in the order of the calls");
}

/// Never replies.
struct Silent;

impl Model for Silent {
    async fn ask(&self, _: &Prompt) -> Result<Reply, ModelError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_request_is_dropped_by_cancelling_now() {
    let agent = Agent::<Stuck>::builder(Silent).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    run.next().await.unwrap().unwrap();
    run.handle().cancel();
    assert!(futures_util::FutureExt::now_or_never(run.next()).is_none(), "the reply is waited for");
    run.handle().cancel_now();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
}
