//! A branch is found again behind what it inherits, in whatever process and journal, or it is not opened.

use std::sync::{Arc, Mutex};

use polyloop::{
    Agent, Durability, Finish, ForeignHistory, ImportError, Journal, JournalError, Lease, MemoryJournal,
    Record, Reply, RunError, SessionId, SqliteJournal, Texts, export_session, import_session,
};

use crate::support::{App, Log, builder, environment, in_a_file, kinds, permissions, prefix, records, texts};

fn agent(journal: impl Journal) -> Agent<App> {
    builder((0..9).map(|at| Reply::text(format!("reply {at}")))).0.journal(journal).build().unwrap()
}

/// A parent, its child and its grandchild, each with a run; every one sees another place.
async fn family(journal: impl Journal + Clone) -> Agent<App> {
    let agent = agent(journal);
    let opening = agent.on(Log::default()).session("a").sync(environment("/a")).sync(permissions("P"));
    opening.goal("in a").await.unwrap().finish().await.unwrap();
    for (parent, child) in [("a", "b"), ("b", "c")] {
        let fork = agent.fork(Log::default(), parent).session(child).sync(environment(&format!("/{child}")));
        fork.goal(format!("in {child}")).await.unwrap().finish().await.unwrap();
    }
    agent
}

const TOLD: [&str; 8] = [
    "<environment>/c</environment>",
    "<permissions>P</permissions>",
    "in a",
    "reply 0",
    "in b",
    "reply 1",
    "in c",
    "reply 2",
];

#[tokio::test]
async fn a_branch_of_a_branch_is_opened_in_another_process_and_goes_on() {
    let (folder, journal) = in_a_file();
    drop(family(journal).await);
    let journal = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
    let agent = agent(journal.clone());
    assert_eq!(texts(&agent.read("c").await.unwrap().prompt()), TOLD);
    let mut run = agent.resume(Log::default(), "c").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "reply 2");
    run.follow_up().sync(environment("/c")).goal("more").await.unwrap();
    run.finish().await.unwrap();
    drop(run);
    let mut run = agent.on(Log::default()).session("c").goal("and more").await.unwrap();
    run.finish().await.unwrap();
    assert_eq!(run.items().len(), TOLD.len() + 4);
    // Runs are counted in each session by itself.
    let last = records(&journal, &"c".into()).await.pop().unwrap();
    assert_eq!((last.run, last.epoch), (3, 3));
}

#[tokio::test]
async fn whoever_is_killed_with_a_branch_goes_on_with_it() {
    let journal = MemoryJournal::new();
    drop(family(journal.clone()).await);
    let all = records(&journal, &"c".into()).await;
    let opening = all.iter().position(|record| record.kind == "prompt.sealed").unwrap();
    for count in opening..=all.len() {
        let killed = prefix(&all, count).await;
        for ancestor in ["a", "b"] {
            let lines = export_session(&journal, &ancestor.into()).await.unwrap();
            import_session(&killed, &lines).await.unwrap();
        }
        let agent = agent(killed.clone());
        let mut run = agent.resume(Log::default(), "c").await.unwrap();
        run.finish().await.unwrap();
        let told = texts(&agent.read("c").await.unwrap().prompt());
        assert_eq!(told[..TOLD.len() - 1], TOLD[..TOLD.len() - 1], "killed behind {count} records");
        assert_eq!(told.len(), TOLD.len());
    }
}

/// A store that writes down what is appended at once, and fails where it is told to.
#[derive(Clone, Default)]
struct Watched {
    kept: MemoryJournal,
    appended: Arc<Mutex<Vec<Vec<String>>>>,
    /// At which append it fails, and whether that is kept all the same.
    fails: Option<(usize, bool)>,
    /// How many records it says are on stable storage, where these are fewer than there are.
    durable: Option<u64>,
}

impl Journal for Watched {
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
        let kinds = records.iter().map(|record| record.kind.to_string()).collect();
        let append = {
            let mut appended = self.appended.lock().unwrap();
            appended.push(kinds);
            appended.len() - 1
        };
        let failed = || Err(JournalError::Store { message: "gone".to_owned() });
        match self.fails {
            Some((at, false)) if at == append => return failed(),
            _ => self.kept.append(lease, seq, records, durability).await?,
        }
        if self.fails.is_some_and(|(at, _)| at == append) { failed() } else { Ok(()) }
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.kept.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.kept.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        let there = self.kept.watermark(session).await?;
        Ok(self.durable.map_or(there, |durable| durable.min(there)))
    }
}

