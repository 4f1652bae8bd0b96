//! A run is taken up by the agent that it began with, or by one whose changes somebody accepted.

use futures_util::FutureExt;
use polyloop::{
    Agent, Budget, ContextFragment, Decision, Interpreter, Journal, JournalError, MemoryJournal, NativeCalls,
    Reply, RunError, SessionId, Texts, registry, tool,
};

use crate::support::{Hang, World, builder, rules, script, writing};

/// A run that is interrupted after `peek` acted.
async fn interrupted(journal: &MemoryJournal) -> (World, SessionId) {
    interrupted_at(Hang::Done("peek"), journal).await
}

async fn interrupted_at(hang: Hang, journal: &MemoryJournal) -> (World, SessionId) {
    let world = World::default();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    world.hang(hang);
    let mut run = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    world.heal();
    (world, run.session_id().clone())
}

#[tokio::test]
async fn a_changed_agent_is_refused_with_what_changed_and_taken_if_that_is_accepted() {
    let journal = MemoryJournal::new();
    let (world, session) = interrupted(&journal).await;
    let mut texts = Texts::default();
    texts.observation = "<result>{observation}</result>".to_owned();
    let changed = builder(&world, script())
        .budget(Budget::steps(9))
        .texts(texts)
        .journal(journal.clone())
        .build()
        .unwrap();
    let before = journal.read(&session, 0).await.unwrap();
    let refused = changed.resume(world.clone(), session.clone()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the agent differs from the one that the run began with, in budget (`actions` was 50 and is 9, `steps` \
         was 50 and is 9), texts; build the same, or resume with `.accept_changes()`"
    );
    assert_eq!(journal.read(&session, 0).await.unwrap(), before, "nothing was written");
    let mut run = changed.resume(world.clone(), session.clone()).accept_changes().await.unwrap();
    run.finish().await.unwrap();
    let records = journal.read(&session, 0).await.unwrap();
    let resumed = records.iter().find(|record| record.kind == "run.resumed").unwrap();
    assert!(resumed.payload.contains(r#""changed":["budget","texts"]"#), "{}", resumed.payload);
    // What was accepted once is what the run has from then on.
    drop(changed.resume(world.clone(), session.clone()).await.unwrap());
}

/// Reads native calls, by rules of some version.
struct Rules(u32);

impl Interpreter for Rules {
    fn interpret(&self, reply: &Reply) -> Decision {
        NativeCalls.interpret(reply)
    }

    fn reads_native_calls(&self) -> bool {
        true
    }

    fn version(&self) -> u32 {
        self.0
    }
}

#[tokio::test]
async fn another_interpreter_is_refused_and_the_version_is_part_of_its_name() {
    let journal = MemoryJournal::new();
    let (world, session) = interrupted(&journal).await;
    for version in [1, 2] {
        let agent =
            builder(&world, script()).interpreter(Rules(version)).journal(journal.clone()).build().unwrap();
        let refused = agent.resume(world.clone(), session.clone()).await.unwrap_err();
        assert_eq!(refused, RunError::Changed { changed: vec!["interpreter".to_owned()] });
        let accepted = agent.resume(world.clone(), session.clone()).accept_changes().await.unwrap();
        drop(accepted);
        let records = journal.read(&session, 0).await.unwrap();
        let resumed = records.iter().rfind(|record| record.kind == "run.resumed").unwrap();
        let named = format!("::Rules/{version}\"");
        assert!(resumed.payload.contains(&named), "{}", resumed.payload);
    }
}

/// Reads; nobody knows any more that it may be done again.
#[tool]
async fn peek(#[state] world: &World) -> String {
    world.log.add("peek again");
    "nothing new".to_owned()
}

/// What is the same for all runs, under another name.
#[derive(ContextFragment)]
#[fragment(
    kind = "guidance",
    was = "rules",
    role = system,
    unmarked = "the system message",
    slot = run,
    max_chars = 500,
    body = "{text}"
)]
struct Guidance {
    text: String,
}

registry! {
    struct Later { state: World, fragments: [Guidance], tools: [peek, crate::support::tally] }
}

registry! {
    struct Without { state: World, tools: [peek, crate::support::tally] }
}

#[tokio::test]
async fn what_is_not_safe_any_more_is_not_done_again_and_a_renamed_kind_is_known() {
    let journal = MemoryJournal::new();
    let (world, session) = interrupted(&journal).await;
    let agent = Agent::<Later>::builder(writing(&world, script())).journal(journal.clone()).build().unwrap();
    let mut run = agent.resume(world.clone(), session).accept_changes().await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(world.log.count("peek"), 1, "the first one only");
    assert_eq!(run.items()[0].kind_name(), "guidance");
    assert_eq!(run.items()[0].text(), "Be brief.");
    assert_eq!(
        run.items()[3].text(),
        "It is not known whether this action took effect; check before repeating it."
    );
}

/// Tools that may be done again, also one that might not when the run began.
mod safe {
    use polyloop::{registry, tool};

    use crate::support::{Rules, World, peek};

    /// Writes a line.
    #[tool(replay = safe)]
    pub(crate) async fn tally(
        #[state] world: &World,
        /// What to write.
        line: String,
    ) -> String {
        world.log.add(format!("tally {line} again"));
        "wrote again".to_owned()
    }

    registry! { pub(crate) struct Safe { state: World, fragments: [Rules], tools: [peek, tally] } }
}

#[tokio::test]
async fn what_was_not_safe_when_it_began_is_not_done_again_though_it_is_now() {
    let journal = MemoryJournal::new();
    let (world, session) = interrupted_at(Hang::Done("tally"), &journal).await;
    let agent =
        Agent::<safe::Safe>::builder(writing(&world, script())).journal(journal.clone()).build().unwrap();
    let mut run = agent.resume(world.clone(), session).accept_changes().await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(world.log.count("tally"), 1, "the first one only");
}

#[tokio::test]
async fn a_fragment_that_is_not_registered_any_more_is_refused_with_the_kinds_that_are() {
    let journal = MemoryJournal::new();
    let (world, session) = interrupted(&journal).await;
    let agent =
        Agent::<Without>::builder(writing(&world, script())).journal(journal.clone()).build().unwrap();
    let refused = agent.resume(world, session).accept_changes().await.unwrap_err();
    assert_eq!(
        refused,
        RunError::Journal(JournalError::UnknownFragment { seq: 3, kind: "rules".to_owned(), known: vec![] })
    );
}
