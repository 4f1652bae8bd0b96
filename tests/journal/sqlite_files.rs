//! The file of a journal under hostile conditions: its path, its permissions, and its contents; and the file between two
//! processes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use polyloop::{
    Durability, Ending, Journal, JournalError, Lease, Record, Reply, RunError, Scripted, SessionId,
    SqliteJournal,
};
use rusqlite::Connection;

use crate::sqlite::records;
use crate::support::{App, World, builder};

/// What the store says of a file that it does not open.
fn refusal(path: impl AsRef<Path>) -> String {
    match SqliteJournal::open(path) {
        Err(JournalError::Store { message }) => message,
        other => panic!("{other:?}"),
    }
}

/// A file with one session of a whole run.
async fn written(path: &Path) -> SessionId {
    let records = records().await;
    let session = records[0].session.clone();
    let journal = SqliteJournal::open(path).unwrap();
    journal.import(records).await.unwrap();
    session
}

#[test]
fn names_that_sqlite_gives_another_meaning_are_refused_without_a_file() {
    assert!(refusal(":memory:").contains("use `MemoryJournal`"));
    assert!(!Path::new(":memory:").exists());
    assert!(refusal("").contains("the path is empty; name a file"));
    assert!(refusal("..").contains("names no file"));
    let folder = tempfile::tempdir().unwrap();
    assert!(refusal(folder.path()).contains("it is not a regular file; name another one"));
}

#[tokio::test]
async fn a_path_that_looks_like_a_uri_names_the_file_of_that_name() {
    // A relative path, since an absolute one never looks like a URI.
    let bare = format!("polyloop-uri-{}.db", std::process::id());
    let path = format!("file:{bare}?mode=memory");
    for left in [path.clone(), format!("{path}-wal"), format!("{path}-shm")] {
        drop(fs::remove_file(left));
    }
    let journal = SqliteJournal::open(&path).unwrap();
    journal.import(records().await).await.unwrap();
    let there = (Path::new(&path).exists(), Path::new(&bare).exists());
    assert_eq!(SqliteJournal::open(&path).unwrap().list().await.unwrap().len(), 1);
    drop(journal);
    fs::remove_file(&path).unwrap();
    // The journal's thread closes the file soon after, which removes these.
    for _ in 0..100 {
        if ["-wal", "-shm"].iter().all(|end| !Path::new(&format!("{path}{end}")).exists()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for left in ["-wal", "-shm"] {
        drop(fs::remove_file(format!("{path}{left}")));
    }
    assert_eq!(there, (true, false));
}

#[cfg(unix)]
mod permissions {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn beside(path: &Path, suffix: &str) -> PathBuf {
        PathBuf::from(format!("{}{suffix}", path.display()))
    }

    #[tokio::test]
    async fn a_file_that_others_may_read_is_closed_to_them_with_the_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        for (number, (file, log)) in [(0o666, 0o600), (0o600, 0o644), (0o640, 0o606)].into_iter().enumerate()
        {
            // Somebody else's program made them, or another user before there was a journal.
            for (path, mode) in
                [(path.clone(), file), (beside(&path, "-wal"), log), (beside(&path, "-shm"), log)]
            {
                fs::OpenOptions::new().append(true).create(true).open(&path).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
            let journal = SqliteJournal::open(&path).unwrap();
            journal.lease(&SessionId::from(number.to_string())).await.unwrap();
            for suffix in ["", "-wal", "-shm"] {
                assert_eq!(mode(&beside(&path, suffix)), 0o600, "{file:o} {log:o} {suffix}");
            }
        }
    }

    #[tokio::test]
    async fn a_link_to_a_file_is_refused_and_so_are_links_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("runs.db"), folder.path().join("public.db"));
        fs::write(&target, "").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o666)).unwrap();
        symlink(&target, &path).unwrap();
        assert!(refusal(&path).contains("it is a symbolic link; name the file that it leads to"));
        assert_eq!((fs::read(&target).unwrap().len(), mode(&target)), (0, 0o666), "it stays as it is");
        fs::remove_file(&path).unwrap();
        symlink(&target, beside(&path, "-wal")).unwrap();
        let message = refusal(&path);
        assert!(message.contains("runs.db-wal` beside it: it is a symbolic link"), "{message}");
        fs::remove_file(beside(&path, "-wal")).unwrap();
        fs::hard_link(&target, folder.path().join("other.db")).unwrap();
        assert!(refusal(&target).contains("it has 2 hard links"));
        // A link to a folder on the way leads where it leads.
        let inside = folder.path().join("folder");
        fs::create_dir(&inside).unwrap();
        symlink(&inside, folder.path().join("link")).unwrap();
        written(&folder.path().join("link/runs.db")).await;
        assert!(inside.join("runs.db").exists());
    }

    #[test]
    fn a_file_of_another_user_is_refused_and_so_is_a_log_of_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        fs::write(beside(&path, "-journal"), "").unwrap();
        if chown(beside(&path, "-journal"), Some(12_345), None).is_err() {
            // Only the administrator can give a file away.
            return;
        }
        assert!(refusal(&path).contains("runs.db-journal` beside it: it belongs to the user 12345"));
        chown(&path, Some(12_345), None).unwrap();
        assert!(refusal(&path).contains("cannot be opened: it belongs to the user 12345"));
    }
}