#[tokio::test]
async fn the_first_append_of_a_branch_holds_its_whole_beginning_and_is_there_or_not() {
    for fails in [None, Some((0, false)), Some((0, true)), Some((1, false)), Some((1, true))] {
        let parent = MemoryJournal::new();
        let opening = agent(parent.clone()).on(Log::default()).session("a").sync(environment("/a"));
        opening.goal("in a").await.unwrap().finish().await.unwrap();
        let store = Watched { kept: parent.clone(), fails, ..Watched::default() };
        let before = records(&parent, &"a".into()).await;
        let dying = agent(store.clone());
        let fork = || dying.fork(Log::default(), "a").session("b").sync(environment("/b"));
        let forked = async { fork().goal("in b").await?.finish().await };
        assert_eq!(forked.await.is_ok(), fails.is_none());
        let first = store.appended.lock().unwrap()[0].clone();
        let whole = ["session.opened", "lease.taken", "run.started", "fragment.recorded", "input.recorded"];
        assert_eq!(first, whole);
        let kinds = kinds(&parent, &"b".into()).await;
        assert!(kinds.is_empty() || kinds.starts_with(&first), "{fails:?}: {kinds:?}");

        // Whoever comes next begins it, or takes it up.
        let agent = agent(parent.clone());
        let mut run = match agent.resume(Log::default(), "b").await {
            Ok(run) => run,
            Err(RunError::Journal(JournalError::NoSuchSession { .. })) => {
                assert_eq!(fails, Some((0, false)));
                let fork = agent.fork(Log::default(), "a").session("b").sync(environment("/b"));
                fork.goal("in b").await.unwrap()
            }
            Err(error) => panic!("{error}"),
        };
        run.finish().await.unwrap();
        let told: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
        assert_eq!(told[..4], ["<environment>/b</environment>", "in a", "reply 0", "in b"], "{fails:?}");
        assert_eq!(records(&parent, &"a".into()).await, before);
    }
}

#[tokio::test]
async fn nothing_is_inherited_that_is_not_on_stable_storage() {
    let kept = MemoryJournal::new();
    let mut run = agent(kept.clone()).on(Log::default()).session("a").goal("T1").await.unwrap();
    run.finish().await.unwrap();
    let first = records(&kept, &"a".into()).await.len() as u64;
    run.follow_up().goal("T2").await.unwrap();
    run.finish().await.unwrap();
    let all = records(&kept, &"a".into()).await.len() as u64;
    for (durable, inherits) in [(all, all), (all - 1, first), (first, first), (first - 1, 0)] {
        let store = Watched { kept: kept.clone(), durable: Some(durable), ..Watched::default() };
        let forked = agent(store).fork(Log::default(), "a").goal("on").await;
        let Ok(run) = forked else {
            assert_eq!(inherits, 0, "{forked:?}");
            continue;
        };
        let tree = agent(kept.clone()).sessions().await.unwrap();
        assert_eq!(tree.node(run.session_id()).unwrap().fork.as_ref().unwrap().records, inherits);
    }
}

/// Everything of a session, with something changed, in a journal that holds these sessions as well.
async fn changed(
    journal: &MemoryJournal,
    session: &str,
    others: &[&str],
    change: impl Fn(&mut Vec<Record>),
) -> MemoryJournal {
    let mut all = records(journal, &session.into()).await;
    change(&mut all);
    let copy = if all.is_empty() { MemoryJournal::new() } else { prefix(&all, all.len()).await };
    for other in others {
        let records = records(journal, &(*other).into()).await;
        copy.import(records).await.unwrap();
    }
    copy
}

