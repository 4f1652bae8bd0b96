//! A call that is a run of its own: killed wherever, the run inside goes on where it was.

use std::time::Duration;

use futures_util::FutureExt;
use polyloop::{
    Agent, Budget, CallContext, Ending, Journal, JournalError, MemoryJournal, Reply, Report, Run, RunError,
    SessionId, registry, tool,
};

use crate::support::{self, App, Death, Hang, Store, World, kinds, payloads, prefix, tally_reply, writing};

/// What the model is told where nobody knows what became of a call.
const UNKNOWN: &str = "It is not known whether this action took effect; check before repeating it.";

/// Who works for an office.
struct Office {
    worker: Agent<App>,
    world: World,
}

/// Lets somebody do a task.
#[tool(replay = child)]
async fn delegate(
    #[state] office: &Office,
    #[call] call: &CallContext,
    /// The task.
    task: String,
) -> Result<String, RunError> {
    let mut run = office.worker.child(call, office.world.clone()).inject(support::rules()).goal(task).await?;
    Ok(said(&run.finish().await?))
}

/// Lets somebody do a task, whoever that is today.
#[tool(replay = child)]
async fn delegate_to_anyone(
    #[state] office: &Office,
    #[call] call: &CallContext,
) -> Result<String, RunError> {
    let child = office.worker.child(call, office.world.clone()).goal("task").accept_changes();
    Ok(said(&child.await?.finish().await?))
}

/// Lets somebody do a task, one beside another.
#[tool(replay = child, concurrent)]
async fn delegate_beside(
    #[state] office: &Office,
    #[call] call: &CallContext,
    /// The task.
    task: String,
) -> Result<String, RunError> {
    let mut run = office.worker.child(call, office.world.clone()).goal(task).await?;
    Ok(said(&run.finish().await?))
}

/// Lets somebody do a task, and agrees to whatever is asked.
#[tool(replay = child)]
async fn delegate_and_agree(
    #[state] office: &Office,
    #[call] call: &CallContext,
) -> Result<String, RunError> {
    let mut run = office.worker.child(call, office.world.clone()).goal("task").await?;
    let waited = run.finish().await?.ending;
    for asked in run.waiting() {
        run.approve(asked.id()).await?;
    }
    Ok(format!("{waited}; {}", said(&run.finish().await?)))
}

/// Forgets to say that it begins a run.
#[tool]
async fn forgets(#[state] office: &Office, #[call] call: &CallContext) -> Result<String, RunError> {
    Ok(said(&office.worker.child(call, office.world.clone()).goal("task").await?.finish().await?))
}

/// Lets somebody do a task for a moment only.
#[tool(replay = child, timeout = "5ms")]
async fn delegate_shortly(#[state] office: &Office, #[call] call: &CallContext) -> Result<String, RunError> {
    Ok(said(&office.worker.child(call, office.world.clone()).goal("task").await?.finish().await?))
}

fn said(report: &Report) -> String {
    report.to_string()
}

registry! {
    struct Bureau {
        state: Office,
        tools: [delegate, delegate_to_anyone, delegate_beside, delegate_and_agree, forgets, delegate_shortly],
    }
}

fn worker(world: &World, replies: Vec<Reply>, journal: &(impl Journal + Clone)) -> Agent<App> {
    support::builder(world, replies).journal(journal.clone()).build().unwrap()
}

fn works() -> Vec<Reply> {
    vec![tally_reply("a"), Reply::text("written")]
}

