//! The store in a file: what it refuses, and what it keeps.

use std::fs;
use std::path::Path;

use polyloop::{
    Durability, Ending, Journal, JournalError, Lease, MemoryJournal, Record, Reply, SessionId, SqliteJournal,
    export_session, import_session,
};

use crate::support::{World, builder, rules, script, tally_reply};

/// A session as a run writes it.
pub(crate) async fn records() -> Vec<Record> {
    let journal = MemoryJournal::new();
    let world = World::default();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world).inject(rules()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    journal.read(run.session_id(), 0).await.unwrap()
}

fn message(error: JournalError) -> String {
    let JournalError::Store { message } = error else { panic!("{error}") };
    message
}

/// What is said of a file that cannot be opened, behind its name.
fn refused(path: &Path) -> String {
    let message = message(SqliteJournal::open(path).unwrap_err());
    let named = format!("the file `{}` cannot be opened: ", path.display());
    message.strip_prefix(&named).unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[tokio::test]
async fn what_was_appended_is_read_back_as_it_was_also_by_another_connection() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let records = records().await;
    let session = records[0].session.clone();
    let journal = SqliteJournal::open(&path).unwrap();
    let lease = journal.lease(&session).await.unwrap();
    journal.append(&lease, 0, records.clone(), Durability::Barrier).await.unwrap();
    for journal in [journal, SqliteJournal::open(&path).unwrap()] {
        assert_eq!(journal.read(&session, 0).await.unwrap(), records);
        assert_eq!(journal.read(&session, 5).await.unwrap(), records[5..]);
        assert_eq!(journal.list().await.unwrap(), std::slice::from_ref(&session));
        assert_eq!(journal.watermark(&session).await.unwrap(), records.len() as u64);
    }
}

#[tokio::test]
async fn what_is_relaxed_is_durable_when_the_watermark_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let records = records().await;
    let session = &records[0].session;
    let journal = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
    let lease = journal.lease(session).await.unwrap();
    journal.append(&lease, 0, records[..2].to_vec(), Durability::Relaxed).await.unwrap();
    assert_eq!(journal.read(session, 0).await.unwrap().len(), 2);
    assert_eq!(journal.watermark(session).await.unwrap(), 2);
    journal.append(&lease, 2, records[2..3].to_vec(), Durability::Barrier).await.unwrap();
    assert_eq!(journal.watermark(session).await.unwrap(), 3);
}

#[tokio::test]
async fn an_append_is_refused_without_the_last_lease_or_at_another_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let (journal, other) = (SqliteJournal::open(&path).unwrap(), SqliteJournal::open(&path).unwrap());
    let records = records().await;
    let session = &records[0].session;
    let first = journal.lease(session).await.unwrap();
    let append = async |lease: &Lease, seq| {
        journal.append(lease, seq, records[..1].to_vec(), Durability::Barrier).await
    };
    append(&first, 0).await.unwrap();
    assert_eq!(append(&first, 0).await, Err(JournalError::OutOfOrder { seq: 0, next: 1 }));
    let second = other.lease(session).await.unwrap();
    assert_eq!(append(&first, 1).await, Err(JournalError::Fenced { held: 1, current: 2 }));
    let nobody = Lease { session: SessionId::from("nobody"), epoch: 1 };
    let none = JournalError::NoSuchSession { session: "nobody".to_owned() };
    assert_eq!(append(&nobody, 0).await, Err(none));
    // All or nothing: the second record has a number that is there already.
    let twice = vec![records[1].clone(), records[1].clone()];
    let refused = other.append(&second, 1, twice, Durability::Barrier).await;
    assert_eq!(refused, Err(JournalError::OutOfOrder { seq: 1, next: 2 }));
    let foreign = vec![Record { session: SessionId::from("other"), ..records[1].clone() }];
    let refused = other.append(&second, 1, foreign, Durability::Barrier).await;
    assert_eq!(refused, Err(JournalError::Broken { seq: 1, reason: "belongs to another session" }));
    assert_eq!(journal.read(session, 0).await.unwrap(), records[..1]);
    other.append(&second, 1, records[1..2].to_vec(), Durability::Barrier).await.unwrap();
}

