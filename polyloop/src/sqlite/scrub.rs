//! Removing data from the file, so that nothing of it stays there.

use rusqlite::Connection;

use super::answer::failed;
use super::file::TRIGGERS;
use crate::error::JournalError;

/// Takes the triggers away inside a transaction, for a redaction or an erasure; other connections see them all the time.
pub(super) fn lift_triggers(connection: &Connection) -> rusqlite::Result<()> {
    let names = TRIGGERS.split("CREATE TRIGGER ").skip(1);
    let mut names = names.filter_map(|trigger| trigger.split_whitespace().next());
    names.try_for_each(|name| connection.execute_batch(&format!("DROP TRIGGER {name}")))
}

/// Puts them back, in the same transaction.
pub(super) fn restore_triggers(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TRIGGERS)
}

/// Removes former contents from the file and from the write-ahead log beside it: from pages that are not in use, and from
/// what a page in use keeps of rows that were moved to another one. Takes about as long as copying the file.
pub(super) fn scrub(connection: &Connection) -> Result<(), JournalError> {
    truncate_log(connection)?;
    // `secure_delete` overwrites a row where it is removed, but not what a page that was split keeps of it.
    connection.execute_batch("VACUUM").map_err(failed)?;
    truncate_log(connection)
}

fn truncate_log(connection: &Connection) -> Result<(), JournalError> {
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    match busy.map_err(failed)? {
        0 => Ok(()),
        _ => Err(failed(
            "the data is removed, but another process reads the file, so its write-ahead log keeps the former pages; do \
             the same again",
        )),
    }
}
