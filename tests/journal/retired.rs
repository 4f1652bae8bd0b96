//! A session that holds fragments of a kind which its registry retired.

use futures_util::FutureExt;
use polyloop::{Agent, AuditedRequest, Journal, MemoryJournal, Prompt, Registry, Role, SessionId};

use crate::support::{Hang, World, builder, rules, script, writing};

/// A run that is interrupted after `peek` acted.
async fn interrupted(journal: &MemoryJournal) -> (World, SessionId) {
    let world = World::default();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    world.hang(Hang::Done("peek"));
    let mut run = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    (world, run.session_id().clone())
}

/// The kind of which only the name is left, in other roles than one of the type would have.
mod named {
    use polyloop::registry;

    use crate::support::{World, peek, tally};

    registry! { pub(crate) struct Named { state: World, tools: [peek, tally], retired: ["rules"] } }
}

/// The type that is still there.
mod typed {
    use polyloop::registry;

    use crate::support::{Rules, World, peek, tally};

    registry! { pub(crate) struct Typed { state: World, tools: [peek, tally], retired: [Rules] } }
}

/// What became of a session in which a kind stands that its registry retired.
async fn goes_on<R: Registry<State = World>>(journal: &MemoryJournal, before: &Prompt) {
    let (world, session) = interrupted(journal).await;
    let agent = Agent::<R>::builder(writing(&world, script())).journal(journal.clone()).build().unwrap();
    let items = agent.read(session.clone()).await.unwrap();
    assert_eq!((items.items()[0].kind_name(), &*items.items()[0].text()), ("rules", "Be brief."));
    assert!(
        agent.audit(session.clone()).await.unwrap().requests().iter().all(AuditedRequest::comes_out_again)
    );
    let mut run = agent.resume(world.clone(), session.clone()).accept_changes().await.unwrap();
    run.finish().await.unwrap();
    let prompt = run.prompt().unwrap();
    let first = |prompt: &Prompt| prompt.messages().next().map(|message| (message.role(), message.text()));
    assert_eq!(first(prompt), first(before), "it stands where it stood, in its role");
    run.follow_up().goal("and on").await.unwrap();
    run.finish().await.unwrap();
    run.roll_back(1).await.unwrap();
    let mut child = agent.fork(world, session).goal("elsewhere").await.unwrap();
    child.finish().await.unwrap();
    assert_eq!(first(child.prompt().unwrap()), first(before));
}

#[tokio::test]
async fn a_session_that_holds_a_retired_kind_goes_on_with_its_items_as_they_were_recorded() {
    let (world, journal) = (World::default(), MemoryJournal::new());
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world).inject(rules()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let before = run.prompt().unwrap();
    goes_on::<named::Named>(&MemoryJournal::new(), before).await;
    goes_on::<typed::Typed>(&MemoryJournal::new(), before).await;
}

/// What a record says of a role.
const ROLE: &str = r#""role":"system","#;

#[tokio::test]
async fn a_kind_of_which_only_the_name_is_left_speaks_for_a_user_where_its_role_was_not_recorded() {
    let journal = MemoryJournal::new();
    let (world, session) = interrupted(&journal).await;
    assert!(journal.read(&session, 0).await.unwrap()[3].payload.contains(ROLE));
    // As an earlier version wrote it, chained anew.
    let mut before = "0".repeat(64);
    let mut records = journal.read(&session, 0).await.unwrap();
    for record in &mut records {
        record.payload = record.payload.replace(ROLE, "").into();
        record.prev_hash = before.into();
        before = record.hash();
    }
    let old = MemoryJournal::new();
    old.import(records).await.unwrap();
    let named =
        Agent::<named::Named>::builder(writing(&world, script())).journal(old.clone()).build().unwrap();
    assert_eq!(named.read(session.clone()).await.unwrap().items()[0].role(), Role::User);
    let typed = Agent::<typed::Typed>::builder(writing(&world, script())).journal(old).build().unwrap();
    assert_eq!(typed.read(session).await.unwrap().items()[0].role(), Role::System);
}
