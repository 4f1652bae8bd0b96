//! The sessions of a journal are trees, and every node can be opened.

use polyloop::{
    Agent, Ending, Journal, JournalError, MemoryJournal, Model, ModelError, Prompt, Reply, SessionId,
    SessionNode,
};

use crate::support::{App, Log, builder, environment, in_a_file, prefix, records};

fn agent(journal: impl Journal) -> Agent<App> {
    let call = Reply::text("I write.").call("tally", r#"{"line":"a"}"#);
    let replies = (0..20).map(|at| Reply::text(format!("reply {at}")));
    builder([call].into_iter().chain(replies)).0.journal(journal).build().unwrap()
}

/// A root with two turns, two branches of it and one of a branch, and a second root that is under way.
async fn forest(journal: impl Journal + Clone) -> Agent<App> {
    let agent = agent(journal);
    let mut root = agent.on(Log::default()).session("m").sync(environment("/a")).goal("T1").await.unwrap();
    root.finish().await.unwrap();
    let early = agent.sessions().await.unwrap().nodes()[0].points[0];
    root.follow_up().goal("T2").await.unwrap();
    root.finish().await.unwrap();
    for (parent, child, at) in [("m", "late", None), ("m", "early", Some(early)), ("late", "leaf", None)] {
        let fork = agent.fork(Log::default(), parent).session(child).goal(format!("in {child}"));
        let fork = if let Some(at) = at { fork.at(at) } else { fork };
        fork.await.unwrap().finish().await.unwrap();
    }
    root.roll_back(1).await.unwrap();
    drop(agent.on(Log::default()).session("z").inject(crate::support::note("no words")).await.unwrap());
    agent
}

fn names(nodes: &[&SessionNode]) -> Vec<String> {
    nodes.iter().map(|node| node.session.to_string()).collect()
}

async fn sessions_are_told_as_trees(journal: impl Journal + Clone) {
    let agent = forest(journal.clone()).await;
    let tree = agent.sessions().await.unwrap();
    assert_eq!(names(&tree.roots().collect::<Vec<_>>()), ["m", "z"]);
    assert_eq!(names(&tree.branches(&"m".into())), ["early", "late"]);
    assert_eq!(names(&tree.branches(&"late".into())), ["leaf"]);
    assert!(tree.branches(&"leaf".into()).is_empty());
    assert_eq!(tree.node(&"nobody".into()), None);

    let root = tree.node(&"m".into()).unwrap();
    let words = |node: &SessionNode| -> Vec<Option<String>> {
        node.turns.iter().map(|turn| turn.words.as_ref().map(|words| words.as_str().to_owned())).collect()
    };
    assert_eq!(words(root), [Some("T1".to_owned()), Some("T2".to_owned())]);
    assert_eq!(root.turns.iter().map(|turn| turn.rolled_back).collect::<Vec<_>>(), [false, true]);
    assert!(root.turns.iter().all(|turn| turn.ending == Some(Ending::FinalAnswer)));
    assert_eq!(root.turns.iter().map(|turn| turn.points.len()).collect::<Vec<_>>(), [2, 1]);
    assert!(root.rests() && root.unreadable.is_none() && root.fork.is_none());
    let last = records(&journal, &"m".into()).await.len() as u64;
    assert_eq!(root.points.last(), Some(&last), "behind the rollback");

    let late = tree.node(&"late".into()).unwrap();
    let fork = late.fork.as_ref().unwrap();
    assert_eq!((&fork.parent, fork.records), (&root.session, last - 1));
    assert_eq!(words(late), [Some("in late".to_owned())], "what it inherits stands in its parent");

    let open = tree.node(&"z".into()).unwrap();
    assert_eq!((words(open), open.turns[0].ending.clone(), open.rests()), (vec![None], None, false));
    assert!(open.points.is_empty());
}

#[tokio::test]
async fn sessions_are_told_as_trees_in_memory() {
    sessions_are_told_as_trees(MemoryJournal::new()).await;
}

#[tokio::test]
async fn sessions_are_told_as_trees_in_a_file() {
    let (_folder, journal) = in_a_file();
    sessions_are_told_as_trees(journal).await;
}

#[tokio::test]
async fn every_place_that_is_told_can_be_branched_off_from_and_no_other() {
    let journal = MemoryJournal::new();
    let tree = forest(journal.clone()).await.sessions().await.unwrap();
    for node in tree.nodes() {
        let all = records(&journal, &node.session).await.len() as u64;
        let agent = agent(journal.clone());
        for at in 0..=all {
            let forked = agent.fork(Log::default(), node.session.clone()).at(at).goal("on").await;
            assert_eq!(forked.is_ok(), node.points.contains(&at), "{} at {at}", node.session);
        }
        let whole = agent.read(node.session.clone()).await.unwrap();
        let turns = node.turns.iter().flat_map(|turn| &turn.points);
        assert!(turns.into_iter().all(|point| node.points.contains(point)));
        assert_eq!(whole.items().is_empty(), all == 0);
    }
}

/// Makes another body each time.
struct Impure(std::sync::atomic::AtomicUsize);

impl Model for Impure {
    async fn ask(&self, _: &Prompt) -> Result<Reply, ModelError> {
        Err(ModelError::new(polyloop::ModelErrorClass::Overloaded, "later"))
    }

    fn body(&self, _: &Prompt) -> Option<Vec<u8>> {
        let made = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Some(vec![u8::try_from(made).unwrap()])
    }
}

#[tokio::test]
async fn what_a_fault_stopped_goes_on_as_a_branch_from_before() {
    let journal = MemoryJournal::new();
    let good = agent(journal.clone());
    good.on(Log::default()).session("s").goal("T1").await.unwrap().finish().await.unwrap();
    let retries = polyloop::Retries::times(1).first_wait(std::time::Duration::ZERO);
    let bad = Agent::<App>::builder(Impure(std::sync::atomic::AtomicUsize::default()));
    let bad = bad.retries(retries).journal(journal).build().unwrap();
    bad.on(Log::default()).session("s").goal("T2").await.unwrap().finish().await.unwrap_err();
    let tree = good.sessions().await.unwrap();
    let node = &tree.nodes()[0];
    assert!(node.turns[1].fault.as_ref().is_some_and(|fault| fault.contains("body")), "{node:?}");
    assert!(!node.rests());
    assert!(good.on(Log::default()).session("s").goal("T3").await.is_err());
    let mut child = good.fork(Log::default(), "s").goal("T3").await.unwrap();
    child.finish().await.unwrap();
    let told: Vec<String> = child.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(told[..4], ["T1", "I write.", "wrote a", "reply 0"]);
    assert_eq!(told[4], "T3");
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_told_with_the_others() {
    let journal = MemoryJournal::new();
    drop(forest(journal.clone()).await);
    let mut all = records(&journal, &"leaf".into()).await;
    all[0].payload = "{".into();
    let broken = prefix(&all, all.len()).await;
    broken.import(records(&journal, &"m".into()).await).await.unwrap();
    let tree = agent(broken).sessions().await.unwrap();
    let leaf = tree.node(&"leaf".into()).unwrap();
    assert!(matches!(leaf.unreadable, Some(JournalError::Unreadable { seq: 0, .. })), "{leaf:?}");
    assert!(tree.node(&"m".into()).unwrap().unreadable.is_none());
}

#[tokio::test]
async fn an_agent_without_a_journal_has_no_sessions() {
    let agent = builder([Reply::text("one")]).0.build().unwrap();
    agent.on(Log::default()).goal("go").await.unwrap().finish().await.unwrap();
    assert!(agent.sessions().await.unwrap().nodes().is_empty());
}

#[tokio::test]
async fn a_store_in_a_file_reads_the_records_of_some_kinds_as_any_other_does() {
    let (_folder, journal) = in_a_file();
    drop(forest(journal.clone()).await);
    let session = SessionId::from("m");
    let kinds = ["run.started", "stop.checked", "what'ever\"", "input.recorded"];
    let mut expected = records(&journal, &session).await;
    expected.retain(|record| kinds.contains(&&*record.kind));
    assert_eq!(journal.read_kinds(&session, &kinds).await.unwrap(), expected);
    assert!(journal.read_kinds(&session, &[]).await.unwrap().is_empty());
    assert!(journal.read_kinds(&"nobody".into(), &kinds).await.unwrap().is_empty());
}
