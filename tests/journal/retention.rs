//! Data that has to go: texts of single items, and whole sessions.

use std::fs;
use std::path::Path;

use polyloop::prelude::*;
use polyloop::{
    Erasure, Evidence, Item, ItemId, ItemKind, Journal, JournalError, MemoryJournal, Message, Record,
    Redaction, RunError, SessionId, SqliteJournal, Summarizer, erase_session, export_session, import_session,
    redact_session, verify_session,
};

use crate::support::{App, Store, World, builder, kinds, payloads, prefix, rules, tally_reply, texts};

/// What has to go, in every text of the session.
const SECRET: &str = "ada@example.org";

pub(crate) fn replies() -> Vec<Reply> {
    vec![
        Reply::text(format!("I note {SECRET}.")).call("tally", format!(r#"{{"line":"{SECRET}"}}"#)),
        Reply::text("Noted."),
        Reply::text("I have no address of yours."),
        Reply::text("Really."),
    ]
}

/// A session in which a person, a model and a tool name the secret.
async fn session(journal: &(impl Journal + Clone)) -> SessionId {
    let world = World::default();
    let agent = builder(&world, replies()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world).inject(rules()).goal(format!("I am {SECRET}.")).await.unwrap();
    run.handle().remark(format!("{SECRET} called")).unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "Noted.");
    run.session_id().clone()
}

pub(crate) async fn items(journal: &(impl Journal + Clone), session: &SessionId) -> Vec<Item> {
    let agent = builder(&World::default(), replies()).journal(journal.clone()).build().unwrap();
    agent.read(session.clone()).await.unwrap().items().to_vec()
}

/// Everything in the session that names the secret.
async fn everything(journal: &(impl Journal + Clone), session: &SessionId) -> Redaction {
    let items = items(journal, session).await;
    let named = items.iter().filter(|item| {
        item.text().contains(SECRET) || matches!(item.kind(), ItemKind::Reply | ItemKind::Observation)
    });
    let redaction = named.fold(Redaction::new(), |redaction, item| redaction.item(item.id()));
    let records = journal.read(session, 0).await.unwrap();
    let remark = records.iter().find(|record| record.kind == "remark.recorded").unwrap();
    redaction.record(remark.seq).by("support").reason("asked for")
}

fn hold(records: &[Record], text: &str) -> bool {
    records.iter().any(|record| record.payload.contains(text))
}

async fn goes_without_a_trace(journal: impl Journal + Clone) {
    let session = session(&journal).await;
    let before = journal.read(&session, 0).await.unwrap();
    let hashes: Vec<String> = before.iter().map(Record::hash).collect();
    let redacted = redact_session(&journal, &session, everything(&journal, &session).await).await.unwrap();
    let after = journal.read(&session, 0).await.unwrap();
    assert!(!redacted.records.is_empty() && hold(&before, SECRET) && !hold(&after, SECRET), "{after:?}");
    let unchanged = after.iter().take(before.len()).map(Record::hash);
    assert_eq!(unchanged.collect::<Vec<_>>(), hashes, "the chain is the one that it was");
    let said = &payloads(&after, "records.redacted")[0];
    assert_eq!((&said["by"], &said["reason"]), (&"support".into(), &"asked for".into()));
    assert_eq!(said["records"].as_array().unwrap().len(), redacted.records.len());

    let verified = verify_session(&journal, &session, &Evidence::none()).await.unwrap();
    assert_eq!(verified.redacted, redacted.records);
    let world = World::default();
    let agent = builder(&world, replies()).journal(journal.clone()).build().unwrap();
    let audit = agent.audit(session.clone()).await.unwrap();
    let sealed: Vec<_> =
        audit.requests().iter().map(|request| (request.comes_out_again(), request.is_redacted())).collect();
    assert_eq!(sealed, [(false, true); 2]);

    // The ended run is read, and the session goes on, twice.
    assert!(agent.resume(world.clone(), session.clone()).await.is_ok());
    for answer in ["I have no address of yours.", "Really."] {
        let mut run = agent.on(world.clone()).session(session.clone()).goal("Who am I?").await.unwrap();
        assert_eq!(run.finish().await.unwrap().to_string(), answer);
        let sent = texts(run.prompt().unwrap());
        assert_eq!(sent[1], "[redacted]", "{sent:?}");
        assert!(!sent.concat().contains(SECRET));
    }
    let audit = agent.audit(session.clone()).await.unwrap();
    let last = audit.requests().last().unwrap();
    assert!(last.comes_out_again() && !last.is_redacted());

    // It moves to another journal, and goes on there.
    let there = MemoryJournal::new();
    let lines = export_session(&journal, &session).await.unwrap();
    import_session(&there, &lines).await.unwrap();
    let agent = builder(&world, replies()).journal(there.clone()).build().unwrap();
    let mut run = agent.on(world).session(session.clone()).goal("Who am I?").await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "Really.");

    // Once more changes nothing.
    let again = Redaction::new().item(run.items()[1].id());
    assert_eq!(redact_session(&there, &session, again).await.unwrap().records, [0_u64; 0]);
}