#[tokio::test]
async fn a_branch_whose_parent_is_another_one_is_not_opened() {
    let journal = MemoryJournal::new();
    drop(family(journal.clone()).await);
    let open = async |journal: MemoryJournal| agent(journal).read("c").await.map(drop).unwrap_err();

    // It was written anew: its chain is whole, and another one.
    let other = MemoryJournal::new();
    agent(other.clone()).on(Log::default()).session("a").goal("not a").await.unwrap().finish().await.unwrap();
    let found = records(&journal, &"a".into()).await;
    for session in ["b", "c"] {
        other.import(records(&journal, &session.into()).await).await.unwrap();
    }
    let refused = open(other).await;
    let RunError::Journal(JournalError::NoParent { session, parent, records: inherited }) = refused else {
        panic!("{refused}")
    };
    assert_eq!((&*session, &*parent, inherited), ("b", "a", found.len() as u64));

    let longer = changed(&journal, "a", &["b", "c"], |all| all.last_mut().unwrap().at += 1).await;
    let refused = open(longer).await;
    let recorded = found.last().unwrap().hash();
    let RunError::Journal(JournalError::OtherParent { recorded: expected, found, .. }) = &refused else {
        panic!("{refused}")
    };
    assert_eq!(*expected, recorded);
    assert!(refused.to_string().contains(expected) && refused.to_string().contains(found), "{refused}");

    // In the middle the chain says so.
    let broken = changed(&journal, "a", &["b", "c"], |all| all[3].at += 1).await;
    assert_eq!(
        open(broken).await.to_string().split(';').next(),
        Some("event 3 was changed, or the one behind it was")
    );

    let gone = changed(&journal, "b", &["c"], |_| {}).await;
    let refused = open(gone).await;
    assert!(refused.to_string().contains("`b` branched off from `a`"), "{refused}");
}

