//! Large payloads in the file: kept once, and checked when they are read.

use polyloop::{
    Durability, Ending, Journal, JournalError, Record, Reply, RunError, SessionId, SqliteJournal,
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::sqlite::records;
use crate::support::{World, builder, script, tally_reply};

/// A payload of so many bytes.
fn payload(bytes: usize) -> std::sync::Arc<str> {
    format!("\"{}\"", "ü".repeat((bytes - 2) / 2)).into()
}

async fn file() -> (TempDir, SqliteJournal, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    // As somebody who damages the file: nothing holds it together any more.
    other.pragma_update(None, "foreign_keys", false).unwrap();
    (folder, journal, other)
}

async fn append(journal: &SqliteJournal, records: &[Record]) {
    let lease = journal.lease(&records[0].session).await.unwrap();
    journal.append(&lease, 0, records.to_vec(), Durability::Barrier).await.unwrap();
}

fn blobs(file: &Connection) -> u32 {
    file.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_large_payload_is_kept_once_and_read_back_wherever_it_stands() {
    let (_folder, journal, file) = file().await;
    let mut records = records().await;
    records[1].payload = payload(4094);
    records[2].payload = payload(4096);
    records[3].payload = payload(50_000);
    records[5].payload = payload(4096);
    append(&journal, &records).await;
    assert_eq!(blobs(&file), 2);
    let session = SessionId::from("other");
    let others: Vec<Record> =
        records.iter().map(|record| Record { session: session.clone(), ..record.clone() }).collect();
    append(&journal, &others).await;
    assert_eq!(blobs(&file), 2, "also in another session");
    assert_eq!(journal.read(&records[0].session, 0).await.unwrap(), records);
    assert_eq!(journal.read(&session, 0).await.unwrap(), others);
    let apart: Vec<u64> = file
        .prepare("SELECT seq FROM events WHERE payload IS NULL AND session = 'other' ORDER BY seq")
        .unwrap()
        .query_map([], |row| row.get(0).map(i64::cast_unsigned))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(apart, [2, 3, 5]);
}

#[tokio::test]
async fn an_append_that_is_refused_leaves_no_payload() {
    let (_folder, journal, file) = file().await;
    let mut records = records().await;
    records[1].payload = payload(5000);
    let session = &records[0].session;
    let lease = journal.lease(session).await.unwrap();
    let twice = vec![records[0].clone(), records[1].clone(), records[1].clone()];
    journal.append(&lease, 0, twice, Durability::Barrier).await.unwrap_err();
    assert_eq!(blobs(&file), 0);
    journal.append(&lease, 0, records.clone(), Durability::Barrier).await.unwrap();
    assert_eq!((blobs(&file), journal.read(session, 0).await.unwrap()), (1, records));
}

#[tokio::test]
async fn payloads_that_are_kept_apart_cannot_be_changed_or_removed() {
    let (_folder, journal, file) = file().await;
    let mut records = records().await;
    records[1].payload = payload(5000);
    append(&journal, &records).await;
    let refused = |statement: &str| file.execute(statement, []).unwrap_err().to_string();
    assert_eq!(refused("UPDATE blobs SET content = ''"), "blobs are appended, never changed");
    assert_eq!(refused("DELETE FROM blobs"), "blobs are appended, never removed");
}

/// A run whose tool is told a long line: its reply, its intent and its outcome are large.
#[tokio::test]
async fn a_payload_that_was_changed_or_is_gone_is_refused_with_the_number_of_its_event() {
    let (_folder, journal, file) = file().await;
    let world = World::default();
    let replies = vec![tally_reply(&"long ".repeat(1000)), Reply::text("done")];
    let agent = builder(&world, replies).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world.clone()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    let session = run.session_id().clone();
    let large: Vec<i64> = file
        .prepare("SELECT seq FROM events WHERE blob IS NOT NULL ORDER BY seq")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(large.len() > 2, "{large:?}");
    file.execute_batch("DROP TRIGGER blobs_are_not_changed; DROP TRIGGER blobs_are_not_removed;").unwrap();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    for seq in large {
        let of_event = format!("hash = (SELECT blob FROM events WHERE seq = {seq})");
        for (damage, reason) in [
            (
                format!("UPDATE blobs SET content = content || ' ' WHERE {of_event}"),
                "has a payload that was changed",
            ),
            (format!("DELETE FROM blobs WHERE {of_event}"), "has lost its payload"),
        ] {
            let kept: (Vec<u8>, String) = file
                .query_row(&format!("SELECT hash, content FROM blobs WHERE {of_event}"), [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .unwrap();
            assert_eq!(file.execute(&damage, []).unwrap(), 1);
            let broken = JournalError::Broken { seq: seq.cast_unsigned(), reason };
            assert_eq!(journal.read(&session, 0).await.unwrap_err(), broken);
            let error = agent.resume(world.clone(), session.clone()).await.unwrap_err();
            assert_eq!(error, RunError::Journal(broken));
            file.execute("INSERT OR REPLACE INTO blobs (hash, content) VALUES (?1, ?2)", kept).unwrap();
        }
    }
    journal.read(&session, 0).await.unwrap();
}
