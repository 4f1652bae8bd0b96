//! Runs inside runs inside, and what their calls may and may not do.

use futures_util::FutureExt;
use polyloop::{
    Agent, Budget, CallContext, Journal, JournalError, MemoryJournal, Reply, RunError, SessionId, registry,
    tool,
};

use super::{
    Bureau, Office, UNKNOWN, boss, calls, child_of, delegate, office, resume, said, start, told, works,
};
use crate::support::{self, Hang, World, kinds, payloads, prefix, writing};

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
    let refused = "RunError: the agent differs from the one that the run began with, in budget (`actions` was 50 and is 9, `steps` was 50 and is 9); build the same, or \
                   resume with `.accept_changes()`";
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

#[tokio::test]
async fn a_run_that_follows_a_cancelled_one_inside_is_cancelled_as_well() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let waits = vec![Reply::tool("waits", "{}"), Reply::text("written")];
    let agent = boss(calls("delegate_twice"), &journal);
    let mut run = agent.on(office(&world, waits, &journal)).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    run.handle().cancel();
    run.finish().await.unwrap();
    assert_eq!(told(&run)[2], "cancelled; cancelled");
}