#[tokio::test]
async fn a_lease_at_a_place_is_taken_from_nobody_who_went_on() {
    async fn check(journal: impl Journal, records: &[Record]) {
        let session = &records[0].session;
        let held = journal.lease_at(session, 0).await.unwrap();
        // Who only has a lease has not gone on.
        let held = Lease { epoch: held.epoch + 1, ..held };
        assert_eq!(journal.lease_at(session, 0).await, Ok(held.clone()));
        journal.append(&held, 0, records[..2].to_vec(), Durability::Barrier).await.unwrap();
        for seq in [0, 1] {
            assert_eq!(journal.lease_at(session, seq).await, Err(JournalError::OutOfOrder { seq, next: 2 }));
        }
        journal.append(&held, 2, records[2..3].to_vec(), Durability::Barrier).await.unwrap();
        let next = journal.lease_at(session, 3).await.unwrap();
        assert_eq!(next.epoch, held.epoch + 1);
        let nobody = SessionId::from("nobody");
        let refused = journal.lease_at(&nobody, 1).await;
        assert_eq!(refused, Err(JournalError::OutOfOrder { seq: 1, next: 0 }));
    }
    let (folder, records) = (tempfile::tempdir().unwrap(), records().await);
    check(SqliteJournal::open(folder.path().join("runs.db")).unwrap(), &records).await;
    check(MemoryJournal::new(), &records).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_runs_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
    let runs = (0..40).map(|_| {
        let world = World::default();
        let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
        tokio::spawn(async move {
            let mut run = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap();
            (run.finish().await.unwrap().ending, world.log.count("tally"))
        })
    });
    for run in runs.collect::<Vec<_>>() {
        assert_eq!(run.await.unwrap(), (Ending::FinalAnswer, 1));
    }
    assert_eq!(journal.list().await.unwrap().len(), 40);
}

#[tokio::test]
async fn events_cannot_be_changed_or_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let records = records().await;
    let journal = SqliteJournal::open(&path).unwrap();
    let lease = journal.lease(&records[0].session).await.unwrap();
    journal.append(&lease, 0, records, Durability::Barrier).await.unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let refused = |statement: &str| connection.execute(statement, []).unwrap_err().to_string();
    assert_eq!(refused("UPDATE events SET at = 0"), "events are appended, never changed");
    assert_eq!(refused("DELETE FROM events WHERE seq = 1"), "events are appended, never removed");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_its_owners_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
    journal.lease(&SessionId::from("any")).await.unwrap();
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
    assert!(files.len() > 1, "the log stands beside it");
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
}

#[test]
fn a_file_of_somebody_else_is_refused_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE mine (a)").unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    assert_eq!(refused(&path), "it is another application's database; name a file of its own");
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::write(&path, "no database at all, but long enough to be one".repeat(30)).unwrap();
    assert_eq!(refused(&path), "file is not a database");
    assert!(refused(&folder.path().join("no/such/folder/runs.db")).ends_with("; make its folder first"));
}

#[test]
fn a_file_of_another_version_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    drop(SqliteJournal::open(&path).unwrap());
    for (version, said) in [
        (3, "it has the version 3, and 2 is the one that is known; use a newer library"),
        (
            1,
            "it has the version 1, from before the first release, and 2 is the one that is known; name a new file",
        ),
    ] {
        let file = rusqlite::Connection::open(&path).unwrap();
        file.execute_batch(&format!("PRAGMA user_version = {version}")).unwrap();
        drop(file);
        assert_eq!(refused(&path), said);
    }
}

