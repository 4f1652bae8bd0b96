//! What an interrupted run does next, and who may go on with it.

use futures_util::FutureExt;
use polyloop::{Ending, Journal, JournalError, MemoryJournal, ProviderState, Reply, RunError, Update};

use crate::support::{Hang, Store, World, builder, kinds, prefix, script, tally_reply, texts, writing};

#[tokio::test]
async fn a_person_agrees_in_another_process() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let replies = || vec![Reply::tool("tally_agreed", "{}"), script()[0].clone(), Reply::text("done")];
    let agent = builder(&world, replies()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval);
    let (session, asked) = (run.session_id().clone(), run.waiting());
    drop(run);

    let model = writing(&world, replies());
    let agent =
        polyloop::Agent::<crate::support::App>::builder(model.clone()).journal(journal).build().unwrap();
    let mut run = agent.resume(world.clone(), session).await.unwrap();
    assert_eq!(run.waiting(), asked);
    assert_eq!(run.finish().await.unwrap().ending, Ending::AwaitingApproval, "nobody agreed yet");
    run.approve(asked[0].id()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!((report.ending, report.steps, report.actions), (Ending::FinalAnswer, 3, 2));
    assert_eq!(world.log.count("tally agreed"), 1);
    assert_eq!(texts(&model.scripted.requests()[0])[2], "wrote");
}

#[tokio::test]
async fn a_safe_call_is_begun_twice_under_one_id_and_then_unknown() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    world.hang(Hang::Done("peek"));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    let mut run = agent.resume(world.clone(), &*session.to_string()).await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    let report = run.finish().await.unwrap();
    assert_eq!(report.actions, 2, "an unknown outcome counts");
    let peeks: Vec<String> = world.log.lines().into_iter().filter(|line| line.starts_with("peek")).collect();
    assert_eq!(peeks, ["peek call_1 1", "peek call_1 2"]);
    assert!(kinds(&journal, &session).await.contains(&"action.unknown".to_owned()));
}

#[tokio::test]
async fn more_unknown_outcomes_than_the_budget_allows_wait_for_a_person() {
    let world = World::default();
    let budget = polyloop::Budget::default().unknown_outcomes(0);
    let agent = builder(&world, script()).budget(budget).journal(MemoryJournal::new()).build().unwrap();
    world.hang(Hang::Done("tally"));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::UnknownOutcomes);
    let mut run = agent.resume(world.clone(), session).await.unwrap();
    run.acknowledge().await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    assert_eq!(world.log.count("tally"), 1);
}

#[tokio::test]
async fn requests_that_nobody_waited_for_count_as_failures_of_the_model() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    world.hang(Hang::Asked(0));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    for _ in 0..2 {
        run = agent.resume(world.clone(), session.clone()).await.unwrap();
        assert!(run.finish().now_or_never().is_none());
    }
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    let report = run.finish().await.unwrap();
    let message = "transport: the process ended before the reply was there".to_owned();
    assert_eq!((report.ending, report.requests), (Ending::ModelFailure { message }, 3));
    let abandoned = kinds(&journal, &session).await.iter().filter(|kind| *kind == "model.abandoned").count();
    assert_eq!(abandoned, 3);
}

#[tokio::test]
async fn what_only_the_provider_can_read_survives_in_the_journal() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let reply = Reply::text("done")
        .with_raw(r#"{"id":1}"#)
        .with_provider_state(ProviderState::new("somebody", "signed"));
    let agent = builder(&world, vec![reply.clone()]).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let replied = records.iter().position(|record| record.kind == "model.replied").unwrap();
    let kept: serde_json::Value = serde_json::from_str(&records[replied].payload).unwrap();
    assert_eq!(serde_json::from_value::<Reply>(kept["reply"].clone()).unwrap(), reply);
    // Without a decision behind it, it is read back and interpreted again.
    let interrupted = prefix(&records, replied + 1).await;
    let agent = builder(&world, vec![Reply::text("nobody asks")]).journal(interrupted).build().unwrap();
    let mut run = agent.resume(world, records[0].session.clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().answer.as_deref(), Some("done"));
}

#[tokio::test]
async fn of_a_batch_only_what_has_no_outcome_is_considered() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let two = tally_reply("a").call("peek", "{}");
    let agent = builder(&world, vec![two, Reply::text("done")]).journal(journal.clone()).build().unwrap();
    world.hang(Hang::Done("peek"));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let mut run = agent.resume(world.clone(), session).await.unwrap();
    assert_eq!(run.finish().await.unwrap().actions, 2);
    let acted: Vec<String> = world.log.lines().into_iter().filter(|line| line != "asked").collect();
    assert_eq!(acted, ["tally a", "peek call_2 1", "peek call_2 2"]);
    let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told, ["go", "I write.", "wrote a", "nothing new", "done"]);
}