#[tokio::test]
async fn a_text_that_was_redacted_is_gone_and_the_session_is_read_checked_moved_and_goes_on() {
    goes_without_a_trace(MemoryJournal::new()).await;
    let folder = tempfile::tempdir().unwrap();
    goes_without_a_trace(SqliteJournal::open(folder.path().join("runs.db")).unwrap()).await;
}

/// Whether one of the files of a folder holds a text.
fn files_hold(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|file| {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

/// A file with sessions in which others are named as well, and with payloads that are kept apart.
async fn file(folder: &Path) -> (SqliteJournal, SessionId) {
    let journal = SqliteJournal::open(folder.join("runs.db")).unwrap();
    let mut last = None;
    for _ in 0..3 {
        last = Some(session(&journal).await);
        let world = World::default();
        let long = tally_reply(&"other@example.org ".repeat(300));
        let agent =
            builder(&world, vec![long, Reply::text("done")]).journal(journal.clone()).build().unwrap();
        agent.on(world).goal("Others.").await.unwrap().finish().await.unwrap();
    }
    (journal, last.unwrap())
}

#[tokio::test]
async fn a_file_holds_no_byte_of_what_was_redacted_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = file(folder.path()).await;
    assert!(files_hold(folder.path(), SECRET));
    for session in journal.list().await.unwrap() {
        let goes = hold(&journal.read(&session, 0).await.unwrap(), SECRET);
        if goes {
            redact_session(&journal, &session, everything(&journal, &session).await).await.unwrap();
        }
    }
    assert!(!files_hold(folder.path(), SECRET));
    assert!(files_hold(folder.path(), "other@example.org"));
}

#[tokio::test]
async fn a_file_holds_no_byte_of_a_session_that_was_erased_and_keeps_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = file(folder.path()).await;
    let all = journal.list().await.unwrap();
    let mut kept = Vec::new();
    for session in &all {
        let records = journal.read(session, 0).await.unwrap();
        if hold(&records, SECRET) {
            let erased =
                erase_session(&journal, session, Erasure::new().by("support").reason("asked for")).await;
            assert_eq!(erased.as_deref(), Ok(std::slice::from_ref(session)));
        } else {
            kept.push((session, records));
        }
    }
    assert!(!files_hold(folder.path(), SECRET) && kept.len() == 3);
    for (session, records) in kept {
        assert_eq!(journal.read(session, 0).await.unwrap(), records);
    }
    assert_eq!(journal.list().await.unwrap(), all, "that they were erased stays known");
    // Another process is refused to change a row, as before.
    let other = rusqlite::Connection::open(folder.path().join("runs.db")).unwrap();
    for change in [
        "UPDATE events SET at = 0",
        "DELETE FROM events",
        "DELETE FROM blobs",
        "UPDATE blobs SET content = ''",
    ] {
        let refused = other.execute_batch(change).unwrap_err().to_string();
        assert!(refused.contains("appended, never"), "{refused}");
    }
}

#[tokio::test]
async fn a_file_that_is_erased_while_others_write_to_it_loses_nothing_of_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, session) = file(folder.path()).await;
    let world = World::default();
    let agent = builder(&world, vec![tally_reply("a"), Reply::text("done")])
        .journal(journal.clone())
        .build()
        .unwrap();
    let runs = (0..20).map(async |_| {
        agent.on(world.clone()).goal("Go.").await.unwrap().finish().await.unwrap().to_string()
    });
    let erased = erase_session(&journal, &session, Erasure::new());
    let (answers, erased) = tokio::join!(futures_util::future::join_all(runs), erased);
    assert!(erased.is_ok() && answers.iter().all(|answer| answer == "done"));
}

