//! A run of a step that may be done again, one that may not and one that is not valid is killed everywhere, and goes on.

use futures_util::FutureExt;
use polyloop::{Agent, Ending, Journal, MemoryJournal, Record, Run, SessionId, SqliteJournal};

use crate::support::{App, Death, Hang, Store, World, builder, copy, rules, script};

/// What the model is told where nobody knows what became of a call.
const UNKNOWN: &str = "It is not known whether this action took effect; check before repeating it.";

fn agent(world: &World, journal: impl Journal) -> Agent<App> {
    builder(world, script()).journal(journal).build().unwrap()
}

async fn start(world: &World, store: &Store<impl Journal + Clone>) -> Result<Run<App>, polyloop::RunError> {
    agent(world, store.clone()).on(world.clone()).inject(rules()).goal("go").await
}

fn items(run: &Run<App>) -> Vec<String> {
    run.items().iter().map(|item| item.text().into_owned()).collect()
}

async fn undisturbed() -> (Vec<String>, Vec<Record>, usize) {
    let (world, store) = (World::default(), Store::over(MemoryJournal::new()));
    let mut run = start(&world, &store).await.unwrap();
    run.finish().await.unwrap();
    (items(&run), store.kept.read(run.session_id(), 0).await.unwrap(), store.appends())
}

/// Goes on to the end, and compares with a run that nobody disturbed.
async fn comes_out_the_same(world: &World, journal: impl Journal + Clone, session: &SessionId, place: &str) {
    let told = undisturbed().await.0;
    let mut run = agent(world, journal.clone()).resume(world.clone(), session.clone()).await.expect(place);
    let report = run.finish().await.expect(place);
    assert_eq!(report.ending, Ending::FinalAnswer, "{place}");
    assert_eq!(report.steps, 4, "{place}");
    let again = items(&run);
    assert_eq!(again.len(), told.len(), "{place}");
    for (was, is) in told.iter().zip(&again) {
        assert!(was == is || is == UNKNOWN, "{place}: {is}");
    }
    // A run that has ended is opened without a new event, and each prompt that was ever sealed is made again.
    let records = journal.read(session, 0).await.unwrap();
    let mut ended = agent(world, journal.clone()).resume(world.clone(), session.clone()).await.expect(place);
    let told_again = ended.finish().await.unwrap();
    assert_eq!((told_again.answer, told_again.steps), (report.answer, report.steps), "{place}");
    assert_eq!(journal.read(session, 0).await.unwrap(), records, "{place}");
}

fn effects_are_bounded(world: &World, place: &str) {
    assert!(world.log.count("tally") <= 1, "{place}: {:?}", world.log.lines());
    assert!(world.log.count("peek") <= 2, "{place}: {:?}", world.log.lines());
}

/// Every append fails once, before it is kept and after; then again while the run is taken up.
#[tokio::test]
async fn killed_at_any_append_and_again_at_any_append_of_the_recovery() {
    let appends = undisturbed().await.2;
    assert_eq!(appends, 8);
    let mut killed_twice = 0;
    for first in deaths(appends) {
        for second in deaths(appends + 1).map(Some).chain([None]) {
            killed_twice += usize::from(killed_at(first, second, MemoryJournal::new()).await);
        }
    }
    assert!(killed_twice > 100, "{killed_twice}");
}

#[tokio::test]
async fn killed_at_any_append_to_a_file() {
    for first in deaths(undisturbed().await.2) {
        let folder = tempfile::tempdir().unwrap();
        let second = first.kept.then_some(Death { append: 1, kept: true });
        killed_at(first, second, SqliteJournal::open(folder.path().join("runs.db")).unwrap()).await;
    }
}

/// Whether it died the second time as well.
async fn killed_at(first: Death, second: Option<Death>, journal: impl Journal + Clone) -> bool {
    let place = format!("{first:?}, then {second:?}");
    let (world, store) = (World::default(), Store::over(journal));
    store.die(Some(first));
    if let Ok(mut run) = start(&world, &store).await {
        run.finish().await.expect_err(&place);
    }
    store.die(second);
    let listed = store.list().await.unwrap();
    let Some(session) = listed.first() else {
        assert!(first.append == 0 && !first.kept, "{place}: absent, as nothing was kept");
        return false;
    };
    let mut died = false;
    if second.is_some() {
        died = match agent(&world, store.clone()).resume(world.clone(), session.clone()).await {
            Ok(mut run) => run.finish().await.is_err(),
            Err(_) => true,
        };
    }
    store.die(None);
    comes_out_the_same(&world, store, session, &place).await;
    effects_are_bounded(&world, &place);
    died
}