#[tokio::test]
async fn after_a_commit_that_failed_nothing_more_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let records = records().await;
    let session = &records[0].session;
    let journal = SqliteJournal::open(&path).unwrap();
    let lease = journal.lease(session).await.unwrap();
    // What is wrong shows only when the transaction is committed, as with a disk that does not sync.
    let fails_late = "CREATE TABLE parent (a INTEGER PRIMARY KEY);
        CREATE TABLE child (a REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER late AFTER INSERT ON events BEGIN INSERT INTO child VALUES (1); END;";
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch(fails_late).unwrap();
    let append = async || journal.append(&lease, 0, records[..1].to_vec(), Durability::Barrier).await;
    let first = append().await.unwrap_err();
    assert_eq!(
        message(first.clone()),
        "FOREIGN KEY constraint failed; nothing more is written, open the file again"
    );
    other.execute_batch("DROP TRIGGER late").unwrap();
    assert_eq!(append().await.unwrap_err(), first, "also where it would succeed now");
    assert_eq!(journal.lease(session).await.unwrap_err(), first);
    let reopened = SqliteJournal::open(&path).unwrap();
    assert!(reopened.list().await.unwrap().is_empty());
    reopened.append(&lease, 0, records[..1].to_vec(), Durability::Barrier).await.unwrap();
}

/// The file and its log are copied after a barrier, and the log is cut or garbled behind its end.
#[tokio::test]
async fn what_a_barrier_acknowledged_is_there_whatever_stands_behind_it_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let records = records().await;
    let session = &records[0].session;
    let journal = SqliteJournal::open(&path).unwrap();
    let lease = journal.lease(session).await.unwrap();
    let log_of = |path: &Path| path.with_extension("db-wal");
    journal.append(&lease, 0, records[..8].to_vec(), Durability::Barrier).await.unwrap();
    let acknowledged = usize::try_from(fs::metadata(log_of(&path)).unwrap().len()).unwrap();
    journal.append(&lease, 8, records[8..].to_vec(), Durability::Barrier).await.unwrap();
    // Both at once, before an idle moment moves the log into the file.
    let (file, log) = (fs::read(&path).unwrap(), fs::read(log_of(&path)).unwrap());
    assert!(log.len() > acknowledged, "the second append stands behind the first");
    for place in (acknowledged..log.len()).step_by(97) {
        for cut in [true, false] {
            let copy = folder.path().join(format!("{place}-{cut}.db"));
            fs::write(&copy, &file).unwrap();
            let mut damaged = log.clone();
            if cut {
                damaged.truncate(place);
            } else {
                damaged[place] ^= 0x55;
            }
            fs::write(log_of(&copy), damaged).unwrap();
            let reopened = SqliteJournal::open(&copy).unwrap();
            let kept = reopened.read(session, 0).await.unwrap();
            assert!(kept.len() == 8 || kept.len() == records.len(), "{place}: all of an append or nothing");
            assert_eq!(kept, records[..kept.len()], "{place}");
        }
    }
}

#[tokio::test]
async fn ids_and_words_may_hold_whatever_a_string_can_hold() {
    let folder = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(folder.path().join("a.db")).unwrap();
    for id in ["\0", "a\0b", "a/b/../c", "ü\u{202e}", "'; drop table", "a\0c"] {
        let world = World::default();
        let agent = builder(&world, vec![tally_reply("a\\u0000b"), Reply::text("x\0y")])
            .journal(journal.clone())
            .build()
            .unwrap();
        let mut run = agent.on(world.clone()).session(id).goal("a\0b").await.unwrap();
        run.finish().await.unwrap();
        let mut run = agent.resume(world.clone(), id).await.unwrap();
        assert_eq!(run.finish().await.unwrap().to_string(), "x\0y");
        assert_eq!(run.items().len(), 4);
    }
    assert_eq!(journal.list().await.unwrap().len(), 6);
    let lines = export_session(&journal, &"a\0b".into()).await.unwrap();
    import_session(&MemoryJournal::new(), &lines).await.unwrap();
}
