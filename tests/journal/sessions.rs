//! Sessions of several runs in a journal, and what a person says between and in them.

use std::sync::{Arc, Mutex};

use polyloop::{
    Agent, Budget, Durability, Ending, Journal, JournalError, Lease, MemoryJournal, Record, Reply, RunError,
    Scripted, SessionId, Update,
};

use crate::support::{App, Store, World, builder, kinds, rules, script, tally_reply, texts};

fn answering(journal: &MemoryJournal, answer: &str) -> (Scripted, Agent<App>) {
    let model = Scripted::replies([Reply::text(answer)]);
    let agent = Agent::<App>::builder(model.clone()).journal(journal.clone()).build().unwrap();
    (model, agent)
}

#[tokio::test]
async fn a_session_without_an_id_is_refused() {
    let journal = MemoryJournal::new();
    for id in ["", " "] {
        let (model, agent) = answering(&journal, "one");
        let refused = agent.on(World::default()).session(id).goal("first").await.map(drop);
        assert_eq!(refused, Err(RunError::Journal(JournalError::EmptySessionId)));
        assert!(model.requests().is_empty());
    }
    assert!(journal.list().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_run_goes_on_in_a_session_of_the_journal() {
    let journal = MemoryJournal::new();
    let (_, agent) = answering(&journal, "one");
    let mut run = agent.on(World::default()).session("chat").inject(rules()).goal("first").await.unwrap();
    assert_eq!(run.session_id(), &SessionId::from("chat"));
    run.finish().await.unwrap();
    drop(run);

    let (model, agent) = answering(&journal, "two");
    let mut run = agent.on(World::default()).session("chat").goal("second").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "two");
    assert_eq!(texts(&model.requests()[0]), ["Be brief.", "first", "one", "second"]);

    let records = journal.read(run.session_id(), 0).await.unwrap();
    let started = |record: &&Record| record.kind == "run.started";
    assert_eq!(records.iter().filter(started).map(|record| record.run).collect::<Vec<_>>(), [1, 2]);
    assert!(records.windows(2).all(|pair| pair[0].run <= pair[1].run));
    assert_eq!(
        records.iter().filter(|record| record.kind == "lease.taken").count(),
        2,
        "one for each process"
    );
}

#[tokio::test]
async fn a_run_behind_one_that_was_cancelled_is_not() {
    let journal = MemoryJournal::new();
    let (_, agent) = answering(&journal, "one");
    let mut run = agent.on(World::default()).session("chat").goal("first").await.unwrap();
    run.handle().cancel();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    let mut run = agent.on(World::default()).session("chat").goal("second").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "one");
}

#[tokio::test]
async fn a_request_with_a_mistake_disturbs_nobody_who_has_the_session() {
    let journal = MemoryJournal::new();
    let model = Scripted::by(|_| Reply::text("yes"));
    let agent = Agent::<App>::builder(model).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(World::default()).session("chat").goal("first").await.unwrap();
    run.finish().await.unwrap();
    let refused = agent.on(World::default()).session("chat").goal(" ").await;
    assert_eq!(refused.err(), Some(RunError::EmptyGoal));
    for without_words in ["chat", "another"] {
        let refused = agent.on(World::default()).session(without_words).await;
        assert_eq!(refused.err(), Some(RunError::EmptyGoal), "{without_words}");
    }
    run.follow_up().goal("second").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "yes");
}

#[tokio::test]
async fn words_that_a_run_had_no_step_for_are_answered_by_a_request_without_words() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let agent = builder(&world, vec![tally_reply("a"), Reply::text("Two.")]);
    let agent = agent.budget(Budget::steps(1)).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).session("chat").goal("first").await.unwrap();
    while !matches!(run.next().await.unwrap().unwrap(), Update::Called { .. }) {}
    run.say("And the other one?").unwrap();
    assert!(run.finish().await.unwrap().unheard);
    drop(run);
    let mut run = agent.on(world).session("chat").await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.to_string().as_str(), report.unheard), ("Two.", false));
}

#[tokio::test]
async fn a_follow_up_needs_no_further_lease() {
    let journal = MemoryJournal::new();
    let model = Scripted::replies([Reply::text("one"), Reply::text("two")]);
    let agent = Agent::<App>::builder(model).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(World::default()).goal("first").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("second").await.unwrap();
    run.finish().await.unwrap();
    let kinds = kinds(&journal, run.session_id()).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "lease.taken").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| *kind == "run.ended").count(), 2);
}