fn deaths(appends: usize) -> impl Iterator<Item = Death> {
    (0..appends).flat_map(|append| [false, true].map(|kept| Death { append, kept }))
}

#[tokio::test]
async fn killed_while_a_tool_acts_or_the_model_writes() {
    killed_at_work(|_| MemoryJournal::new()).await;
}

#[tokio::test]
async fn killed_while_a_tool_acts_or_the_model_writes_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    killed_at_work(|place| SqliteJournal::open(folder.path().join(place)).unwrap()).await;
}

async fn killed_at_work<J: Journal + Clone>(open: impl Fn(&str) -> J) {
    let places = [
        (Hang::Started("peek"), [1, 1]),
        (Hang::Done("peek"), [2, 1]),
        (Hang::Started("tally"), [1, 0]),
        (Hang::Done("tally"), [1, 1]),
        (Hang::Asked(0), [1, 1]),
        (Hang::Asked(1), [1, 1]),
        (Hang::Asked(3), [1, 1]),
    ];
    for (hang, [peeks, tallies]) in places {
        let place = format!("{hang:?}");
        let (world, store) = (World::default(), Store::over(open(&place)));
        world.hang(hang.clone());
        let mut run = start(&world, &store).await.unwrap();
        let session = run.session_id().clone();
        tokio::select! {
            ended = run.finish() => panic!("{place}: it does not hang: {ended:?}"),
            () = world.hung.notified() => {}
        }
        drop(run);
        world.heal();
        comes_out_the_same(&world, store, &session, &place).await;
        assert_eq!((world.log.count("peek"), world.log.count("tally")), (peeks, tallies), "{place}");
    }
}

/// A store keeps an append as a whole; but also where it did not, nothing would be done twice.
#[tokio::test]
async fn every_prefix_of_a_journal_goes_on() {
    let records = undisturbed().await.1;
    every_prefix_of(&records, |_| MemoryJournal::new()).await;
}

#[tokio::test]
async fn every_prefix_of_a_file_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let records = undisturbed().await.1;
    every_prefix_of(&records, |count| SqliteJournal::open(folder.path().join(count.to_string())).unwrap())
        .await;
}

/// The journal of a run that was taken up twice.
#[tokio::test]
async fn every_prefix_of_the_journal_of_a_recovery_goes_on() {
    let (world, store) = (World::default(), Store::over(MemoryJournal::new()));
    world.hang(Hang::Done("peek"));
    let mut run = start(&world, &store).await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    world.hang(Hang::Done("tally"));
    let mut run = agent(&world, store.clone()).resume(world.clone(), session.clone()).await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let mut run = agent(&world, store.clone()).resume(world.clone(), session.clone()).await.unwrap();
    run.finish().await.unwrap();
    let records = store.kept.read(&session, 0).await.unwrap();
    assert_eq!(records.iter().map(|record| record.epoch).max(), Some(3));
    every_prefix_of(&records, |_| MemoryJournal::new()).await;
}

async fn every_prefix_of<J: Journal + Clone>(records: &[Record], open: impl Fn(usize) -> J) {
    let first_append = records.iter().position(|record| record.kind == "input.recorded").unwrap() + 1;
    for count in first_append..=records.len() {
        let world = World::default();
        // At the worst, whatever was intended was done.
        for record in records[..count].iter().filter(|record| record.kind == "action.intent") {
            world.log.add(if record.payload.contains("\"never\"") { "tally" } else { "peek" });
        }
        let journal = open(count);
        copy(records, count, &journal).await;
        let place = format!("the first {count} events");
        comes_out_the_same(&world, journal, &records[0].session, &place).await;
        effects_are_bounded(&world, &place);
    }
}