fn calls(tool: &str) -> Vec<Reply> {
    vec![
        Reply::tool(tool, if tool == "delegate" { r#"{"task":"write"}"# } else { "{}" }),
        Reply::text("done"),
    ]
}

fn boss(replies: Vec<Reply>, journal: &(impl Journal + Clone)) -> Agent<Bureau> {
    // Its model is not the workers' one: nothing hangs there.
    Agent::<Bureau>::builder(writing(&World::default(), replies)).journal(journal.clone()).build().unwrap()
}

fn office(world: &World, replies: Vec<Reply>, journal: &(impl Journal + Clone)) -> Office {
    Office { worker: worker(world, replies, journal), world: world.clone() }
}

async fn start(world: &World, journal: &(impl Journal + Clone)) -> Result<Run<Bureau>, RunError> {
    boss(calls("delegate"), journal).on(office(world, works(), journal)).goal("go").await
}

async fn resume(
    world: &World,
    journal: &(impl Journal + Clone),
    session: &SessionId,
) -> Result<Run<Bureau>, RunError> {
    boss(calls("delegate"), journal).resume(office(world, works(), journal), session.clone()).await
}

fn told(run: &Run<Bureau>) -> Vec<String> {
    run.items().iter().map(|item| item.text().into_owned()).collect()
}

fn child_of(session: &SessionId, call: &str) -> SessionId {
    SessionId::from(format!("{session}/{call}"))
}

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
    assert_eq!(told(&run), ["go", "", "cancelled"], "and what came of it is told");
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

/// Who lets an office do it.
struct Board {
    bureau: Agent<Bureau>,
    world: World,
    journal: MemoryJournal,
}

/// Lets an office do it.
#[tool(replay = child)]
async fn commission(#[state] board: &Board, #[call] call: &CallContext) -> Result<String, RunError> {
    let state = office(&board.world, works(), &board.journal);
    Ok(said(&board.bureau.child(call, state).goal("go").await?.finish().await?))
}

registry! { struct Company { state: Board, tools: [commission] } }

#[tokio::test]
async fn runs_inside_may_have_runs_inside() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let board = || Board {
        bureau: boss(calls("delegate"), &journal),
        world: world.clone(),
        journal: journal.clone(),
    };
    let company = Agent::<Company>::builder(writing(&World::default(), calls("commission")))
        .journal(journal.clone())
        .build()
        .unwrap();
    world.hang(Hang::Done("tally"));
    let mut run = company.on(board()).goal("go").await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let mut run = company.resume(board(), session.clone()).await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    assert_eq!(world.log.count("tally"), 1);
    let middle = child_of(&session, "call_1");
    let sessions = [session, middle.clone(), child_of(&middle, "call_1")];
    assert_eq!(journal.list().await.unwrap(), sessions);
    let inner = journal.read(&sessions[2], 0).await.unwrap();
    assert_eq!(payloads(&inner, "action.unknown").len(), 1, "only there it is not known");
    assert!(payloads(&journal.read(&middle, 0).await.unwrap(), "action.unknown").is_empty());
}

#[tokio::test]
async fn a_run_inside_that_waits_for_a_person_says_so_to_the_handler() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let careful = || vec![Reply::tool("tally_agreed", "{}"), Reply::text("written")];
    let mut run = boss(calls("delegate_and_agree"), &journal)
        .on(office(&world, careful(), &journal))
        .goal("go")
        .await
        .unwrap();
    run.finish().await.unwrap();
    assert_eq!(told(&run)[2], "a person must agree to a call first; written");
    assert_eq!(world.log.count("tally"), 1);
}

#[tokio::test]
async fn a_worker_that_changed_is_an_ordinary_error_unless_that_is_accepted() {
    let refused = "RunError: the agent differs from the one that the run began with, in budget; build the same, or \
                   accept the changes";
    for (tool, expected) in [("delegate", refused), ("delegate_to_anyone", "written")] {
        let (world, journal) = (World::default(), MemoryJournal::new());
        world.hang(Hang::Asked(1));
        let agent = boss(calls(tool), &journal);
        let mut run = agent.on(office(&world, works(), &journal)).goal("go").await.unwrap();
        assert!(run.finish().now_or_never().is_none());
        world.heal();
        let worker = support::builder(&world, works()).journal(journal.clone()).budget(Budget::steps(9));
        let changed = Office { worker: worker.build().unwrap(), world: world.clone() };
        let mut run = agent.resume(changed, run.session_id().clone()).await.unwrap();
        run.finish().await.unwrap();
        assert_eq!(told(&run)[2], expected);
        assert_eq!(world.log.count("tally"), 1);
    }
}

