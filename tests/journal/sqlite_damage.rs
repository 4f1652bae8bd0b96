//! A file that was damaged: behind what a barrier acknowledged nothing is lost, and before it nothing is believed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use polyloop::{
    Durability, Ending, Journal, JournalError, Lease, Record, RunError, SessionId, SqliteJournal,
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{World, builder, rules, script};

/// The file and its log as they are on the disk, and how many events are acknowledged.
struct Copy {
    file: Vec<u8>,
    log: Vec<u8>,
    acknowledged: usize,
}

/// A store that is copied after each barrier.
#[derive(Clone)]
struct Copied {
    kept: SqliteJournal,
    path: PathBuf,
    copies: Arc<Mutex<Vec<Copy>>>,
}

impl Journal for Copied {
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
        let acknowledged = usize::try_from(seq).unwrap() + records.len();
        self.kept.append(lease, seq, records, durability).await?;
        if durability == Durability::Barrier {
            let (file, log) = (fs::read(&self.path).unwrap(), fs::read(log_of(&self.path)).unwrap());
            self.copies.lock().unwrap().push(Copy { file, log, acknowledged });
        }
        Ok(())
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.kept.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.kept.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        self.kept.watermark(session).await
    }
}

fn log_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

/// A place for files where nothing waits for a disk, if there is one: the same bytes are opened thousands of times.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Makes a file whose pages are as small as they can be, so that an append has few bytes.
fn file_of_small_pages(path: &Path) {
    let file = Connection::open(path).unwrap();
    file.execute_batch("PRAGMA page_size = 512; PRAGMA user_version = 0; VACUUM;").unwrap();
}

/// A whole run, copied after each of its barriers.
async fn copied_run(folder: &Path) -> (Vec<Record>, Vec<Copy>) {
    let path = folder.join("runs.db");
    file_of_small_pages(&path);
    let kept = SqliteJournal::open(&path).unwrap();
    let journal = Copied { kept, path, copies: Arc::default() };
    let world = World::default();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(world).inject(rules()).goal("go").await.unwrap();
    assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
    let records = journal.read(run.session_id(), 0).await.unwrap();
    let copies = std::mem::take(&mut *journal.copies.lock().unwrap());
    assert!(copies.len() > 6, "{} barriers", copies.len());
    (records, copies)
}

/// A log that was damaged behind a byte: cut there, or with that byte garbled.
fn damaged(log: &[u8], place: usize, cut: bool) -> Vec<u8> {
    let mut log = log.to_vec();
    if cut {
        log.truncate(place);
    } else {
        log[place] ^= 0x55;
    }
    log
}

fn write(path: &Path, file: &[u8], log: &[u8]) {
    fs::write(path, file).unwrap();
    fs::write(log_of(path), log).unwrap();
}

/// Opens the file as it is, without the store's threads: it is done often.
fn events_of(path: &Path) -> Vec<(u64, String, String)> {
    let file = Connection::open(path).unwrap();
    file.pragma_update(None, "locking_mode", "exclusive").unwrap();
    let mut events = file.prepare("SELECT seq, kind, prev_hash FROM events ORDER BY seq").unwrap();
    let events =
        events.query_map([], |row| Ok((row.get(0).map(i64::cast_unsigned)?, row.get(1)?, row.get(2)?)));
    events.unwrap().map(Result::unwrap).collect()
}

/// Every byte behind what a barrier acknowledged, up to the next one: of one record near the start of the log, and of
/// several at its end.
#[tokio::test]
async fn what_a_barrier_acknowledged_is_there_whatever_byte_behind_it_is_damaged() {
    let folder = folder();
    let (records, copies) = copied_run(folder.path()).await;
    let events: Vec<_> = records
        .iter()
        .map(|record| (record.seq, record.kind.to_string(), record.prev_hash.to_string()))
        .collect();
    let path = folder.path().join("copy.db");
    let mut lost = 0;
    for first in [0, copies.len() - 2] {
        let (before, after) = (&copies[first], &copies[first + 1]);
        for place in before.log.len()..after.log.len() {
            for cut in [true, false] {
                write(&path, &after.file, &damaged(&after.log, place, cut));
                let kept = events_of(&path);
                let whole = [before.acknowledged, after.acknowledged].contains(&kept.len());
                assert!(whole, "{place}: {} events, all of an append or nothing", kept.len());
                assert_eq!(kept, events[..kept.len()], "{place}");
                lost += usize::from(kept.len() == before.acknowledged);
            }
        }
    }
    assert!(lost > 0, "some damage was met");
}

