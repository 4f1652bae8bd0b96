//! A budget of time: what counts as active, where it is recorded, and what it forbids.

use std::time::Duration;

use futures_util::FutureExt;
use polyloop::{
    Agent, AgentBuilder, Budget, Durability, Ending, Journal, JournalError, Lease, MemoryJournal, Model,
    ModelError, ModelErrorClass, Prompt, Record, Reply, Retries, Scripted, SessionId, Update, registry, tool,
};
use tokio::time::{Instant, advance, sleep};

use crate::support::payloads;

/// Works for a while.
#[tool(replay = safe)]
async fn work(
    /// How long, in milliseconds.
    millis: u64,
) -> String {
    sleep(Duration::from_millis(millis)).await;
    "worked".to_owned()
}

/// Works when a person agreed.
#[tool(approval)]
async fn agreed() -> String {
    "worked".to_owned()
}

/// Hands in the answer, after a while.
#[tool(completes_run)]
async fn submit(
    /// How long it takes, in milliseconds.
    millis: u64,
) -> String {
    sleep(Duration::from_millis(millis)).await;
    "answer".to_owned()
}

registry! { struct App { tools: [work, agreed, submit] } }

/// A model that takes ten milliseconds for each reply.
struct Slow(Scripted);

impl Model for Slow {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        sleep(Duration::from_millis(10)).await;
        self.0.ask(prompt).await
    }
}

fn slow(replies: Vec<Reply>) -> Slow {
    Slow(Scripted::replies(replies))
}

fn builder(replies: Vec<Reply>, journal: &MemoryJournal) -> AgentBuilder<App> {
    Agent::<App>::builder(slow(replies)).journal(journal.clone())
}

fn millis(millis: u64) -> Budget {
    Budget::default().time(Duration::from_millis(millis))
}

