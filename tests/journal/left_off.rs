//! Futures of a run that are dropped on their way, and what is said to a run that rests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use polyloop::{
    Agent, CallContext, Durability, Ending, Journal, JournalError, Lease, MemoryJournal, Record, Reply, Run,
    RunError, Scripted, SessionId, Update, Usage, registry, tool,
};

use crate::support::{App, Death, Store, World, builder, kinds, tally_reply, texts};

/// A store that writes at once, and tells so a little later.
#[derive(Clone, Default)]
struct Slow {
    kept: MemoryJournal,
    slow: Arc<AtomicBool>,
}

impl Journal for Slow {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.kept.lease(session).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        let appended = self.kept.append(lease, seq, records, durability).await;
        if self.slow.load(Ordering::Relaxed) {
            tokio::task::yield_now().await;
        }
        appended
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.kept.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.kept.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        self.kept.watermark(session).await
    }
}

fn agreed() -> Vec<Reply> {
    vec![Reply::text("I ask.").call("tally_agreed", "{}"), Reply::text("done"), Reply::text("more")]
}

async fn waiting(world: &World, journal: impl Journal) -> Run<App> {
    let agent = builder(world, agreed()).journal(journal).build().unwrap();
    let mut run = agent.on(world.clone()).session("chat").goal("goal").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    run
}

#[tokio::test]
async fn an_answer_that_nobody_waits_for_is_written_once_and_the_run_goes_on() {
    let (world, journal) = (World::default(), Slow::default());
    let mut run = waiting(&world, journal.clone()).await;
    journal.slow.store(true, Ordering::Relaxed);
    let call = run.waiting()[0].id().clone();
    assert!(run.approve(&call).now_or_never().is_none());
    let report = run.finish().await.unwrap();
    assert_eq!(report.ending, Ending::FinalAnswer);
    assert_eq!(world.log.count("tally"), 1);
}

#[tokio::test]
async fn a_follow_up_that_nobody_waits_for_is_begun_all_the_same() {
    let (world, journal) = (World::default(), Slow::default());
    let agent = builder(&world, vec![Reply::text("one"), Reply::text("two")])
        .journal(journal.clone())
        .build()
        .unwrap();
    let mut run = agent.on(world.clone()).goal("first").await.unwrap();
    run.finish().await.unwrap();
    journal.slow.store(true, Ordering::Relaxed);
    assert!(run.follow_up().goal("second").into_future().now_or_never().is_none());
    assert_eq!(run.finish().await.unwrap().to_string(), "two");
}

#[tokio::test]
async fn a_step_that_nobody_waits_for_is_no_reason_to_rest() {
    let (world, journal) = (World::default(), Slow::default());
    let agent =
        builder(&world, vec![tally_reply("a"), Reply::text("two")]).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("first").await.unwrap();
    journal.slow.store(true, Ordering::Relaxed);
    assert!(run.step().now_or_never().is_none());
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
}

#[tokio::test]
async fn a_further_answer_waits_for_the_one_that_nobody_waited_for() {
    let (world, journal) = (World::default(), Slow::default());
    let asks = Reply::tool("tally_agreed", "{}").call("tally_agreed", "{}");
    let agent = builder(&world, vec![asks, Reply::text("done")]).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("goal").await.unwrap();
    run.finish().await.unwrap();
    journal.slow.store(true, Ordering::Relaxed);
    let [first, second] = run.waiting().try_into().unwrap();
    assert!(run.deny(first.id()).now_or_never().is_none());
    run.approve(second.id()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    assert_eq!(world.log.count("tally"), 1);
}

#[tokio::test]
async fn a_step_that_is_left_off_while_it_is_written_is_no_reason_to_rest() {
    let (world, journal) = (World::default(), Slow::default());
    let agent =
        builder(&world, vec![tally_reply("a"), Reply::text("two")]).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("first").await.unwrap();
    run.step().await.unwrap();
    journal.slow.store(true, Ordering::Relaxed);
    // What the reply means is read at once; then it is written.
    assert!(run.step().now_or_never().is_none());
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
}

#[tokio::test]
async fn what_is_said_while_a_run_waits_for_a_person_is_kept() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let mut run = waiting(&world, journal.clone()).await;
    run.say("remark").unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    drop(run);
    let kinds = kinds(&journal, &"chat".into()).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "input.recorded").count(), 2, "{kinds:?}");
}

