//! A limit for the work of one command: a damaged or hostile file makes no statement run without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

use super::answer::failed;
use crate::error::JournalError;

/// How many instructions of `SQLite`'s virtual machine one command may take: some seconds, and enough to read a session of
/// tens of millions of events.
pub(super) const MOST: u64 = 1_000_000_000;
/// After how many instructions they are counted.
const STEP: u16 = 10_000;

/// The work of a connection since its last command began.
pub(super) struct Work(Arc<AtomicU64>);

impl Work {
    /// Limits what each command of a connection may take, in instructions.
    pub(super) fn limited(connection: &mut Connection, most: u64) -> Result<Self, JournalError> {
        let work = Self(Arc::default());
        let done = work.0.clone();
        let count = move || done.fetch_add(STEP.into(), Ordering::Relaxed) > most;
        connection.progress_handler(STEP.into(), Some(count)).map_err(failed)?;
        Ok(work)
    }

    /// Begins a command.
    pub(super) fn begin(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn a_statement_without_end_is_ended_and_the_next_one_has_all_its_work_before_it() {
        let mut connection = Connection::open_in_memory().unwrap();
        let work = Work::limited(&mut connection, 1_000_000).unwrap();
        let count = |most: &str| {
            let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n";
            let query = format!("{numbers} {most}) SELECT count(*) FROM n");
            connection.query_row(&query, [], |row| row.get::<_, i64>(0)).map_err(failed)
        };
        let JournalError::Store { message } = count("").unwrap_err() else {
            unreachable!("the store failed")
        };
        assert!(message.starts_with("a statement took too much work"), "{message}");
        assert!(count("LIMIT 2000").is_err(), "the work of one command is counted as a whole");
        work.begin();
        assert_eq!(count("LIMIT 2000"), Ok(2000));
    }
}