async fn is_refused(journal: &MemoryJournal, session: &SessionId) {
    let agent = builder(&World::default(), replies()).journal(journal.clone()).build().unwrap();
    let erased = RunError::Journal(JournalError::Erased { session: session.to_string() });
    let begun = agent.on(World::default()).session(session.clone()).goal("Hello?").await;
    assert_eq!(begun.unwrap_err(), erased);
    assert_eq!(agent.resume(World::default(), session.clone()).await.unwrap_err(), erased);
    assert_eq!(agent.audit(session.clone()).await.unwrap_err(), erased);
    assert_eq!(agent.read(session.clone()).await.unwrap_err(), erased);
    assert!(agent.fork(World::default(), session.clone()).goal("Hello?").await.is_err());
    let lines = export_session(journal, session).await.unwrap();
    assert!(!lines.contains(SECRET));
}

#[tokio::test]
async fn an_erased_session_is_opened_by_nothing_and_a_run_of_it_writes_nothing_more() {
    let journal = MemoryJournal::new();
    let world = World::default();
    let agent = builder(&world, replies()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world).goal(format!("I am {SECRET}.")).await.unwrap();
    run.step().await.unwrap();
    let session = run.session_id().clone();
    erase_session(&journal, &session, Erasure::new()).await.unwrap();
    assert!(matches!(run.finish().await, Err(RunError::Journal(JournalError::Fenced { .. }))));
    assert_eq!(kinds(&journal, &session).await, ["session.erased"]);
    is_refused(&journal, &session).await;
    // The same once more: what was stated first stays.
    erase_session(&journal, &session, Erasure::new().by("another")).await.unwrap();
    assert!(!hold(&journal.read(&session, 0).await.unwrap(), "another"));
    let nobody = SessionId::from("nobody");
    let none = JournalError::NoSuchSession { session: "nobody".to_owned() };
    assert_eq!(erase_session(&journal, &nobody, Erasure::new()).await, Err(none));
}

async fn forked(journal: &MemoryJournal, parent: &SessionId) -> SessionId {
    let world = World::default();
    let agent = builder(&world, replies()).journal(journal.clone()).build().unwrap();
    let mut run = agent.fork(world, parent.clone()).goal("On the other hand?").await.unwrap();
    run.finish().await.unwrap();
    run.session_id().clone()
}

#[tokio::test]
async fn a_session_that_others_inherit_from_is_erased_with_them_or_not_at_all() {
    let journal = MemoryJournal::new();
    let parent = session(&journal).await;
    let child = forked(&journal, &parent).await;
    let grandchild = forked(&journal, &child).await;
    let refused = erase_session(&journal, &parent, Erasure::new()).await.unwrap_err();
    let forks = [&child, &grandchild].map(ToString::to_string).to_vec();
    assert_eq!(refused, JournalError::HasForks { session: parent.to_string(), forks });
    assert!(hold(&journal.read(&parent, 0).await.unwrap(), SECRET), "nothing was erased");
    let erased = erase_session(&journal, &parent, Erasure::new().with_forks()).await.unwrap();
    assert_eq!(erased, [parent.clone(), child.clone(), grandchild.clone()]);
    for session in [parent, child, grandchild] {
        is_refused(&journal, &session).await;
    }
}

#[tokio::test]
async fn what_a_fork_inherits_is_redacted_in_its_parent_and_the_fork_goes_on() {
    let journal = MemoryJournal::new();
    let parent = session(&journal).await;
    let child = forked(&journal, &parent).await;
    let grandchild = forked(&journal, &child).await;
    let first = items(&journal, &child).await[1].id();
    let elsewhere = redact_session(&journal, &child, Redaction::new().item(first)).await.unwrap_err();
    assert!(matches!(elsewhere, JournalError::NotRecorded { .. }), "{elsewhere}");

    let redacted = redact_session(&journal, &parent, everything(&journal, &parent).await).await.unwrap();
    assert_eq!(redacted.heirs, [child.clone(), grandchild.clone()]);
    // Branched off afterwards, in front of what states the redaction.
    let world = World::default();
    let agent = builder(&world, replies()).journal(journal.clone()).build().unwrap();
    let records = journal.read(&parent, 0).await.unwrap();
    let point = records.iter().find(|record| record.kind == "run.ended").unwrap().seq + 1;
    let mut later = agent.fork(world.clone(), parent.clone()).at(point).goal("And then?").await.unwrap();
    later.finish().await.unwrap();
    for session in [child, grandchild, later.session_id().clone()] {
        let mut run = agent.on(world.clone()).session(session.clone()).goal("Who am I?").await.unwrap();
        run.finish().await.unwrap();
        assert!(!texts(run.prompt().unwrap()).concat().contains(SECRET));
        let audit = agent.audit(session).await.unwrap();
        assert!(audit.requests().last().unwrap().comes_out_again());
    }
}

