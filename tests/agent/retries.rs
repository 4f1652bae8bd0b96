//! A failed request is sent again within its step, after a wait.

use std::time::Duration;

use futures_util::FutureExt;
use polyloop::{
    Budget, Ending, Finish, Journal, MemoryJournal, ModelError, ModelErrorClass, Reply, Report, Retries, Run,
    Scripted, Update,
};
use serde_json::Value;

use crate::support::{App, builder, failure, last, run, start, texts, updates};

type Replied = Result<Reply, ModelError>;

#[expect(clippy::unnecessary_wraps, reason = "it stands in a list beside failures")]
fn done() -> Replied {
    Ok(Reply::text("done"))
}

fn server() -> Replied {
    failure(ModelErrorClass::Server)
}

fn advising(wait: Duration) -> Replied {
    Err(ModelError::new(ModelErrorClass::RateLimited, "later").with_retry_after(wait))
}

async fn report(model: Scripted, budget: Budget) -> Report {
    run(&builder(model).budget(budget).build().unwrap()).await
}

/// What was told of each failure: whether the model is asked again, and after how long.
fn waits(updates: &[Update]) -> Vec<Option<Duration>> {
    let wait = |update: &Update| match update {
        Update::Failed { again_in, .. } => Some(*again_in),
        _ => None,
    };
    updates.iter().filter_map(wait).collect()
}