#[tokio::test]
async fn a_session_whose_last_run_has_not_ended_is_resumed_first() {
    let journal = MemoryJournal::new();
    let (_, agent) = answering(&journal, "one");
    let run = agent.on(World::default()).session("chat").goal("first").await.unwrap();
    drop(run);
    let refused = agent.on(World::default()).session("chat").goal("second").await;
    assert_eq!(refused.err(), Some(RunError::Unfinished { session: "chat".to_owned() }));
    let mut run = agent.resume(World::default(), "chat").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "one");
}

/// Shows a session as it was, until its lease is asked for: somebody else goes on between the two.
struct Behind {
    kept: MemoryJournal,
    shown: Mutex<Option<Vec<Record>>>,
}

impl Journal for Behind {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.kept.lease(session).await
    }

    async fn lease_at(&self, session: &SessionId, seq: u64) -> Result<Lease, JournalError> {
        self.shown.lock().unwrap().take();
        self.kept.lease_at(session, seq).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        self.kept.append(lease, seq, records, durability).await
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        let shown = self.shown.lock().unwrap().clone();
        match shown {
            Some(shown) => Ok(shown),
            None => self.kept.read(session, from).await,
        }
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.kept.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        self.kept.watermark(session).await
    }
}

#[tokio::test]
async fn of_two_who_begin_at_once_the_second_disturbs_nobody() {
    let kept = MemoryJournal::new();
    let model = Scripted::by(|_| Reply::text("one"));
    let agent = Agent::<App>::builder(model).journal(kept.clone()).build().unwrap();
    for goal in ["first", "second"] {
        let before = kept.read(&"chat".into(), 0).await.unwrap();
        let mut run = agent.on(World::default()).session("chat").goal(goal).await.unwrap();
        let behind = Arc::new(Behind { kept: kept.clone(), shown: Mutex::new(Some(before)) });
        let late = Agent::<App>::builder(Scripted::replies([])).journal(behind).build().unwrap();
        let refused = late.on(World::default()).session("chat").goal("late").await;
        assert_eq!(refused.err(), Some(RunError::Unfinished { session: "chat".to_owned() }));
        assert_eq!(run.finish().await.unwrap().to_string(), "one");
    }
}

#[tokio::test]
async fn whoever_comes_behind_a_run_that_ended_meanwhile_goes_on_behind_it() {
    let kept = MemoryJournal::new();
    let (_, agent) = answering(&kept, "one");
    agent.on(World::default()).session("chat").goal("first").await.unwrap().finish().await.unwrap();
    let behind = Arc::new(Behind { kept: kept.clone(), shown: Mutex::new(Some(Vec::new())) });
    let model = Scripted::replies([Reply::text("two")]);
    let late = Agent::<App>::builder(model.clone()).journal(behind).build().unwrap();
    let mut run = late.on(World::default()).session("chat").goal("late").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "two");
    assert_eq!(texts(&model.requests()[0]), ["first", "one", "late"]);
}

#[tokio::test]
async fn an_agent_without_a_journal_has_no_sessions() {
    let agent = Agent::<App>::builder(Scripted::replies([])).build().unwrap();
    let refused = RunError::NoJournal { session: "chat".to_owned() };
    let begun = agent.on(World::default()).session("chat").goal("first").await;
    assert_eq!(begun.err(), Some(refused.clone()));
    assert_eq!(agent.resume(World::default(), "chat").await.err(), Some(refused));
}

#[tokio::test]
async fn the_second_run_of_a_session_is_resumed_with_its_own_counts() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let agent = builder(&world, vec![Reply::text("one"), tally_reply("a"), Reply::text("done")])
        .journal(journal.clone())
        .build()
        .unwrap();
    let mut run = agent.on(world.clone()).goal("first").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("second").await.unwrap();
    while !matches!(run.next().await.unwrap().unwrap(), Update::Observed { .. }) {}
    let session = run.session_id().clone();
    drop(run);
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.steps), (Ending::FinalAnswer, 2));
    assert_eq!(world.log.count("tally"), 1);
    // It was looked at only, and goes on all the same.
    let mut ended = agent.resume(world.clone(), session).await.unwrap();
    assert_eq!(ended.finish().await.unwrap().steps, 2);
    ended.follow_up().goal("third").await.unwrap();
    assert_eq!(ended.finish().await.unwrap().to_string(), "done");
}