#[tokio::test]
async fn what_compactions_repeat_of_a_call_goes_with_it_also_in_forks() {
    let (journal, world) = (MemoryJournal::new(), World::default());
    let model = Scripted::by(|prompt| {
        let last = prompt.messages().last().map(Message::text).unwrap_or_default();
        match &*last {
            "write" => tally_reply(SECRET),
            text if text.starts_with("Stop here") => Reply::text("A summary."),
            _ => Reply::text("done ".repeat(200)),
        }
    });
    let agent =
        Agent::<App>::builder(model).compactor(Summarizer::new().keep_exchanges(0).instruction("Stop here"));
    let agent = agent.journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("write").await.unwrap();
    run.finish().await.unwrap();
    let parent = run.session_id().clone();
    let call: Vec<ItemId> = run.items().iter().skip(1).take(2).map(Item::id).collect();
    let mut sessions = vec![parent.clone()];
    let mut fork = agent.fork(world, parent.clone()).goal("first").await.unwrap();
    fork.finish().await.unwrap();
    sessions.push(fork.session_id().clone());
    // Each is compacted twice: the second time the summary of the first is replaced.
    for run in [&mut run, &mut fork] {
        for goal in ["on", "and on"] {
            run.follow_up().goal(goal).await.unwrap();
            run.handle().compact().unwrap();
            run.finish().await.unwrap();
        }
    }
    for session in &sessions {
        let records = journal.read(session, 0).await.unwrap();
        let repeats = records.iter().filter(|record| record.kind == "compaction.applied");
        assert_eq!(repeats.filter(|record| record.payload.contains(SECRET)).count(), 2, "{session}");
    }
    let redaction = call.into_iter().fold(Redaction::new(), Redaction::item);
    let redacted = redact_session(&journal, &parent, redaction).await.unwrap();
    assert!(redacted.heirs == sessions[1..] && redacted.summaries.len() == 2, "{redacted}");
    for session in &sessions {
        let records = journal.read(session, 0).await.unwrap();
        assert!(!hold(&records, SECRET), "{records:#?}");
        assert!(hold(&records, "A summary."), "what the model wrote of it stays: it is an item of its own");
        verify_session(&journal, session, &Evidence::none()).await.unwrap();
        drop(agent.resume(World::default(), session.clone()).await.unwrap());
    }
}

#[tokio::test]
async fn content_that_is_missing_without_a_statement_is_not_accepted() {
    let journal = MemoryJournal::new();
    let session = session(&journal).await;
    let lease = journal.lease(&session).await.unwrap();
    let records = journal.read(&session, 0).await.unwrap();
    let input = records.iter().find(|record| record.kind == "input.recorded").unwrap();
    let hash = blake3::hash(input.payload.as_bytes()).to_hex();
    let payload = format!(r#"{{"redacted":"{hash}","event":{}}}"#, input.payload.replace(SECRET, "eve"));
    let forged = Record { payload: payload.into(), ..input.clone() };
    assert!(forged.is_redacted() && forged.hash() == input.hash(), "the chain itself holds");
    journal.redact(&lease, records.len() as u64, Vec::new(), vec![forged]).await.unwrap();
    let agent = builder(&World::default(), replies()).journal(journal.clone()).build().unwrap();
    let reason = "lost its content, and no later event says that it was redacted";
    let broken = JournalError::Broken { seq: input.seq, reason };
    assert_eq!(export_session(&journal, &session).await.unwrap_err(), broken);
    assert_eq!(verify_session(&journal, &session, &Evidence::none()).await.unwrap_err(), broken);
    let refused = agent.on(World::default()).session(session.clone()).goal("Hello?").await.unwrap_err();
    assert_eq!(refused, RunError::Journal(broken.clone()));
    assert_eq!(agent.audit(session).await.unwrap_err(), RunError::Journal(broken));
}

#[tokio::test]
async fn a_store_takes_no_record_that_is_not_the_redacted_one() {
    async fn check(journal: impl Journal + Clone) {
        let session = session(&journal).await;
        let lease = journal.lease(&session).await.unwrap();
        let records = journal.read(&session, 0).await.unwrap();
        let changed = Record { payload: "{}".into(), ..records[2].clone() };
        let refused = journal.redact(&lease, records.len() as u64, Vec::new(), vec![changed]).await;
        let reason = "is not the record that was redacted";
        assert_eq!(refused, Err(JournalError::Broken { seq: 2, reason }));
        assert_eq!(journal.read(&session, 0).await.unwrap(), records);
    }
    check(MemoryJournal::new()).await;
    let folder = tempfile::tempdir().unwrap();
    check(SqliteJournal::open(folder.path().join("runs.db")).unwrap()).await;
}

#[tokio::test]
async fn a_store_that_cannot_remove_data_says_so_and_removes_none() {
    let kept = MemoryJournal::new();
    let session = session(&kept).await;
    let before = kept.read(&session, 0).await.unwrap();
    let store = Store::over(kept.clone());
    let refused = redact_session(&store, &session, everything(&kept, &session).await).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the store failed: it does not redact records; implement `Journal::redact`"
    );
    let refused = erase_session(&store, &session, Erasure::new()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the store failed: it does not erase sessions; implement `Journal::erase`"
    );
    assert_eq!(kept.read(&session, 0).await.unwrap(), before);
}