#[tokio::test]
async fn a_branch_of_itself_is_not_opened() {
    let journal = MemoryJournal::new();
    drop(family(journal.clone()).await);
    let itself = changed(&journal, "c", &["a"], |all| {
        all[0].payload = all[0].payload.replace(r#""parent":"b""#, r#""parent":"c""#).into();
    });
    let refused = agent(itself.await).read("c").await.map(drop).unwrap_err();
    assert!(matches!(refused, RunError::Journal(JournalError::Lineage { .. })), "{refused}");
    let circle = changed(&journal, "b", &["c"], |all| {
        all[0].payload = all[0].payload.replace(r#""parent":"a""#, r#""parent":"c""#).into();
    });
    let refused = agent(circle.await).read("c").await.map(drop).unwrap_err();
    assert!(refused.to_string().contains('b') || matches!(refused, RunError::Journal(_)), "{refused}");
}

#[tokio::test]
async fn a_branch_is_imported_behind_what_it_inherits() {
    let journal = MemoryJournal::new();
    drop(family(journal.clone()).await);
    let there = MemoryJournal::new();
    let lines = async |session: &str| export_session(&journal, &session.into()).await.unwrap();
    let refused = import_session(&there, &lines("c").await).await.unwrap_err();
    let ImportError::Line { line: 1, .. } = &refused else { panic!("{refused:?}") };
    assert!(refused.to_string().contains("`c` branched off from `b`"), "{refused}");
    assert!(there.list().await.unwrap().is_empty());
    for session in ["a", "b", "c"] {
        import_session(&there, &lines(session).await).await.unwrap();
    }
    assert_eq!(texts(&agent(there).read("c").await.unwrap().prompt()), TOLD);

    // A session of the same name will not do.
    let other = MemoryJournal::new();
    agent(other.clone())
        .on(Log::default())
        .session("a")
        .sync(environment("/a"))
        .sync(permissions("P"))
        .goal("in a")
        .await
        .unwrap()
        .finish()
        .await
        .unwrap();
    let refused = import_session(&other, &lines("b").await).await.unwrap_err();
    assert!(refused.to_string().contains("it is another session of this name"), "{refused}");
}

#[tokio::test]
async fn an_audit_of_a_branch_leads_to_what_it_inherits_and_to_where_its_prefix_broke() {
    let journal = MemoryJournal::new();
    let agent = family(journal.clone()).await;
    let audit = agent.audit("c").await.unwrap();
    let [request] = audit.requests() else { panic!("{audit:?}") };
    assert!(request.comes_out_again());
    let from: Vec<_> = request.sources().into_iter().map(|traced| traced.source).collect();
    let sessions: Vec<&str> = from.iter().map(|source| source.session.as_str()).collect();
    assert_eq!(sessions, ["c", "a", "a", "a", "b", "b", "c"]);
    for source in &from {
        let recorded = &records(&journal, &source.session).await[usize::try_from(source.seq).unwrap()];
        assert_eq!(*recorded.kind, *source.event);
    }
    let breaks = audit.breaks();
    assert_eq!((breaks.len(), breaks[0].shared_chars, &breaks[0].source), (1, 0, &from[0]));
}

#[tokio::test]
async fn a_branch_of_an_agent_with_other_texts_is_opened_again() {
    let journal = MemoryJournal::new();
    let with = |observation: &str| {
        let script = [Reply::text("cut").finished(Finish::Length), Reply::text("done")];
        let mut texts = Texts::default();
        observation.clone_into(&mut texts.observation);
        builder(script).0.texts(texts).journal(journal.clone()).build().unwrap()
    };
    let (one, other) = (with("one: {observation}"), with("other: {observation}"));
    one.on(Log::default()).session("a").goal("in a").await.unwrap().finish().await.unwrap();
    other.fork(Log::default(), "a").session("b").goal("in b").await.unwrap().finish().await.unwrap();
    // What was sealed before is made of other texts, and what was sealed since is made again.
    let told = texts(&other.read("b").await.unwrap().prompt());
    let framed = told.iter().filter(|text| text.starts_with("other: ")).count();
    assert_eq!((framed, told.len()), (2, 8));
    one.fork(Log::default(), "b").session("c").goal("in c").await.unwrap().finish().await.unwrap();
    assert!(one.read("c").await.is_ok());
    // A branch that cannot be made again is found, however much it inherits.
    let lying = changed(&journal, "b", &["a"], |all| {
        let seal = all.iter().position(|record| record.kind == "prompt.sealed").unwrap();
        let payload = all[seal].payload.replace(r#""messages":""#, r#""messages":"0"#);
        all[seal].payload = payload.into();
        let mut hash = all[0].prev_hash.clone();
        for record in all {
            record.prev_hash = hash;
            hash = record.hash().into();
        }
    });
    let refused = other_texts(lying.await).read("b").await.map(drop).unwrap_err();
    assert!(matches!(refused, RunError::SealDiffers { .. }), "{refused}");
}

fn other_texts(journal: MemoryJournal) -> Agent<App> {
    let mut texts = Texts::default();
    "other: {observation}".clone_into(&mut texts.observation);
    builder([]).0.texts(texts).journal(journal).build().unwrap()
}

#[tokio::test]
async fn a_session_branches_off_from_what_another_program_recorded() {
    let journal = MemoryJournal::new();
    let agent = agent(journal.clone());
    let history = r#"[
        {"role": "user", "content": "<environment>/a</environment>"},
        {"role": "user", "content": "of old"},
        {"role": "assistant", "content": "and its answer"}
    ]"#;
    let history = || ForeignHistory::open_ai(history).unwrap();
    agent.import(history()).session("old").await.unwrap();
    let tree = agent.sessions().await.unwrap();
    let node = &tree.nodes()[0];
    let all = records(&journal, &"old".into()).await.len() as u64;
    assert_eq!((&*node.points, node.turns.len(), node.rests()), (&[all][..], 1, true));
    assert_eq!(agent.roll_back("old", 2).await, Err(RunError::NoSuchTurns { asked: 2, live: 1 }));
    assert_eq!(agent.fork(Log::default(), "old").await.unwrap_err(), RunError::EmptyGoal);

    let fork = agent.fork(Log::default(), "old").session("new").sync(environment("/b"));
    let mut run = fork.goal("and now").await.unwrap();
    run.finish().await.unwrap();
    let told = ["<environment>/b</environment>", "of old", "and its answer", "and now", "reply 0"];
    assert_eq!(texts(&agent.read("new").await.unwrap().prompt()), told);
    run.roll_back(1).await.unwrap();
    assert_eq!(texts(&agent.read("new").await.unwrap().prompt()), told[..3]);
    assert_eq!(records(&journal, &"old".into()).await.len() as u64, all);
}