#[tokio::test]
async fn a_file_with_other_tables_than_the_library_makes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let session = written(&path).await;
    let endless = "ALTER TABLE events RENAME TO kept; CREATE VIEW events AS WITH RECURSIVE n (i) AS \
                   (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 's' AS session, i AS seq, 1 AS run, \
                   1 AS epoch, 'x' AS kind, 1 AS v, '' AS prev_hash, 0 AS ignorable, '' AS payload, \
                   NULL AS blob, 0 AS at FROM n;";
    for (change, named) in [
        ("DROP TRIGGER events_are_not_changed", "`events_are_not_changed` is missing"),
        ("DROP TABLE blobs; CREATE TABLE blobs (hash, content)", "`blobs"),
        (endless, "`events"),
        (
            "CREATE TRIGGER steals AFTER INSERT ON events BEGIN DELETE FROM leases; END",
            "`steals` is not the library's",
        ),
        ("CREATE INDEX hides ON Events (kind) WHERE 0", "`hides` is not the library's"),
        (
            "DROP TRIGGER events_are_not_removed; CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events \
             BEGIN SELECT 1; END",
            "`events_are_not_removed` is not the one that the library makes",
        ),
    ] {
        let copy = folder.path().join("copy.db");
        fs::copy(&path, &copy).unwrap();
        let file = Connection::open(&copy).unwrap();
        file.execute_batch(change).unwrap();
        drop(file);
        let message = refusal(&copy);
        assert!(
            message.contains(named) && message.contains("nothing in it is believed"),
            "{change}: {message}"
        );
    }
    // What a backup program keeps in tables of its own disturbs nobody.
    let file = Connection::open(&path).unwrap();
    file.execute_batch(
        "CREATE TABLE _backup (at INTEGER); CREATE VIEW _last AS SELECT max(at) FROM _backup; ANALYZE",
    )
    .unwrap();
    drop(file);
    let journal = SqliteJournal::open(&path).unwrap();
    assert!(!journal.read(&session, 0).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_session_with_a_negative_number_is_refused_and_the_others_are_not() {
    for change in [
        "UPDATE events SET seq = -1",
        "UPDATE events SET seq = -1 - seq",
        "UPDATE events SET epoch = -1",
        "UPDATE leases SET epoch = -5",
        "UPDATE leases SET epoch = 9223372036854775807",
        "UPDATE events SET run = -7",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let session = written(&path).await;
        let file = Connection::open(&path).unwrap();
        let triggers = "SELECT sql FROM sqlite_schema WHERE name = 'events_are_not_changed'";
        let trigger: String = file.query_row(triggers, [], |row| row.get(0)).unwrap();
        let first =
            if change.contains("seq = -1") && !change.contains("- seq") { " WHERE seq = 0" } else { "" };
        file.execute_batch(&format!("DROP TRIGGER events_are_not_changed; {change}{first}; {trigger}"))
            .unwrap();
        drop(file);
        let journal = SqliteJournal::open(&path).unwrap();
        let world = World::default();
        let agent = builder(&world, vec![Reply::text("one")]).journal(journal.clone()).build().unwrap();
        let taken = async {
            let begun = agent.on(world.clone()).session(session.clone()).goal("go").await;
            assert!(matches!(begun, Err(RunError::Journal(_))), "{change}: {begun:?}");
            let read = journal.read(&session, 0).await;
            assert!(change.contains("leases") || read.is_err(), "{change}: {read:?}");
            journal.lease(&SessionId::from("another")).await.unwrap();
        };
        tokio::time::timeout(Duration::from_secs(20), taken).await.expect(change);
    }
}

/// A store that has a session where a lease is taken, and does not have it where it is read.
struct Contradictory(SqliteJournal);

impl Journal for Contradictory {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.0.lease(session).await
    }

    async fn lease_at(&self, _: &SessionId, seq: u64) -> Result<Lease, JournalError> {
        Err(JournalError::OutOfOrder { seq, next: seq + 1 })
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        rows: Vec<Record>,
        how: Durability,
    ) -> Result<(), JournalError> {
        self.0.append(lease, seq, rows, how).await
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        self.0.read(session, from).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.0.list().await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        self.0.watermark(session).await
    }
}

