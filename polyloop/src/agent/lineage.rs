//! What a session inherits from those that it branched off from.

use super::plan::is_a_wait;
use crate::error::JournalError;
use crate::event::{Ending, Event};
use crate::journal::{DynJournal, Fork, Record, SessionId};

/// Over how many others a session may have branched off.
const GENERATIONS: usize = 1_000;

/// A session from which another one branched off, as far as that inherits it.
pub(super) struct Ancestor {
    pub(super) session: SessionId,
    pub(super) records: Vec<Record>,
}

/// Reads what a session inherits, the oldest first. Its own first record says from where.
pub(super) async fn ancestors(
    journal: &dyn DynJournal,
    session: &SessionId,
    first: &Record,
) -> Result<Vec<Ancestor>, JournalError> {
    let mut found: Vec<Ancestor> = Vec::new();
    let mut next = Fork::of(first)?;
    while let Some(fork) = next {
        let child = found.last().map_or(session, |child| &child.session);
        let is_known = fork.parent == *session || found.iter().any(|known| known.session == fork.parent);
        if is_known {
            return Err(JournalError::Lineage { session: session.to_string(), generations: GENERATIONS });
        }
        may_have_a_child(session, &found)?;
        let mut records = journal.read_boxed(&fork.parent, 0).await?;
        records.truncate(usize::try_from(fork.records).unwrap_or(usize::MAX));
        fork.is_behind(records.last(), child)?;
        next = records.first().map(Fork::of).transpose()?.flatten();
        found.push(Ancestor { session: fork.parent, records });
    }
    found.reverse();
    Ok(found)
}

/// Whether there may be one more generation; what was begun must be found again.
pub(super) fn may_have_a_child(session: &SessionId, lineage: &[Ancestor]) -> Result<(), JournalError> {
    if lineage.len() < GENERATIONS {
        return Ok(());
    }
    Err(JournalError::Lineage { session: session.to_string(), generations: GENERATIONS })
}

/// The kinds of records behind which another session may branch off.
pub(super) const POINTS: [&str; 6] = [
    "stop.checked",
    "run.ended",
    "history.rolled_back",
    "history.imported",
    "compaction.applied",
    "compaction.abandoned",
];

/// Whether another session can branch off behind a record: no request is out there, no call is open, and what was
/// written together stays together.
pub(super) fn is_point(record: &Record) -> Result<bool, JournalError> {
    if record.kind != "stop.checked" {
        return Ok(POINTS.contains(&&*record.kind));
    }
    let ends = |matches: &[Ending]| matches.first().is_some_and(|first| !is_a_wait(first));
    match Event::read(record, |_| Err(Vec::new()))? {
        // The end of the run stands behind it, in the same append.
        Some(Event::StopChecked { matches, .. }) => Ok(!ends(&matches)),
        _ => Ok(false),
    }
}