#[tokio::test]
async fn a_run_inside_needs_a_call_that_says_so_and_a_journal() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let agent = boss(calls("forgets"), &journal);
    let mut run = agent.on(office(&world, works(), &journal)).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(
        told(&run)[2],
        "RunError: the call has no session for a run inside it; declare its tool with `#[tool(replay = child)]`"
    );

    let without = Office { worker: support::builder(&world, works()).build().unwrap(), world: world.clone() };
    let mut run = boss(calls("delegate"), &journal).on(without).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let said = &told(&run)[2];
    assert!(said.starts_with("RunError: the agent has no journal, and so no session `"), "{said}");
    assert_eq!(world.log.count("tally"), 0);
}

#[tokio::test]
async fn a_handler_with_a_run_inside_can_be_called_in_a_test() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let call = CallContext::detached("call_1").with_child_session("test/call_1");
    assert_eq!(call.child_session(), Some("test/call_1"));
    let office = office(&world, works(), &journal);
    assert_eq!(delegate(&office, &call, "write".to_owned()).await, Ok("written".to_owned()));
    assert_eq!(delegate(&office, &call, "write".to_owned()).await, Ok("written".to_owned()), "the same run");
    assert_eq!(world.log.count("tally"), 1);
    assert_eq!(journal.list().await.unwrap(), [SessionId::from("test/call_1")]);
    assert_eq!(CallContext::detached("call_1").child_session(), None);
}

#[tokio::test(start_paused = true)]
async fn nobody_knows_what_came_of_a_run_inside_that_took_too_long() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    world.hang(Hang::Done("tally"));
    let agent = boss(calls("delegate_shortly"), &journal);
    let mut run = agent.on(office(&world, works(), &journal)).goal("go").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(told(&run)[2], UNKNOWN);
}

/// The same name, and no run inside any more.
mod alone {
    use polyloop::{registry, tool};

    use super::Office;

    /// Does a task.
    #[tool]
    pub(super) async fn delegate(
        #[state] office: &Office,
        /// The task.
        task: String,
    ) -> String {
        office.world.log.add(format!("tally {task}"));
        "did it".to_owned()
    }

    registry! { pub(super) struct Alone { state: Office, tools: [delegate] } }
}

#[tokio::test]
async fn a_call_is_begun_again_only_where_it_was_and_is_one_with_a_run_inside() {
    // Then with a run inside, now without; and the other way round.
    let (world, journal) = (World::default(), MemoryJournal::new());
    world.hang(Hang::Asked(0));
    let mut run = start(&world, &journal).await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    let alone = Agent::<alone::Alone>::builder(writing(&World::default(), calls("delegate")))
        .journal(journal.clone())
        .build()
        .unwrap();
    let state = office(&world, works(), &journal);
    let mut run = alone.resume(state, run.session_id().clone()).accept_changes().await.unwrap();
    run.finish().await.unwrap();
    let told_then: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!((told_then[2].as_str(), world.log.count("tally")), (UNKNOWN, 0));

    let state = office(&world, works(), &journal);
    let mut run = alone.on(state).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let intent = records.iter().position(|record| record.kind == "action.intent").unwrap();
    let cut = prefix(&records, intent + 1).await;
    let agent = boss(calls("delegate"), &cut);
    let state = office(&world, works(), &cut);
    let mut run = agent.resume(state, records[0].session.clone()).accept_changes().await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(told(&run)[2], UNKNOWN);
}

#[tokio::test]
async fn whoever_takes_the_run_around_over_fences_the_run_inside() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let waits = vec![Reply::tool("waits", "{}"), Reply::text("never")];
    let mut first =
        boss(calls("delegate"), &journal).on(office(&world, waits, &journal)).goal("go").await.unwrap();
    let session = first.session_id().clone();
    assert!(first.finish().now_or_never().is_none(), "its worker waits");
    let mut second = resume(&world, &journal, &session).await.unwrap();
    second.finish().await.unwrap();
    first.handle().cancel();
    let fenced = RunError::Journal(JournalError::Fenced { held: 1, current: 2 });
    assert_eq!(first.finish().await.unwrap_err(), fenced);
    let inside = kinds(&journal, &child_of(&session, "call_1")).await;
    assert!(!inside.contains(&"cancel.requested".to_owned()), "nor did its worker record anything");
}
