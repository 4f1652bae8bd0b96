//! Killed wherever, the run inside goes on where it was.

use std::time::Duration;

use futures_util::FutureExt;
use polyloop::{Ending, Journal, MemoryJournal, Reply};

use super::{UNKNOWN, boss, calls, child_of, office, resume, start, told, works};
use crate::support::{self, Death, Hang, Store, World, kinds, payloads, prefix};

#[tokio::test]
async fn the_intent_names_the_session_of_the_run_inside() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let mut run = start(&world, &journal).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    assert_eq!(told(&run), ["go", "", "written", "done"]);
    let child = child_of(run.session_id(), "call_1");
    let intents = payloads(&journal.read(run.session_id(), 0).await.unwrap(), "action.intent");
    assert_eq!(intents[0]["intent"]["child"], child.as_str());
    assert_eq!(intents[0]["intent"]["replay"], "child");
    assert_eq!(journal.list().await.unwrap(), [run.session_id().clone(), child.clone()]);
    let inside = kinds(&journal, &child).await;
    assert_eq!(inside.first().unwrap(), "session.opened");
    assert_eq!(inside.last().unwrap(), "run.ended");
    // A call that begins no run names none.
    let intents = payloads(&journal.read(&child, 0).await.unwrap(), "action.intent");
    assert!(intents[0]["intent"]["child"].is_null());
}

#[tokio::test]
async fn killed_at_any_append_of_either_run_and_again_at_any_append_of_the_recovery() {
    let (world, store) = (World::default(), Store::over(MemoryJournal::new()));
    let mut run = start(&world, &store).await.unwrap();
    run.finish().await.unwrap();
    let undisturbed = told(&run);
    let appends = store.appends();
    assert!(appends >= 9, "{appends} of both");
    let deaths = |appends| (0..appends).flat_map(|append| [false, true].map(|kept| Death { append, kept }));
    let (mut died_twice, mut inside) = (0, 0);
    for first in deaths(appends) {
        for second in deaths(appends + 2).map(Some).chain([None]) {
            let place = format!("{first:?}, then {second:?}");
            let (world, store) = (World::default(), Store::over(MemoryJournal::new()));
            store.die(Some(first));
            if let Ok(mut run) = start(&world, &store).await {
                run.finish().await.expect_err(&place);
            }
            let listed = store.list().await.unwrap();
            let Some(session) = listed.first().cloned() else { continue };
            inside += usize::from(listed.len() > 1);
            if second.is_some() {
                store.die(second);
                died_twice += usize::from(match resume(&world, &store, &session).await {
                    Ok(mut run) => run.finish().await.is_err(),
                    Err(_) => true,
                });
            }
            store.die(None);
            let mut run = resume(&world, &store, &session).await.expect(&place);
            let report = run.finish().await.expect(&place);
            assert_eq!((report.ending, report.actions), (Ending::FinalAnswer, 1), "{place}");
            assert_eq!(told(&run), undisturbed, "{place}");
            assert!(world.log.count("tally") <= 1, "{place}: {:?}", world.log.lines());
            assert_eq!(store.list().await.unwrap().len(), 2, "{place}: one run inside");
        }
    }
    assert!(died_twice > 100 && inside > 100, "{died_twice} {inside}");
}

#[tokio::test]
async fn the_same_run_is_taken_up_at_every_attempt_without_a_limit() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    world.hang(Hang::Asked(1));
    let mut run = start(&world, &journal).await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    for _ in 0..2 {
        run = resume(&world, &journal, &session).await.unwrap();
        assert!(run.finish().now_or_never().is_none());
    }
    world.heal();
    let mut run = resume(&world, &journal, &session).await.unwrap();
    // The worker's model was left alone three times in a row; that is a matter of the worker's budget.
    let ended = "the model failed: transport: the process ended before the reply was there";
    run.finish().await.unwrap();
    assert_eq!(told(&run), ["go", "", ended, "done"]);
    assert_eq!(world.log.count("tally"), 1);
    let intents = payloads(&journal.read(&session, 0).await.unwrap(), "action.intent");
    let attempts: Vec<u64> =
        intents.iter().map(|intent| intent["intent"]["attempt"].as_u64().unwrap()).collect();
    assert_eq!(attempts, [1, 2, 3, 4]);
    let child = child_of(&session, "call_1");
    assert!(intents.iter().all(|intent| intent["intent"]["child"] == child.as_str()));
    let resumed = kinds(&journal, &child).await.iter().filter(|kind| *kind == "run.resumed").count();
    assert_eq!(resumed, 3);
}