#[tokio::test]
async fn a_call_that_was_never_begun_is_refused_when_the_run_is_cancelled_on_recovery() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let intent = records.iter().position(|record| record.kind == "action.intent").unwrap();
    let interrupted = prefix(&records, intent).await;
    let agent = builder(&world, script()).journal(interrupted).build().unwrap();
    let mut run = agent.resume(world.clone(), records[0].session.clone()).await.unwrap();
    run.handle().cancel();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told[..3], ["go", "I look.", "not executed: the run was cancelled"]);
    assert_eq!(told[3..], ["This turn was cancelled; go on with it only if you are asked to."]);
}

#[tokio::test]
async fn nothing_new_happens_in_a_run_that_was_cancelled_before_it_was_killed() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    world.hang(Hang::Done("peek"));
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    run.handle().cancel();
    assert!(run.finish().now_or_never().is_none(), "its outcome is waited for");
    drop(run);
    world.heal();
    let mut run = agent.resume(world.clone(), session).await.unwrap();
    let mut told = Vec::new();
    while let Some(update) = run.next().await {
        told.push(update.unwrap());
    }
    assert!(matches!(told.last(), Some(Update::Ended { ending: Ending::Cancelled })));
    assert_eq!(world.log.count("peek"), 1, "not even what is safe");
    let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told[2], "It is not known whether this action took effect; check before repeating it.");
}

#[tokio::test]
async fn whoever_takes_a_run_over_fences_the_one_before() {
    let world = World::default();
    let agent = builder(&world, script()).journal(MemoryJournal::new()).build().unwrap();
    let mut first = agent.on(world.clone()).goal("go").await.unwrap();
    let mut second = agent.resume(world.clone(), first.session_id().clone()).await.unwrap();
    let fenced = RunError::Journal(JournalError::Fenced { held: 1, current: 2 });
    assert_eq!(first.next().await.unwrap().unwrap_err(), fenced);
    assert!(first.next().await.is_none(), "it is told once");
    assert_eq!(first.finish().await.unwrap_err(), fenced);
    assert!(world.log.lines().is_empty(), "nothing was asked and nothing done");
    assert_eq!(second.finish().await.unwrap().ending, Ending::FinalAnswer);
}

#[tokio::test]
async fn a_run_is_listed_and_can_be_taken_up_as_soon_as_it_started() {
    let (world, store) = (World::default(), Store::over(MemoryJournal::new()));
    let agent = builder(&world, script()).journal(store.clone()).build().unwrap();
    let run = agent.on(world.clone()).goal("go").await.unwrap();
    assert_eq!(store.list().await.unwrap(), [run.session_id().clone()]);
    let session = run.session_id().clone();
    drop(run);
    assert_eq!(agent.resume(world, session).await.unwrap().finish().await.unwrap().steps, 4);
}

#[tokio::test]
async fn a_session_that_is_not_there_cannot_be_taken_up() {
    let world = World::default();
    let none = RunError::Journal(JournalError::NoSuchSession { session: "nobody".to_owned() });
    let journal = MemoryJournal::new();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    assert_eq!(agent.resume(world.clone(), "nobody").await.unwrap_err(), none);
    assert!(journal.list().await.unwrap().is_empty(), "and is not there afterwards");
}

#[tokio::test]
async fn a_record_that_was_changed_is_found_with_its_number() {
    let world = World::default();
    let journal = MemoryJournal::new();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    for changed in 0..records.len() - 1 {
        let mut records = records.clone();
        records[changed].at += 1;
        let agent = builder(&world, script()).journal(prefix(&records, records.len()).await).build().unwrap();
        let error = agent.resume(world.clone(), records[0].session.clone()).await.unwrap_err();
        let RunError::Journal(JournalError::Broken { seq, .. }) = error else { panic!("{error}") };
        assert_eq!(seq, changed as u64);
    }
    let mut gap = records.clone();
    gap.remove(5);
    let agent = builder(&world, script()).journal(prefix(&gap, gap.len()).await).build().unwrap();
    let error = agent.resume(world.clone(), records[0].session.clone()).await.unwrap_err();
    assert_eq!(error.to_string(), "event 5 is missing; the session cannot be trusted and is not opened");
}
