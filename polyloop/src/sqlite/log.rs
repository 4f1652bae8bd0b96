//! The log that `SQLite` writes transactions to, and when it is moved into the file.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::answer::failed;
use crate::error::JournalError;

/// Pages after which it is moved also where commands wait: 32 MiB.
const LONG: u32 = 8192;

/// How much of the log is not moved yet.
pub(super) struct Log(Arc<AtomicU32>);

impl Log {
    /// Counts what a connection writes from now on.
    pub(super) fn of(connection: &mut Connection) -> Result<Self, JournalError> {
        let log = Self(Arc::default());
        let (pages, mut end) = (log.0.clone(), 0);
        let count = move |_: &mut Wal, now: c_int| {
            let now = now.unsigned_abs();
            // Shorter than before: it was moved as a whole, and begins anew.
            pages.fetch_add(now.checked_sub(end).unwrap_or(now), Ordering::Relaxed);
            end = now;
            Ok(())
        };
        connection.wal_hook(Some(count)).map_err(failed)?;
        Ok(log)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pages() == 0
    }

    pub(super) fn is_long(&self) -> bool {
        self.pages() >= LONG
    }

    fn pages(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Moves it into the file, as far as no reader is in the way; the rest comes along the next time.
    pub(super) fn move_into_file(&self, connection: &Connection) -> Result<(), JournalError> {
        self.0.store(0, Ordering::Relaxed);
        connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn pages_are_counted_on_where_the_log_begins_anew() {
        let folder = std::env::temp_dir().join(format!("polyloop-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut connection = Connection::open(folder.join("runs.db")).unwrap();
        connection.pragma_update(None, "journal_mode", "wal").unwrap();
        let log = Log::of(&mut connection).unwrap();
        assert!(log.is_empty());
        let written = |text: &str| {
            connection.execute_batch(text).unwrap();
            log.pages()
        };
        let first = written("CREATE TABLE words (word TEXT); INSERT INTO words VALUES ('one'), ('two')");
        assert!(first > 0 && !log.is_long());
        log.move_into_file(&connection).unwrap();
        assert!(log.is_empty());
        assert_eq!(written("INSERT INTO words VALUES ('three')"), 1, "the log begins anew");
        assert_eq!(written("INSERT INTO words VALUES ('four')"), 2);
        assert!(written("INSERT INTO words SELECT hex(zeroblob(17000000))") > LONG && log.is_long());
        drop(connection);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