#[tokio::test]
async fn a_run_inside_that_has_ended_tells_what_it_came_to_and_does_nothing() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let mut run = start(&world, &journal).await.unwrap();
    run.finish().await.unwrap();
    let session = run.session_id().clone();
    let child = child_of(&session, "call_1");
    let (outer, inner) = (journal.read(&session, 0).await.unwrap(), journal.read(&child, 0).await.unwrap());
    let intent = outer.iter().position(|record| record.kind == "action.intent").unwrap();
    let cut = prefix(&outer, intent + 1).await;
    support::copy(&inner, inner.len(), &cut).await;
    let before = world.log.lines();
    let mut run = resume(&world, &cut, &session).await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(told(&run), ["go", "", "written", "done"]);
    assert_eq!(world.log.lines(), before, "nothing was asked and nothing done");
    assert_eq!(cut.read(&child, 0).await.unwrap(), inner, "nothing was written");
}

#[tokio::test]
async fn two_calls_have_two_runs_also_side_by_side() {
    for tool in ["delegate", "delegate_beside"] {
        let (world, journal) = (World::default(), MemoryJournal::new());
        let task = r#"{"task":"write"}"#;
        let replies = vec![Reply::tool(tool, task).call(tool, task), Reply::text("done")];
        let mut run = boss(replies, &journal).on(office(&world, works(), &journal)).goal("go").await.unwrap();
        run.finish().await.unwrap();
        assert_eq!(told(&run), ["go", "", "written", "written", "done"]);
        let children = [child_of(run.session_id(), "call_1"), child_of(run.session_id(), "call_2")];
        assert_eq!(journal.list().await.unwrap()[1..], children);
        assert_eq!(world.log.count("tally"), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn cancelling_the_run_around_cancels_the_run_inside() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let waits = vec![Reply::tool("waits", "{}"), Reply::text("never")];
    let agent = boss(calls("delegate"), &journal);
    let mut run = agent.on(office(&world, waits, &journal)).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    assert_eq!(world.log.count("waits"), 1);
    run.handle().cancel();
    // The clock is paused: where nobody hears of it the hour is over at once.
    let report = tokio::time::timeout(Duration::from_hours(1), run.finish()).await.expect("it is heard");
    assert_eq!(report.unwrap().ending, Ending::Cancelled);
    assert_eq!(world.log.count("heard"), 1, "the tool of the run inside");
    assert_eq!(told(&run)[..3], ["go", "", "cancelled"], "and what came of it is told");
    let inside = kinds(&journal, &child_of(run.session_id(), "call_1")).await;
    assert!(inside.contains(&"cancel.requested".to_owned()));
    assert_eq!(inside.last().unwrap(), "run.ended");
}

#[tokio::test]
async fn in_a_run_that_was_cancelled_the_run_inside_is_not_taken_up() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    world.hang(Hang::Asked(0));
    let mut run = start(&world, &journal).await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    run.handle().cancel();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let mut run = resume(&world, &journal, &run.session_id().clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    assert_eq!(told(&run)[2], UNKNOWN);
    assert_eq!(world.log.count("tally"), 0);
}

#[tokio::test]
async fn nobody_knows_what_came_of_a_run_inside_that_was_dropped() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    world.hang(Hang::Done("tally"));
    let mut run = start(&world, &journal).await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    run.handle().cancel_now();
    assert_eq!(run.finish().await.unwrap().ending, Ending::Cancelled);
    assert_eq!(told(&run)[2], UNKNOWN);
}