/// The same through the store, at fewer places: whatever is left goes on.
#[tokio::test]
async fn a_run_goes_on_from_a_log_that_was_damaged_behind_a_barrier() {
    let folder = folder();
    let (records, copies) = copied_run(folder.path()).await;
    let session = &records[0].session;
    for (number, pair) in copies.windows(2).enumerate() {
        let (before, after) = (&pair[0], &pair[1]);
        for place in (before.log.len()..after.log.len()).step_by(499) {
            for cut in [true, false] {
                let path = folder.path().join(format!("{number}-{place}-{cut}.db"));
                write(&path, &after.file, &damaged(&after.log, place, cut));
                let journal = SqliteJournal::open(&path).unwrap();
                let kept = journal.read(session, 0).await.unwrap();
                assert_eq!(kept, records[..kept.len()], "{place}");
                assert!(kept.len() >= before.acknowledged, "{place}: {} events", kept.len());
                assert_eq!(journal.watermark(session).await.unwrap(), kept.len() as u64);
                let world = World::default();
                let agent = builder(&world, script()).journal(journal).build().unwrap();
                let mut run = agent.resume(world, session.clone()).await.unwrap();
                assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer, "{place}");
            }
        }
    }
}

/// A file with a run of two incarnations.
async fn taken_up(folder: &Path) -> (PathBuf, Vec<Record>) {
    let path = folder.join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap();
    let world = World::default();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let session = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap().session_id().clone();
    let mut run = agent.resume(world, session.clone()).await.unwrap();
    run.finish().await.unwrap();
    let records = journal.read(&session, 0).await.unwrap();
    (path, records)
}

/// What a file says to whoever takes the run up after a change, which is undone afterwards.
async fn refusal(path: &Path, session: &SessionId, change: &str) -> RunError {
    let file = Connection::open(path).unwrap();
    let copy = path.with_extension("changed");
    file.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    let changed = Connection::open(&copy).unwrap();
    changed.pragma_update(None, "foreign_keys", false).unwrap();
    // Whoever changes a row takes away what keeps it from being changed, and puts it back.
    let triggers = "SELECT group_concat(sql || ';', ' ') FROM sqlite_schema WHERE tbl_name = 'events' AND type = 'trigger'";
    let triggers: String = changed.query_row(triggers, [], |row| row.get(0)).unwrap();
    changed
        .execute_batch("DROP TRIGGER events_are_not_changed; DROP TRIGGER events_are_not_removed;")
        .unwrap();
    assert_eq!(changed.execute(change, []).unwrap(), 1, "{change}");
    changed.execute_batch(&triggers).unwrap();
    drop(changed);
    let journal = SqliteJournal::open(&copy).unwrap();
    let world = World::default();
    let agent = builder(&world, script()).journal(journal).build().unwrap();
    let error = agent.resume(world, session.clone()).await.expect_err(change);
    drop(agent);
    fs::remove_file(&copy).unwrap();
    error
}

#[tokio::test]
async fn a_row_that_was_changed_in_any_column_is_refused_with_the_number_of_its_event() {
    let folder = folder();
    let (path, records) = taken_up(folder.path()).await;
    for seq in [1, records.len() / 2, records.len() - 2] {
        for change in [
            "session = 'other'",
            "seq = 1000",
            "run = run + 1",
            "epoch = epoch + 1",
            "kind = kind || '.'",
            "v = v + 1",
            "prev_hash = replace(prev_hash, substr(prev_hash, 1, 1), 'x')",
            "ignorable = 1 - ignorable",
            "ignorable = 7",
            "payload = payload || ' '",
            "payload = CAST(x'ff' AS TEXT)",
            "payload = NULL, blob = x'00'",
            "at = at + 1",
            "at = -1",
        ] {
            let change = format!("UPDATE events SET {change} WHERE seq = {seq}");
            let error = refusal(&path, &records[0].session, &change).await;
            let RunError::Journal(
                JournalError::Broken { seq: named, .. } | JournalError::Unreadable { seq: named, .. },
            ) = error
            else {
                panic!("{change}: {error}")
            };
            // `prev_hash` is what the row says of the one before it; which of the two was changed nobody can tell.
            let before = u64::from(change.contains("prev_hash"));
            assert_eq!(named + before, seq as u64, "{change}: {error}");
        }
        let error =
            refusal(&path, &records[0].session, &format!("DELETE FROM events WHERE seq = {seq}")).await;
        let reason = "is missing";
        assert_eq!(error, RunError::Journal(JournalError::Broken { seq: seq as u64, reason }));
    }
}

#[tokio::test]
async fn a_lease_that_is_gone_or_lower_than_that_of_an_event_is_refused_with_the_events_number() {
    let folder = folder();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap();
    let world = World::default();
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    let session = agent.on(world.clone()).inject(rules()).goal("go").await.unwrap().session_id().clone();
    for _ in 0..2 {
        drop(agent.resume(world.clone(), session.clone()).await.unwrap());
    }
    let seq = journal.read(&session, 0).await.unwrap().len() as u64 - 1;
    for change in ["DELETE FROM leases", "UPDATE leases SET epoch = 2"] {
        let error = refusal(&path, &session, change).await;
        let reason = "has a lease that the store does not know of";
        assert_eq!(error, RunError::Journal(JournalError::Broken { seq, reason }), "{change}");
    }
}
