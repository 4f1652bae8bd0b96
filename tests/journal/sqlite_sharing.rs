//! The file between several who write to it, and what becomes of its log.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use polyloop::{Durability, Journal, JournalError, Record, SessionId, SqliteJournal};
use rusqlite::Connection;

use crate::sqlite::records;

/// How many transactions a log holds: frames that say how large the file is after them end one.
fn commits(path: &Path) -> usize {
    let log = fs::read(path.with_extension("db-wal")).unwrap();
    let frames = log[32..].chunks_exact(4096 + 24);
    frames.filter(|frame| frame[4..8] != [0; 4]).count()
}

#[test]
fn a_file_says_whose_it_is_and_that_it_has_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let _journal = SqliteJournal::open(&path).unwrap();
    let file = Connection::open(&path).unwrap();
    let text = |pragma: &str| -> String { file.query_row(pragma, [], |row| row.get(0)).unwrap() };
    let number = |pragma: &str| -> i64 { file.query_row(pragma, [], |row| row.get(0)).unwrap() };
    assert_eq!(text("PRAGMA journal_mode"), "wal");
    assert_eq!(number("PRAGMA application_id"), i64::from(u32::from_be_bytes(*b"plop")));
    assert_eq!(number("PRAGMA user_version"), 2);
}

#[tokio::test]
async fn appends_that_wait_at_the_same_time_share_a_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journals = [SqliteJournal::open(&path).unwrap(), SqliteJournal::open(&path).unwrap()];
    let records = records().await;
    let mut appends = Vec::new();
    for number in 0..60 {
        let session = SessionId::from(format!("{number}"));
        let journal = &journals[number % 2];
        let lease = journal.lease(&session).await.unwrap();
        let rows =
            records.iter().map(|record| Record { session: session.clone(), ..record.clone() }).collect();
        appends.push(async move { journal.append(&lease, 0, rows, Durability::Barrier).await });
    }
    let before = commits(&path);
    // While another process writes nobody else does.
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut appends = Box::pin(join_all(appends));
    assert!((&mut appends).now_or_never().is_none(), "all of them wait");
    other.execute_batch("ROLLBACK").unwrap();
    assert!(appends.await.into_iter().all(|appended| appended.is_ok()));
    // The thread may have begun with the first ones alone.
    let shared = commits(&path) - before;
    assert!((1..=2).contains(&shared), "{shared} transactions");
}

#[tokio::test]
async fn what_another_process_wrote_in_between_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap();
    let records = records().await;
    let session = &records[0].session;
    let lease = journal.lease(session).await.unwrap();
    let append = async |seq: u64| {
        let record = records[usize::try_from(seq).unwrap()].clone();
        journal.append(&lease, seq, vec![record], Durability::Barrier).await
    };
    append(0).await.unwrap();
    append(1).await.unwrap();
    let other = Connection::open(&path).unwrap();
    let copy = "INSERT INTO events (session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, at) \
                SELECT session, 2, run, epoch, kind, v, prev_hash, ignorable, payload, at FROM events \
                WHERE seq = 1";
    other.execute(copy, []).unwrap();
    assert_eq!(append(2).await, Err(JournalError::OutOfOrder { seq: 2, next: 3 }));
    append(3).await.unwrap();
    other.execute("UPDATE leases SET epoch = epoch + 1", []).unwrap();
    assert_eq!(append(4).await, Err(JournalError::Fenced { held: 1, current: 2 }));
}

#[tokio::test]
async fn a_store_that_fails_inside_a_transaction_keeps_nothing_of_it_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap();
    let records = records().await;
    let session = &records[0].session;
    let lease = journal.lease(session).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch(
            "CREATE TRIGGER full AFTER INSERT ON events WHEN NEW.seq = 3 \
             BEGIN SELECT RAISE(ABORT, 'the disk is full'); END;",
        )
        .unwrap();
    let append = async || journal.append(&lease, 0, records.clone(), Durability::Barrier).await;
    let full = JournalError::Store { message: "the disk is full".to_owned() };
    assert_eq!(append().await, Err(full));
    assert!(journal.read(session, 0).await.unwrap().is_empty());
    other.execute_batch("DROP TRIGGER full").unwrap();
    append().await.unwrap();
    assert_eq!(journal.read(session, 0).await.unwrap(), records);
}

#[tokio::test]
async fn the_log_is_moved_into_the_file_when_nobody_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap();
    let mut records = records().await;
    records[0].payload = "\"a text that stands nowhere else\"".into();
    let lease = journal.lease(&records[0].session).await.unwrap();
    journal.append(&lease, 0, records.clone(), Durability::Barrier).await.unwrap();
    let has_it = || {
        let file = fs::read(&path).unwrap();
        file.windows(31).any(|bytes| bytes == b"a text that stands nowhere else")
    };
    let moved = async {
        while !has_it() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), moved).await.expect("it is moved some time");
    assert_eq!(journal.read(&records[0].session, 0).await.unwrap(), records);
}

#[tokio::test]
async fn sessions_are_listed_in_the_order_of_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
    let memory = polyloop::MemoryJournal::new();
    let records = records().await;
    for id in ["b", "ä", "a", "B", "10", "9"] {
        let session = SessionId::from(id);
        let rows = vec![Record { session: session.clone(), ..records[0].clone() }];
        let lease = file.lease(&session).await.unwrap();
        file.append(&lease, 0, rows.clone(), Durability::Relaxed).await.unwrap();
        let lease = memory.lease(&session).await.unwrap();
        memory.append(&lease, 0, rows, Durability::Relaxed).await.unwrap();
    }
    file.lease(&SessionId::from("nothing was written")).await.unwrap();
    let ids = ["10", "9", "B", "a", "b", "ä"].map(SessionId::from);
    assert_eq!(file.list().await.unwrap(), ids);
    assert_eq!(memory.list().await.unwrap(), ids);
}

#[tokio::test]
async fn a_process_that_never_stops_writing_keeps_no_other_one_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = stop.clone();
    // As with a disk that takes some milliseconds for a sync: one transaction close behind another.
    let other = thread::spawn(move || {
        let other = Connection::open(&path).unwrap();
        while !stopping.load(Ordering::Relaxed) {
            if other.execute_batch("BEGIN IMMEDIATE").is_ok() {
                thread::sleep(Duration::from_millis(6));
                other.execute_batch("COMMIT").unwrap();
                thread::sleep(Duration::from_micros(50));
            }
        }
    });
    let mut leases = Vec::new();
    for number in 0..100 {
        leases.push(journal.lease(&SessionId::from(format!("{number}"))).await);
    }
    stop.store(true, Ordering::Relaxed);
    other.join().unwrap();
    assert!(leases.iter().all(Result::is_ok), "{leases:?}");
}
