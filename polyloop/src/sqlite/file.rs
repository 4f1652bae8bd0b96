//! The file: whose it is, what is in it, and how it is opened.

use std::ffi::c_int;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::answer::failed;
use super::place::sync_log;
use super::schema;
use crate::error::JournalError;

/// Marks the file as one of ours.
const APPLICATION: i64 = 0x706C_6F70;
/// The version of the tables.
const VERSION: i64 = 2;
/// How long another process that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it is slept between two looks whether it still does. One that is busy leaves no more than some microseconds between
/// two transactions; who looks as rarely as `SQLite` does of itself, every tenth of a second in the end, never meets them.
const PAUSE: Duration = Duration::from_micros(200);

const TABLES: &str = "
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        seq INTEGER NOT NULL,
        run INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        kind TEXT NOT NULL,
        v INTEGER NOT NULL,
        prev_hash TEXT NOT NULL,
        ignorable INTEGER NOT NULL,
        payload TEXT,
        blob BLOB REFERENCES blobs (hash),
        at INTEGER NOT NULL,
        UNIQUE (session, seq),
        CHECK ((payload IS NULL) <> (blob IS NULL))
    ) STRICT;
    CREATE TABLE blobs (hash BLOB NOT NULL PRIMARY KEY, content TEXT NOT NULL) STRICT;
    CREATE TABLE leases (session TEXT PRIMARY KEY, epoch INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// What keeps the rows from everybody, the store itself included.
pub(super) const TRIGGERS: &str = "
    CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events are appended, never changed'); END;
    CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'events are appended, never removed'); END;
    CREATE TRIGGER blobs_are_not_changed BEFORE UPDATE ON blobs
        BEGIN SELECT RAISE(ABORT, 'blobs are appended, never changed'); END;
    CREATE TRIGGER blobs_are_not_removed BEFORE DELETE ON blobs
        BEGIN SELECT RAISE(ABORT, 'blobs are appended, never removed'); END;
";

/// Opens the file to write, and makes the tables where there are none. The path is one that was resolved.
pub(super) fn open(path: &Path) -> Result<Connection, JournalError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Whose it is comes first: a file of somebody else stays as it is.
    is_ours(&connection)?;
    set(&connection, "journal_mode", "wal", "wal")?;
    set(&connection, "synchronous", "FULL", "2")?;
    // What is erased is overwritten.
    set(&connection, "secure_delete", "ON", "1")?;
    // `SQLite` would do it after a commit, and keep it to itself when that fails. The writing thread does it.
    set(&connection, "wal_autocheckpoint", "0", "0")?;
    // KiB: the pages that the ends of a few thousand sessions stand in. They are looked up at each append.
    set(&connection, "cache_size", "-16384", "-16384")?;
    make_tables(&connection).map_err(failed)?;
    is_ours(&connection)?;
    schema::compare(&connection, &tables())?;
    Ok(connection)
}

/// Opens the file to read.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, JournalError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// Connects to the file, which may be hostile: no link is followed, the path is no URI, and nothing in the schema runs a
/// function that reaches outside of it.
fn connect(path: &Path, access: OpenFlags) -> Result<Connection, JournalError> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_handler(Some(waiting())).map_err(failed)?;
    for (option, value) in
        [(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true), (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)]
    {
        if connection.set_db_config(option, value).map_err(failed)? != value {
            return Err(failed(format!("`{option:?}` cannot be set")));
        }
    }
    set(&connection, "cell_size_check", "1", "1")?;
    Ok(connection)
}

/// Waits for another process, unless it was waited for long enough; the looks are counted from 0 each time.
fn waiting() -> impl FnMut(c_int) -> bool + Send {
    let mut begun = Instant::now();
    move |looks| {
        if looks == 0 {
            begun = Instant::now();
        }
        thread::sleep(PAUSE);
        begun.elapsed() < PATIENCE
    }
}

/// Brings everything to stable storage, whichever process wrote it, and returns the last event.
pub(super) fn sync(connection: &Connection, path: &Path) -> Result<i64, JournalError> {
    let last = connection.query_row("SELECT coalesce(max(id), 0) FROM events", [], |row| row.get(0));
    let last = last.map_err(failed)?;
    sync_log(path).map_err(failed)?;
    Ok(last)
}

/// The statements that make the tables and the triggers.
fn tables() -> String {
    [TABLES, TRIGGERS].concat()
}

/// Sets how an append is synced: `FULL` at a barrier, else `NORMAL`. Not inside a transaction.
pub(super) fn set_synchronous(connection: &Connection, barrier: bool) -> Result<(), JournalError> {
    let (value, read_back) = if barrier { ("FULL", "2") } else { ("NORMAL", "1") };
    set(connection, "synchronous", value, read_back)
}

/// Sets a pragma and reads it back: `SQLite` passes over what it does not take.
fn set(connection: &Connection, pragma: &str, value: &str, read_back: &str) -> Result<(), JournalError> {
    // Some of them answer with a row when they are set.
    let set = connection.prepare(&format!("PRAGMA {pragma} = {value}"));
    set.and_then(|mut set| set.query([])?.next().map(drop)).map_err(failed)?;
    let found = connection
        .query_row(&format!("PRAGMA {pragma}"), [], |row| {
            row.get::<_, String>(0).or_else(|_| row.get::<_, i64>(0).map(|number| number.to_string()))
        })
        .map_err(failed)?;
    if found == read_back { Ok(()) } else { Err(failed(format!("`{pragma}` is `{found}`, not `{value}`"))) }
}

fn make_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have been faster.
    let made = number(connection, "PRAGMA application_id")? == APPLICATION;
    let made = if made {
        Ok(())
    } else {
        connection.execute_batch(&format!(
            "{} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};",
            tables()
        ))
    };
    connection.execute_batch(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    made
}

/// Refuses a file that holds something else, or that another version wrote.
fn is_ours(connection: &Connection) -> Result<(), JournalError> {
    let application = number(connection, "PRAGMA application_id").map_err(failed)?;
    let version = number(connection, "PRAGMA user_version").map_err(failed)?;
    let tables = number(connection, "SELECT count(*) FROM sqlite_schema").map_err(failed)?;
    match (application, version, tables) {
        (0, 0, 0) | (APPLICATION, VERSION, _) => Ok(()),
        (APPLICATION, earlier, _) if earlier < VERSION => Err(failed(format!(
            "it has the version {earlier}, from before the first release, and {VERSION} is the one that is known; \
             name a new file"
        ))),
        (APPLICATION, _, _) => Err(failed(format!(
            "it has the version {version}, and {VERSION} is the one that is known; use a newer library"
        ))),
        _ => Err(failed("it is another application's database; name a file of its own")),
    }
}

fn number(connection: &Connection, query: &str) -> rusqlite::Result<i64> {
    connection.query_row(query, [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn a_pragma_that_is_not_taken_is_refused() {
        // A file in memory has no log.
        let memory = Connection::open_in_memory().unwrap();
        let refused = set(&memory, "journal_mode", "wal", "wal").unwrap_err();
        assert_eq!(refused, failed("`journal_mode` is `memory`, not `wal`"));
    }

    #[test]
    fn a_barrier_is_committed_with_full_and_anything_else_with_normal() {
        let memory = Connection::open_in_memory().unwrap();
        for (barrier, synchronous) in [(true, 2), (false, 1), (true, 2)] {
            set_synchronous(&memory, barrier).unwrap();
            assert_eq!(number(&memory, "PRAGMA synchronous").unwrap(), synchronous);
        }
    }
}
