//! The tables of the file, compared with those that the library makes.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::answer::failed;
use crate::error::JournalError;

/// What the schema says of one table, index, trigger or view: its type, and its text.
type Entry = (String, Option<String>);

/// Refuses a file whose tables, or what is attached to them, are not what `tables` makes. Tables of others that stand beside
/// them are left alone: no statement of the library reaches them.
pub(super) fn compare(connection: &Connection, tables: &str) -> Result<(), JournalError> {
    let model = Connection::open_in_memory().map_err(failed)?;
    model.execute_batch(tables).map_err(failed)?;
    let expected = entries(&model).map_err(failed)?;
    let found = entries(connection).map_err(failed)?;
    let is_ours = |table: &str| expected.keys().any(|(known, _)| known.eq_ignore_ascii_case(table));
    let found: BTreeMap<_, _> = found
        .into_iter()
        .filter(|((table, name), _)| is_ours(table) || expected.keys().any(|(_, known)| known == name))
        .collect();
    let missing = expected.keys().find(|key| !found.contains_key(key));
    let other = found.iter().find(|(key, entry)| expected.get(key) != Some(entry));
    let (name, what) = match (missing, other) {
        (None, None) => return Ok(()),
        (Some((_, name)), _) => (name, "is missing or stands elsewhere"),
        (None, Some((key, _))) if expected.contains_key(key) => {
            (&key.1, "is not the one that the library makes")
        }
        (None, Some(((_, name), _))) => (name, "is not the library's"),
    };
    Err(failed(format!(
        "its `{name}` {what}, so nothing in it is believed; restore the file from a copy, or name a new one"
    )))
}

/// Reads the schema: every entry by its table and its name.
fn entries(connection: &Connection) -> rusqlite::Result<BTreeMap<(String, String), Entry>> {
    let mut entries = connection.prepare("SELECT tbl_name, name, type, sql FROM sqlite_schema")?;
    let entries =
        entries.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?))))?;
    entries.collect()
}