#[tokio::test]
async fn a_store_that_says_of_a_session_at_once_that_it_is_there_and_that_it_is_not_is_not_asked_without_end()
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let world = World::default();
    let journal = Contradictory(SqliteJournal::open(&path).unwrap());
    let agent = builder(&world, vec![Reply::text("one")]).journal(journal).build().unwrap();
    let begun = agent.on(world).session("s").goal("go").await;
    let next = JournalError::OutOfOrder { seq: 0, next: 1 };
    assert_eq!(begun.map(drop), Err(next.into()));
}

/// The variable that says in which file the other process writes.
const FILE: &str = "POLYLOOP_TEST_SECOND_PROCESS";

/// In the other process, writes two runs of the session `p` and ends. In the first one, which has the file open all the
/// while, everything of them can be seen and gone on with.
#[tokio::test]
async fn what_another_process_wrote_while_the_file_was_open_is_there_for_everybody_who_reads() {
    let name =
        "sqlite_files::what_another_process_wrote_while_the_file_was_open_is_there_for_everybody_who_reads";
    let agent = |journal: &SqliteJournal| {
        let model = Scripted::replies(["one", "two", "three", "four", "five"].map(Reply::text));
        polyloop::Agent::<App>::builder(model).journal(journal.clone()).build().unwrap()
    };
    if let Ok(file) = env::var(FILE) {
        let agent = agent(&SqliteJournal::open(file).unwrap());
        for goal in ["T1", "T2"] {
            let mut run = agent.on(World::default()).session("p").goal(goal).await.unwrap();
            assert_eq!(run.finish().await.unwrap().ending, Ending::FinalAnswer);
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let journal = SqliteJournal::open(&path).unwrap();
    let here = agent(&journal);
    here.on(World::default()).session("mine").goal("T0").await.unwrap().finish().await.unwrap();
    let other =
        Command::new(env::current_exe().unwrap()).args(["--exact", name]).env(FILE, &path).output().unwrap();
    assert!(other.status.success(), "{}", String::from_utf8_lossy(&other.stdout));

    let session = SessionId::from("p");
    let records = journal.read(&session, 0).await.unwrap();
    assert_eq!(journal.watermark(&session).await.unwrap(), records.len() as u64);
    let child = here.fork(World::default(), "p").session("whole").goal("T3").await.unwrap();
    let said = |run: &polyloop::Run<App>| -> Vec<String> {
        run.items().iter().map(|item| item.text().into_owned()).collect()
    };
    assert_eq!(said(&child), ["T1", "one", "T2", "two", "T3"]);
    let tree = here.sessions().await.unwrap();
    let points = &tree.node(&session).unwrap().points;
    assert_eq!(points.last(), Some(&(records.len() as u64)));
    for (number, point) in points.iter().enumerate() {
        let fork = here.fork(World::default(), "p").at(*point).session(format!("at {number}"));
        drop(fork.goal("T3").await.unwrap());
    }
    assert_eq!(here.audit("p").await.unwrap().requests().len(), 2);
    assert_eq!(here.read("p").await.unwrap().turns().len(), 2);
    here.roll_back("p", 1).await.unwrap();
    assert_eq!(here.read("p").await.unwrap().turns().len(), 1);
    let lines = polyloop::export_session(&journal, &session).await.unwrap();
    polyloop::import_session(&polyloop::MemoryJournal::new(), &lines).await.unwrap();
}

#[tokio::test]
async fn the_watermark_counts_what_another_connection_wrote_without_a_sync() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let session = written(&path).await;
    let journal = SqliteJournal::open(&path).unwrap();
    let count = journal.watermark(&session).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA synchronous = NORMAL").unwrap();
    let copy = "INSERT INTO events (session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, at) \
                SELECT session, max(seq) + 1, run, epoch, kind, v, prev_hash, ignorable, payload, at FROM events";
    other.execute(copy, []).unwrap();
    assert_eq!(journal.watermark(&session).await.unwrap(), count + 1);
    let lease = journal.lease(&session).await.unwrap();
    assert_eq!(journal.append(&lease, count + 1, Vec::new(), Durability::Barrier).await, Ok(()));
}