#[tokio::test]
async fn whoever_only_looked_at_a_session_does_not_write_behind_somebody_else() {
    let journal = MemoryJournal::new();
    let model = Scripted::by(|_| Reply::text("yes"));
    let agent = Agent::<App>::builder(model).journal(journal.clone()).build().unwrap();
    let mut first = agent.on(World::default()).session("chat").goal("first").await.unwrap();
    first.finish().await.unwrap();
    let mut looking = agent.resume(World::default(), "chat").await.unwrap();
    first.follow_up().goal("second").await.unwrap();
    first.finish().await.unwrap();
    let refused = looking.follow_up().goal("third").await;
    assert!(matches!(refused, Err(RunError::Journal(JournalError::OutOfOrder { .. }))), "{refused:?}");
}

#[tokio::test]
async fn a_further_run_may_be_that_of_another_agent() {
    let journal = MemoryJournal::new();
    let (_, agent) = answering(&journal, "one");
    let mut run = agent.on(World::default()).session("chat").goal("first").await.unwrap();
    run.finish().await.unwrap();
    let other = Agent::<App>::builder(Scripted::by(|_| Reply::text("two")))
        .journal(journal.clone())
        .budget(Budget::steps(3))
        .build()
        .unwrap();
    let mut run = other.on(World::default()).session("chat").goal("second").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "two");
    let mut ended = other.resume(World::default(), "chat").await.unwrap();
    assert_eq!(ended.finish().await.unwrap().to_string(), "two");
    let refused = agent.resume(World::default(), "chat").await.err();
    assert!(matches!(refused, Some(RunError::Changed { .. })), "{refused:?}");
}

#[tokio::test]
async fn an_answer_of_a_person_is_in_the_journal_when_it_was_given() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let script = vec![Reply::tool("tally_agreed", "{}"), Reply::text("done")];
    let agent = builder(&world, script).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let call = run.waiting()[0].id().clone();
    run.approve(&call).await.unwrap();
    let session = run.session_id().clone();
    drop(run);
    assert_eq!(kinds(&journal, &session).await.last().unwrap(), "approval.given");
    let mut run = agent.resume(world.clone(), session).await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done", "nobody is asked a second time");
    assert_eq!(world.log.count("tally agreed"), 1);
}

#[tokio::test]
async fn a_remark_is_in_the_journal_while_the_tool_is_still_at_work() {
    let world = World::default();
    let store = Store::logging(&world.log);
    let script = vec![Reply::tool("waits", "{}"), Reply::text("done")];
    let agent = builder(&world, script).journal(store.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    while !matches!(run.next().await.unwrap().unwrap(), Update::Called { .. }) {}
    run.say("Hurry up.").unwrap();
    assert!(futures_util::FutureExt::now_or_never(run.next()).is_none());
    let session = run.session_id().clone();
    drop(run);
    assert_eq!(kinds(&store.kept, &session).await.last().unwrap(), "input.recorded");
    let mut run = agent.resume(world.clone(), session).await.unwrap();
    run.finish().await.unwrap();
    let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told[3], "Hurry up.", "behind the result that nobody knows: {told:?}");
}

#[tokio::test]
async fn a_note_is_in_the_journal_and_in_no_prompt() {
    let journal = MemoryJournal::new();
    let (model, agent) = answering(&journal, "one");
    let mut run = agent.on(World::default()).goal("first").await.unwrap();
    run.handle().remark("looks fine").unwrap();
    run.finish().await.unwrap();
    assert_eq!(texts(&model.requests()[0]), ["first"]);
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let noted = records.iter().find(|record| record.kind == "remark.recorded").unwrap();
    assert_eq!(&*noted.payload, r#"{"text":"looks fine"}"#);
}

#[tokio::test]
async fn stepping_writes_what_driving_writes() {
    let mut written = Vec::new();
    for stepwise in [false, true] {
        let (world, journal) = (World::default(), MemoryJournal::new());
        let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
        let mut run = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap();
        if stepwise {
            while run.step().await.unwrap().is_some() {}
        }
        assert_eq!(run.finish().await.unwrap().to_string(), "done");
        let records = journal.read(run.session_id(), 0).await.unwrap();
        let told = |record: Record| (record.seq, record.run, record.kind, record.payload);
        written.push(records.into_iter().map(told).collect::<Vec<_>>());
    }
    assert_eq!(written[0], written[1]);
}