#[tokio::test]
async fn a_reply_whose_calls_have_no_outcome_is_not_redacted() {
    let (journal, world) = (MemoryJournal::new(), World::default());
    let reply = vec![Reply::text(SECRET).call("tally_agreed", "{}"), Reply::text("done")];
    let agent = builder(&world, reply).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    let (session, reply) = (run.session_id().clone(), run.items()[1].id());
    let records = journal.read(&session, 0).await.unwrap();
    let replied = records.iter().find(|record| record.kind == "model.replied").unwrap().seq;
    for redaction in [Redaction::new().item(reply), Redaction::new().record(replied)] {
        let refused = redact_session(&journal, &session, redaction).await.unwrap_err();
        assert!(matches!(refused, JournalError::InUse { .. }), "{refused}");
    }
    assert_eq!(journal.read(&session, 0).await.unwrap(), records);
    // The words are no part of it.
    redact_session(&journal, &session, Redaction::new().item(run.items()[0].id())).await.unwrap();
    let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
    let call = run.waiting()[0].id().clone();
    run.approve_always(&call).await.unwrap();
    assert_eq!(run.finish().await.unwrap().to_string(), "done");
    redact_session(&journal, &session, Redaction::new().item(reply)).await.unwrap();
    assert!(!hold(&journal.read(&session, 0).await.unwrap(), SECRET));
    // Consent to a call whose arguments are gone is consent to no other one.
    let approvals = journal.read(&session, 0).await.unwrap();
    let approval = approvals.iter().find(|record| record.kind == "approval.given").unwrap();
    assert!(approval.is_redacted() && !approval.payload.contains("always"), "{approval:?}");
    let nothing = approvals.iter().find(|record| record.kind == "run.started").unwrap();
    let refused = redact_session(&journal, &session, Redaction::new().record(nothing.seq)).await.unwrap_err();
    assert!(matches!(refused, JournalError::NothingToRedact { .. }), "{refused}");
}

#[tokio::test]
async fn a_session_that_an_earlier_version_wrote_is_redacted_too() {
    let journal = MemoryJournal::new();
    let golden = include_str!("../golden/v1/chat.jsonl");
    let session = import_session(&journal, golden).await.unwrap();
    let before = journal.read(&session, 0).await.unwrap();
    let input = before.iter().find(|record| record.kind == "input.recorded").unwrap();
    assert!(input.v == 1 && input.payload.contains("A secret."));
    redact_session(&journal, &session, Redaction::new().record(input.seq)).await.unwrap();
    let after = journal.read(&session, 0).await.unwrap();
    assert!(!hold(&after, "A secret."));
    assert!(before.iter().zip(&after).all(|(before, after)| before.hash() == after.hash()));
    verify_session(&journal, &session, &Evidence::none()).await.unwrap();
    // Of such a record the chain alone does not cover the rest; the statement does.
    let mut forged = after.clone();
    let place = usize::try_from(input.seq).unwrap();
    forged[place].at += 1;
    let reason = "was changed after it was redacted";
    let journal = prefix(&forged, forged.len()).await;
    let refused = verify_session(&journal, &session, &Evidence::none()).await.unwrap_err();
    assert_eq!(refused, JournalError::Broken { seq: input.seq, reason });
}