#[tokio::test(start_paused = true)]
async fn a_failed_request_is_sent_again_within_its_step() {
    use ModelErrorClass::{ContentRefused, Overloaded, Protocol, RateLimited, Server, Timeout, Transport};
    for class in [Transport, Timeout, RateLimited, Overloaded, Server, Protocol, ContentRefused] {
        let model = Scripted::results([failure(class), failure(class), failure(class), done()]);
        let report = report(model.clone(), Budget::steps(1)).await;
        assert_eq!((report.ending, report.steps, report.requests), (Ending::FinalAnswer, 1, 4), "{class}");
        assert!(model.requests().iter().all(|request| texts(request) == ["go"]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_step_that_stays_failed_counts_as_one_failure() {
    let model = Scripted::results((0..8).map(|_| server()));
    let report = report(model.clone(), Budget::steps(9).model_failures(2)).await;
    assert!(matches!(report.ending, Ending::ModelFailure { .. }), "{report}");
    assert_eq!((report.steps, report.requests), (2, 8));
    assert_eq!(texts(&last(&model)), ["go", "(no reply)", "The model gave no reply; go on."]);
}

#[tokio::test(start_paused = true)]
async fn each_step_has_all_its_retries() {
    let call = || Ok(Reply::tool("nope", "{}"));
    let failures = || [server(), server(), server()];
    let script = failures().into_iter().chain([call()]).chain(failures()).chain([done()]);
    let report = report(Scripted::results(script), Budget::steps(2)).await;
    assert_eq!((report.ending, report.steps, report.requests), (Ending::FinalAnswer, 2, 8));
}

#[tokio::test]
async fn what_asking_again_does_not_mend_is_not_tried_again() {
    use ModelErrorClass::{Authorisation, BadRequest, ContextTooLong};
    for class in [ContextTooLong, BadRequest, Authorisation] {
        let report = report(Scripted::results([failure(class), done()]), Budget::steps(9)).await;
        assert_eq!(report.ending, Ending::ModelFailure { message: format!("{class}: told so") });
        assert_eq!((report.steps, report.requests), (1, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_is_told_how_long_a_run_waits_and_whether_the_step_is_closed() {
    let model = Scripted::results([server(), server(), advising(Duration::from_mins(5)), server(), done()]);
    let begin = tokio::time::Instant::now();
    let mut run = start(&builder(model).build().unwrap()).await;
    let waits = waits(&updates(&mut run).await);
    let [Some(first), Some(second), Some(advised), None] = waits[..] else { panic!("{waits:?}") };
    assert!(first <= Duration::from_secs(1) && second <= Duration::from_secs(2));
    assert!(first >= Duration::from_millis(500) && second >= Duration::from_secs(1));
    assert_eq!(advised, Duration::from_mins(5), "the provider's advice, also where it is longer");
    // The clock is the runtime's own, and goes on only while all wait.
    assert!(begin.elapsed() >= first + second + advised);
}

#[tokio::test(start_paused = true)]
async fn after_a_step_that_a_rate_limit_closed_the_next_one_waits_as_well() {
    let waited = async |failed: Replied| {
        let model = Scripted::results([failed, done()]);
        let agent = builder(model).retries(Retries::none()).build().unwrap();
        let begin = tokio::time::Instant::now();
        let report = run(&agent).await;
        assert_eq!((report.ending, report.steps, report.requests), (Ending::FinalAnswer, 2, 2));
        begin.elapsed()
    };
    let backed_off = waited(failure(ModelErrorClass::RateLimited)).await;
    assert!(backed_off >= Duration::from_millis(500) && backed_off <= Duration::from_millis(1_001));
    let advised = waited(advising(Duration::from_secs(7))).await;
    assert!(advised >= Duration::from_secs(7) && advised <= Duration::from_millis(7_001));
    assert_eq!(waited(server()).await, Duration::ZERO, "nobody asked for fewer requests");
}

#[tokio::test(start_paused = true)]
async fn no_run_waits_only_to_end() {
    let model = Scripted::results([advising(Duration::from_hours(1)), advising(Duration::from_hours(1))]);
    let budget = Budget::steps(9).model_failures(2);
    let retries = Retries::none().longest_advice(Duration::from_hours(1));
    let agent = builder(model).budget(budget).retries(retries).build().unwrap();
    let begin = tokio::time::Instant::now();
    assert!(matches!(run(&agent).await.ending, Ending::ModelFailure { .. }));
    assert_eq!(begin.elapsed().as_secs(), 3_600, "once, between the two");
}

#[tokio::test(start_paused = true)]
async fn advice_beyond_the_limit_closes_the_step_and_is_recorded() {
    let journal = MemoryJournal::new();
    let model = Scripted::results([advising(Duration::from_hours(24)), done()]);
    let agent = builder(model).journal(journal.clone()).build().unwrap();
    let begin = tokio::time::Instant::now();
    let mut run = start(&agent).await;
    assert_eq!(waits(&updates(&mut run).await), [None]);
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.steps, report.requests), (Ending::FinalAnswer, 2, 2));
    assert_eq!(begin.elapsed().as_secs(), 300, "the next step waits as long as is allowed");
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let failed = records.iter().find(|record| record.kind == "model.failed").unwrap();
    let failed: Value = serde_json::from_str(&failed.payload).unwrap();
    assert_eq!(failed["error"]["retry_after"]["secs"], 86_400);
    assert!(failed["closing"].is_object());
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_always_advises_to_wait_for_ever_holds_no_run() {
    let model = Scripted::results((0..9).map(|_| advising(Duration::MAX)));
    let agent = builder(model).budget(Budget::steps(9)).build().unwrap();
    let begin = tokio::time::Instant::now();
    let report = run(&agent).await;
    assert!(matches!(report.ending, Ending::ModelFailure { .. }), "{report}");
    assert_eq!((report.steps, report.requests, begin.elapsed().as_secs()), (3, 3, 600));
}

#[tokio::test(start_paused = true)]
async fn advice_beyond_the_time_of_the_budget_ends_the_run_at_once() {
    for retries in [Retries::default(), Retries::none()] {
        let model = Scripted::results([advising(Duration::from_mins(2)), done()]);
        let budget = Budget::steps(9).time(Duration::from_mins(1));
        let agent = builder(model).budget(budget).retries(retries).build().unwrap();
        let begin = tokio::time::Instant::now();
        let report = run(&agent).await;
        assert_eq!((report.ending, report.steps, report.requests), (Ending::TimeUsedUp, 1, 1));
        assert_eq!(begin.elapsed(), Duration::ZERO, "nothing could be asked afterwards");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_reply_is_tried_again_and_is_never_a_message() {
    let model = Scripted::replies([Reply::text(""), Reply::text(" "), Reply::text("x")]);
    let report = report(model.clone(), Budget::steps(1)).await;
    assert_eq!((report.answer.as_deref(), report.steps, report.requests), (Some("x"), 1, 3));
    assert!(model.requests().iter().all(|request| texts(request) == ["go"]));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_a_filter_cut_is_a_failure_and_never_an_answer() {
    let filtered = || Reply::text("Half a sen").finished(Finish::ContentFilter);
    let calling = filtered().call("tally", r#"{"line":"a"}"#);
    let model = Scripted::replies([filtered(), calling, Reply::text("x")]);
    let mut run = start(&builder(model.clone()).build().unwrap()).await;
    let told = updates(&mut run).await;
    let mut classes = Vec::new();
    for update in &told {
        if let Update::Failed { error, .. } = update {
            classes.push(error.class());
        }
    }
    assert_eq!(classes, [ModelErrorClass::ContentRefused; 2]);
    let report = run.finish().await.unwrap();
    assert_eq!((report.answer.as_deref(), report.steps, report.actions), (Some("x"), 1, 0));
    assert!(model.requests().iter().all(|request| texts(request) == ["go"]));
}

/// A run that the provider advised to wait.
async fn waiting_for_an_hour(journal: &MemoryJournal) -> Run<App> {
    let model = Scripted::results([advising(Duration::from_hours(1)), done()]);
    let retries = Retries::default().longest_advice(Duration::from_hours(1));
    let agent = builder(model).retries(retries).journal(journal.clone()).build().unwrap();
    let mut run = start(&agent).await;
    while !matches!(run.next().await.unwrap().unwrap(), Update::Failed { .. }) {}
    assert!(run.next().now_or_never().is_none(), "it waits");
    run
}

#[tokio::test]
async fn cancelling_ends_a_wait() {
    let mut run = waiting_for_an_hour(&MemoryJournal::new()).await;
    run.handle().cancel();
    let report = tokio::time::timeout(Duration::from_mins(1), run.finish()).await.unwrap().unwrap();
    assert_eq!((report.ending, report.requests), (Ending::Cancelled, 1));
}

#[tokio::test]
async fn a_run_that_was_killed_while_it_waited_asks_again_and_has_abandoned_nothing() {
    let journal = MemoryJournal::new();
    let run = waiting_for_an_hour(&journal).await;
    let session = run.session_id().clone();
    drop(run);
    let agent = builder(Scripted::results([done()])).journal(journal.clone()).build().unwrap();
    let mut run = agent.resume(crate::support::Log::default(), session.clone()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.steps, report.requests), (Ending::FinalAnswer, 1, 2));
    let records = journal.read(&session, 0).await.unwrap();
    assert!(records.iter().all(|record| record.kind != "model.abandoned"));
}

#[tokio::test(start_paused = true)]
async fn each_attempt_is_sealed_anew_with_the_same_messages() {
    let journal = MemoryJournal::new();
    let model = Scripted::results([server(), server(), Ok(Reply::tool("nope", "{}")), server(), done()]);
    let agent = builder(model).journal(journal.clone()).build().unwrap();
    let mut run = start(&agent).await;
    run.finish().await.unwrap();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let seals = records.iter().filter(|record| record.kind == "prompt.sealed");
    let seals: Vec<Value> = seals.map(|record| serde_json::from_str(&record.payload).unwrap()).collect();
    let place =
        |seal: &Value| (seal["seal"]["step"].as_u64().unwrap(), seal["seal"]["attempt"].as_u64().unwrap());
    assert_eq!(seals.iter().map(place).collect::<Vec<_>>(), [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]);
    let messages: Vec<&str> = seals.iter().map(|seal| seal["seal"]["messages"].as_str().unwrap()).collect();
    assert!(messages[0] == messages[1] && messages[1] == messages[2] && messages[3] == messages[4]);
    assert_ne!(messages[2], messages[3]);
}

#[test]
fn a_runtime_without_a_timer_asks_again_at_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (waits, report) = runtime.block_on(async {
        let mut run = start(&builder(Scripted::results([server(), done()])).build().unwrap()).await;
        (waits(&updates(&mut run).await), run.finish().await.unwrap())
    });
    assert_eq!((waits, report.ending), (vec![Some(Duration::ZERO)], Ending::FinalAnswer));
}