#[tokio::test]
async fn a_run_that_has_ended_takes_no_words_after_it_is_looked_at_either() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let agent = builder(&world, vec![Reply::text("one")]).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).session("chat").goal("first").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(run.say("lost"), Err(RunError::Ended));
    let run = agent.resume(world.clone(), "chat").await.unwrap();
    assert_eq!(run.say("lost"), Err(RunError::Ended));
}

#[tokio::test]
async fn a_run_that_cannot_go_on_takes_no_words() {
    let world = World::default();
    let journal = Store::logging(&world.log);
    let agent =
        builder(&world, vec![tally_reply("a"), Reply::text("one")]).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).session("chat").goal("first").await.unwrap();
    journal.die(Some(Death { append: 1, kept: false }));
    run.finish().await.unwrap_err();
    assert!(run.say("lost").is_err());
}

#[tokio::test]
async fn an_answer_that_could_not_be_written_lets_nothing_go_on() {
    let world = World::default();
    let journal = Store::logging(&world.log);
    let mut run = waiting(&world, journal.clone()).await;
    journal.die(Some(Death { append: 0, kept: false }));
    let call = run.waiting()[0].id().clone();
    run.approve(&call).await.unwrap_err();
    journal.die(None);
    run.finish().await.unwrap_err();
    assert_eq!(world.log.count("tally"), 0);
}

#[tokio::test]
async fn a_run_that_waits_is_stepped_to_its_end_where_it_is_cancelled() {
    let mut run = waiting(&World::default(), MemoryJournal::new()).await;
    run.handle().cancel();
    while run.step().await.unwrap().is_some() {}
    assert_eq!(run.report().ending, Ending::Cancelled);
}

#[tokio::test]
async fn what_a_step_did_is_in_the_journal_when_it_returns() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let agent =
        builder(&world, vec![tally_reply("a"), Reply::text("one")]).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).session("chat").goal("first").await.unwrap();
    while !run.step().await.unwrap().unwrap().iter().any(|update| matches!(update, Update::Observed { .. })) {
    }
    drop(run);
    let mut run = agent.resume(world.clone(), "chat").await.unwrap();
    run.finish().await.unwrap();
    let prompt = run.prompt().unwrap();
    assert!(texts(prompt).contains(&"wrote a".to_owned()), "{:?}", texts(prompt));
}

#[tokio::test]
async fn usage_beyond_all_numbers_is_as_much_as_there_is() {
    let mut usage = Usage::default();
    (usage.prompt, usage.cached, usage.reply) = (u64::MAX, u64::MAX, u64::MAX);
    let reply = |text: &str| Reply::text(text).used(usage);
    let model = Scripted::replies([reply("").call("peek", "{}"), reply("done")]);
    let agent = Agent::<App>::builder(model).build().unwrap();
    let report = agent.on(World::default()).goal("goal").await.unwrap().finish().await.unwrap();
    assert_eq!(report.usage, usage);
}

#[tokio::test]
async fn whoever_comes_too_late_with_a_follow_up_stops_nobody() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let agent = builder(&world, vec![Reply::text("one"), tally_reply("a"), Reply::text("done")])
        .journal(journal.clone())
        .build()
        .unwrap();
    let mut first = agent.on(world.clone()).session("chat").goal("first").await.unwrap();
    first.finish().await.unwrap();
    let mut looking = agent.resume(world.clone(), "chat").await.unwrap();
    first.follow_up().goal("second").await.unwrap();
    looking.follow_up().goal("third").await.unwrap_err();
    assert_eq!(first.finish().await.unwrap().to_string(), "done");
}

/// Keeps the call, and says more of it when it is over.
#[tool(replay = safe)]
async fn linger(#[state] kept: &Mutex<Option<CallContext>>, #[call] call: &CallContext) -> String {
    *kept.lock().unwrap() = Some(call.clone());
    "looked".to_owned()
}

registry! { struct Lingering { state: Mutex<Option<CallContext>>, tools: [linger] } }

#[tokio::test]
async fn updates_of_the_run_before_are_not_those_of_the_next() {
    let model = Scripted::replies([Reply::tool("linger", ""), Reply::text("one"), Reply::text("two")]);
    let agent = Agent::<Lingering>::builder(model).build().unwrap();
    let kept = Arc::new(Mutex::new(None));
    let mut run = agent.on(kept.clone()).goal("first").await.unwrap();
    while !matches!(run.next().await.unwrap().unwrap(), Update::Ended { .. }) {}
    kept.lock().unwrap().as_ref().unwrap().progress("late");
    run.follow_up().goal("second").await.unwrap();
    let first = run.next().await.unwrap().unwrap();
    assert!(matches!(first, Update::Asked { .. }), "{first:?}");
}