fn works(millis: u64) -> Reply {
    Reply::tool("work", format!(r#"{{"millis":{millis}}}"#))
}

async fn run(replies: Vec<Reply>, budget: Budget) -> (Ending, usize, Vec<Record>) {
    let journal = MemoryJournal::new();
    let agent = builder(replies, &journal).budget(budget).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    let report = run.finish().await.unwrap();
    (report.ending, report.steps, journal.read(run.session_id(), 0).await.unwrap())
}

/// The last time that was measured, in milliseconds.
async fn active(journal: &MemoryJournal, session: &SessionId) -> u64 {
    let records = journal.read(session, 0).await.unwrap();
    payloads(&records, "stop.checked").last().unwrap()["measured"]["active_millis"].as_u64().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_after_the_step_in_which_its_time_is_up() {
    let (ending, steps, _) = run(vec![works(40), works(49), Reply::text("never")], millis(100)).await;
    assert_eq!((ending, steps), (Ending::TimeUsedUp, 2), "10 + 40 + 10 + 49 is over");
    let (ending, steps, _) = run(vec![works(40), works(40), Reply::text("never")], millis(100)).await;
    assert_eq!((ending, steps), (Ending::TimeUsedUp, 2), "exactly the time is up");
    let (ending, ..) = run(vec![works(40), works(39), Reply::text("done")], millis(100)).await;
    assert_eq!(ending, Ending::FinalAnswer, "one millisecond was left to ask in");
}

#[tokio::test(start_paused = true)]
async fn the_clock_cuts_off_nothing_and_a_run_that_completes_over_its_time_is_completed() {
    let submit = Reply::tool("submit", r#"{"millis":500}"#);
    let (ending, ..) = run(vec![submit], millis(100)).await;
    assert_eq!(ending, Ending::ToolCompleted { tool: "submit".to_owned() });
    // All calls of a decision are begun: the time is looked at between steps.
    let two = works(500).call("work", r#"{"millis":500}"#);
    let (ending, _, records) = run(vec![two], millis(100)).await;
    assert_eq!(ending, Ending::TimeUsedUp);
    assert_eq!(payloads(&records, "action.outcome").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn no_request_is_sent_where_there_is_no_time() {
    let (ending, steps, records) = run(vec![Reply::text("done")], millis(0)).await;
    assert_eq!((ending, steps), (Ending::TimeUsedUp, 0));
    assert!(payloads(&records, "prompt.sealed").is_empty());
    let checked = payloads(&records, "stop.checked");
    assert_eq!(checked[0]["matches"].to_string(), r#"[{"reason":"time_used_up"}]"#);
}

#[tokio::test(start_paused = true)]
async fn time_goes_before_the_size_of_the_next_request() {
    let budget = millis(0).prompt_chars(1);
    let (ending, _, records) = run(vec![Reply::text("done")], budget).await;
    assert_eq!(ending, Ending::TimeUsedUp);
    let checked = payloads(&records, "stop.checked");
    let matches = checked[0]["matches"].as_array().unwrap();
    assert_eq!(matches[1]["reason"], "context_overflow", "and both are recorded");
    assert!(payloads(&records, "prompt.refused").is_empty(), "it was not what ended the run");
}

#[tokio::test(start_paused = true)]
async fn the_active_time_is_recorded_with_each_commit_and_adds_up() {
    let (_, _, records) = run(vec![works(40), Reply::text("done")], millis(1_000)).await;
    let marks: Vec<u64> =
        payloads(&records, "clock.marked").iter().map(|mark| mark["millis"].as_u64().unwrap()).collect();
    assert_eq!(marks, [10, 40, 10], "the first reply, the tool, the second reply");
    let kinds: Vec<&str> = records[5..].iter().map(|record| &*record.kind).collect();
    assert_eq!(
        kinds,
        [
            "prompt.sealed",
            "model.replied",
            "decision",
            "action.intent",
            "clock.marked",
            "action.outcome",
            "clock.marked",
            "stop.checked",
            "prompt.sealed",
            "model.replied",
            "decision",
            "clock.marked",
            "stop.checked",
            "run.ended",
        ]
    );
    let checked = payloads(&records, "stop.checked");
    assert_eq!(checked.last().unwrap()["measured"]["active_millis"], 60);
}

#[tokio::test(start_paused = true)]
async fn without_a_time_in_the_budget_nothing_is_measured() {
    let (ending, _, records) = run(vec![works(40), Reply::text("done")], Budget::default()).await;
    assert_eq!(ending, Ending::FinalAnswer);
    assert!(payloads(&records, "clock.marked").is_empty());
    assert_eq!(payloads(&records, "stop.checked").last().unwrap()["measured"]["active_millis"], 0);
}

#[tokio::test(start_paused = true)]
async fn less_than_a_millisecond_is_not_lost() {
    let journal = MemoryJournal::new();
    let nope = || Reply::tool("nope", "");
    let model = Scripted::replies([nope(), nope(), Reply::text("done")]);
    let agent = Agent::<App>::builder(Uneven(model)).journal(journal.clone()).budget(millis(100));
    let mut run = agent.build().unwrap().on(()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(active(&journal, run.session_id()).await, 4, "three times 1.5 milliseconds");
}

/// A model that takes one and a half milliseconds, by the clock only.
struct Uneven(Scripted);

impl Model for Uneven {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        advance(Duration::from_micros(1_500)).await;
        self.0.ask(prompt).await
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_a_run_waits_for_a_person_does_not_count() {
    let journal = MemoryJournal::new();
    let replies = vec![Reply::tool("agreed", "{}"), Reply::text("done")];
    let agent = builder(replies, &journal).budget(millis(100)).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    sleep(Duration::from_secs(1)).await;
    let call = run.waiting()[0].id().clone();
    run.approve(&call).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    assert_eq!(active(&journal, run.session_id()).await, 20, "the two replies");
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let waits = records.iter().position(|record| record.kind == "run.suspended").unwrap();
    assert_eq!(records[waits + 1].kind, "approval.given", "nothing is measured while it waits");
}

#[tokio::test(start_paused = true)]
async fn the_time_between_two_processes_does_not_count_and_that_before_a_barrier_does() {
    let journal = MemoryJournal::new();
    let replies = || vec![works(500), Reply::text("done")];
    let agent = builder(replies(), &journal).budget(millis(1_000)).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    tokio::select! {
        _ = run.finish() => panic!("it works longer"),
        () = sleep(Duration::from_millis(210)) => {}
    }
    drop(run);
    sleep(Duration::from_mins(1)).await;
    let mut run = agent.resume((), session.clone()).await.unwrap();
    sleep(Duration::from_mins(1)).await;
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    // The reply and its barrier, nothing of the call that was interrupted, the call done again, the second reply.
    assert_eq!(active(&journal, &session).await, 10 + 500 + 10);
}

#[tokio::test(start_paused = true)]
async fn time_that_was_used_before_a_run_was_interrupted_stays_used() {
    let journal = MemoryJournal::new();
    let agent = builder(vec![works(95), works(0)], &journal).budget(millis(110)).build().unwrap();
    let mut run = agent.on(()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    tokio::select! {
        _ = run.finish() => panic!("the second reply takes longer"),
        () = sleep(Duration::from_millis(106)) => {}
    }
    drop(run);
    let agent = builder(vec![works(0)], &journal).budget(millis(110)).build().unwrap();
    let mut run = agent.resume((), session.clone()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.steps), (Ending::TimeUsedUp, 2));
    assert_eq!(active(&journal, &session).await, 115);
}

/// A model that fails, after ten milliseconds.
struct Fails;

impl Model for Fails {
    async fn ask(&self, _: &Prompt) -> Result<Reply, ModelError> {
        sleep(Duration::from_millis(10)).await;
        Err(ModelError::new(ModelErrorClass::Server, "told so"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_is_not_tried_again_where_no_time_is_left() {
    // The waits are 25 to 50 milliseconds, then 50 to 100.
    for (time, requests) in [(30, 1), (90, 2)] {
        let journal = MemoryJournal::new();
        let retries = Retries::times(3).first_wait(Duration::from_millis(50));
        let agent =
            Agent::<App>::builder(Fails).journal(journal.clone()).budget(millis(time)).retries(retries);
        let mut run = agent.build().unwrap().on(()).goal("go").await.unwrap();
        let report = run.finish().await.unwrap();
        assert_eq!((report.ending, report.requests, report.steps), (Ending::TimeUsedUp, requests, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn advice_that_is_longer_than_the_time_that_is_left_closes_the_step_and_ends_the_run() {
    let advice =
        ModelError::new(ModelErrorClass::RateLimited, "later").with_retry_after(Duration::from_hours(1));
    let model = Scripted::results([Err(advice), Ok(Reply::text("done"))]);
    let agent = Agent::<App>::builder(model).budget(millis(1_000)).build().unwrap();
    let begin = Instant::now();
    let mut run = agent.on(()).goal("go").await.unwrap();
    let mut waits = Vec::new();
    while let Some(update) = run.next().await {
        if let Update::Failed { again_in, .. } = update.unwrap() {
            waits.push(again_in);
        }
    }
    assert_eq!(waits, [None], "the step is closed");
    assert_eq!(run.report().ending, Ending::TimeUsedUp);
    assert_eq!((run.report().requests, begin.elapsed()), (1, Duration::ZERO), "waiting would change nothing");
}

/// A store that takes its time to say that it lost something.
#[derive(Clone, Default)]
struct Lags(MemoryJournal);

impl Journal for Lags {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.0.lease(session).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        self.0.append(lease, seq, records, durability).await
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.0.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.0.list().await
    }

    async fn watermark(&self, _: &SessionId) -> Result<u64, JournalError> {
        sleep(Duration::from_millis(10)).await;
        Ok(0)
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_measured_behind_what_ends_a_run() {
    let journal = Lags::default();
    let agent = Agent::<App>::builder(slow(vec![])).journal(journal.clone()).budget(millis(1_000));
    let mut run = agent.build().unwrap().on(()).goal("go").await.unwrap();
    run.finish().await.unwrap_err();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    assert_eq!(records.last().unwrap().kind, "run.faulted");
}

#[test]
fn a_run_with_a_budget_of_time_needs_no_runtime() {
    let agent = Agent::<App>::builder(Scripted::by(|_| Reply::text("done"))).budget(millis(60_000));
    let agent = agent.build().unwrap();
    let mut run = agent.on(()).goal("go").into_future().now_or_never().unwrap().unwrap();
    assert_eq!(run.finish().now_or_never().unwrap().unwrap().ending, Ending::FinalAnswer);

    let without_timer = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut run = without_timer.block_on(async { agent.on(()).goal("go").await }).unwrap();
    assert_eq!(without_timer.block_on(run.finish()).unwrap().ending, Ending::FinalAnswer);
}
