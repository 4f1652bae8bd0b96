//! A session as JSON Lines: out of one journal and into another.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Journal;
use super::chain::{Chain, NOTHING};
use super::fork::Fork;
use super::record::{Record, SessionId};
use super::tombstone;
use crate::error::{ImportError, JournalError, LineError};

/// One record, with its own hash behind it: the last line of a file has no other that would vouch for it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    session: SessionId,
    seq: u64,
    run: u64,
    epoch: u64,
    kind: Cow<'static, str>,
    v: u32,
    prev_hash: Arc<str>,
    ignorable: bool,
    payload: Arc<str>,
    at: u64,
    hash: String,
}

impl Line {
    fn of(record: Record) -> Self {
        let hash = record.hash();
        let Record { session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, at } = record;
        Self { session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, at, hash }
    }

    /// The record, if it is the one that was written.
    fn record(self) -> Result<Record, LineError> {
        let Self { session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, at, hash } = self;
        let record = Record { session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, at };
        if record.hash() == hash { Ok(record) } else { Err(LineError::Changed) }
    }
}

/// Writes a session as JSON Lines: one record a line, in their order, each with its hash.
///
/// Nothing is lost: [`import_session`] makes the same records of it. The session may be under way; then what is there so
/// far is written.
///
/// # Errors
///
/// When the journal does not have the session or fails, and when its records do not belong together.
///
/// ```
/// # use polyloop::prelude::*;
/// # use polyloop::{MemoryJournal, Journal};
/// # registry! { struct App {} }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use polyloop::{export_session, import_session};
///
/// let (here, there) = (MemoryJournal::new(), MemoryJournal::new());
/// let agent = Agent::<App>::builder(Scripted::replies([Reply::text("Hello.")])).journal(here.clone()).build()?;
/// let run = agent.on(()).goal("Say hello.").await?;
///
/// let lines = export_session(&here, run.session_id()).await?;
/// let session = import_session(&there, &lines).await?;
/// assert_eq!(there.read(&session, 0).await?, here.read(&session, 0).await?);
/// # Ok(())
/// # }
/// ```
pub async fn export_session(journal: &impl Journal, session: &SessionId) -> Result<String, JournalError> {
    let records = journal.read(session, 0).await?;
    if records.is_empty() {
        return Err(JournalError::NoSuchSession { session: session.to_string() });
    }
    tombstone::check(&records)?;
    let mut chain = Chain::new(session.clone());
    let mut lines = String::new();
    for record in records {
        // What could not be imported is no copy; better to hear it now than then.
        chain.follow(&record)?;
        let line = serde_json::to_string(&Line::of(record));
        lines += &line.map_err(|error| JournalError::Store { message: error.to_string() })?;
        lines.push('\n');
    }
    Ok(lines)
}

/// Takes in a session that [`export_session`] wrote, as a whole or not at all, and returns its id.
///
/// The records stay what they are, and a run among them goes on with [`Agent::resume`](crate::Agent::resume). A lease
/// does not reach from one journal to another: let it go on in one of them only.
///
/// # Errors
///
/// With the number of the line, when it is no record, was changed, or does not follow the line before, and when the
/// journal has the session already, or does not have what it inherits: import the session from which it branched off first.
/// Without one, when the journal fails.
pub async fn import_session(journal: &impl Journal, lines: &str) -> Result<SessionId, ImportError> {
    let records = read(lines)?;
    let Some(session) = records.first().map(|record| record.session.clone()) else {
        return Err(ImportError::Line { line: 1, reason: LineError::Missing });
    };
    if let Some(fork) = records.first().map(Fork::of).transpose()?.flatten() {
        let inherited = journal.read(&fork.parent, fork.records.saturating_sub(1)).await?;
        fork.is_behind(inherited.first(), &session).map_err(LineError::parent)?;
    }
    match journal.import(records).await {
        Ok(()) => Ok(session),
        Err(JournalError::SessionExists { session }) => {
            Err(ImportError::Line { line: 1, reason: LineError::SessionExists { session } })
        }
        Err(error) => Err(error.into()),
    }
}

fn read(lines: &str) -> Result<Vec<Record>, ImportError> {
    let mut records: Vec<Record> = Vec::new();
    for (line, text) in (1..).zip(lines.lines()) {
        let record = follow(records.last(), text).map_err(|reason| ImportError::Line { line, reason })?;
        records.push(record);
    }
    tombstone::check(&records)?;
    Ok(records)
}

/// Reads a line, which must be the next one.
fn follow(before: Option<&Record>, text: &str) -> Result<Record, LineError> {
    let line: Line = serde_json::from_str(text).map_err(|error| LineError::unreadable(&error))?;
    let record = line.record()?;
    if let Some(first) = before.filter(|before| before.session != record.session) {
        let (session, expected) = (record.session.to_string(), first.session.to_string());
        return Err(LineError::OtherSession { session, expected });
    }
    let next = before.map_or(0, |before| before.seq + 1);
    if record.seq != next {
        return Err(LineError::OutOfOrder { seq: record.seq, next });
    }
    if *record.prev_hash != *before.map_or_else(|| NOTHING.to_owned(), Record::hash) {
        return Err(LineError::Unchained);
    }
    // No lease has the epoch 0, and whoever has a later one fences those before.
    let least = before.map_or(1, |before| before.epoch);
    if record.epoch < least {
        return Err(LineError::Epoch { epoch: record.epoch, least });
    }
    Ok(record)
}
