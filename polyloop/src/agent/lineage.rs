//! What a session inherits from those that it branched off from.

use super::plan::is_a_wait;
use crate::error::JournalError;
use crate::event::{Ending, Event};
use crate::journal::{DynJournal, Fork, Record, SessionId, tombstone};

/// Over how many others a session may have branched off.
const GENERATIONS: usize = 1_000;

/// A session from which another one branched off, as far as that inherits it.
pub(super) struct Ancestor {
    pub(super) session: SessionId,
    pub(super) records: Vec<Record>,
    /// The first record of which texts were removed after the session branched off.
    pub(super) redacted_from: Option<u64>,
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
        tombstone::check(&records)?;
        let inherited = usize::try_from(fork.records).unwrap_or(usize::MAX);
        let later = tombstone::announced(records.get(inherited..).unwrap_or_default())?;
        let redacted_from = later.keys().next().copied();
        records.truncate(inherited);
        fork.is_behind(records.last(), child)?;
        next = records.first().map(Fork::of).transpose()?.flatten();
        found.push(Ancestor { session: fork.parent, records, redacted_from });
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
    match Event::read(record, |_, _| Err(Vec::new()))? {
        // The end of the run stands behind it, in the same append.
        Some(Event::StopChecked { matches, .. }) => Ok(!ends(&matches)),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use futures_util::FutureExt;

    use super::{GENERATIONS, ancestors, may_have_a_child};
    use crate::error::JournalError;
    use crate::event::Event;
    use crate::journal::{Chain, Entry, Fork, Journal, MemoryJournal, Record, SessionId};

    /// The first record of a session that branches off from another one.
    fn opened(session: usize, parent: Option<&Record>) -> Record {
        let fork = parent.map(|parent| Fork {
            parent: parent.session.clone(),
            records: parent.seq + 1,
            hash: parent.hash(),
        });
        let event = Event::SessionOpened { library: String::new(), registry: String::new(), fork };
        let entry =
            Entry { kind: event.kind(), v: 1, payload: event.payload().unwrap(), run: 1, epoch: 1, at: 0 };
        Chain::new(SessionId::from(session.to_string())).extend(entry)
    }

    #[test]
    fn over_so_many_generations_a_session_is_found_and_no_further_one_is_begun() {
        let journal = MemoryJournal::new();
        let mut last = opened(0, None);
        for session in 1..=GENERATIONS {
            journal.import(vec![last.clone()]).now_or_never().unwrap().unwrap();
            last = opened(session, Some(&last));
        }
        let lineage = ancestors(&journal, &last.session, &last).now_or_never().unwrap().unwrap();
        assert_eq!(lineage.len(), GENERATIONS);
        assert_eq!(lineage.first().map(|oldest| oldest.session.as_str()), Some("0"));
        assert!(may_have_a_child(&last.session, &lineage).is_err());
        journal.import(vec![last.clone()]).now_or_never().unwrap().unwrap();
        let beyond = opened(GENERATIONS + 1, Some(&last));
        let refused = ancestors(&journal, &beyond.session, &beyond).now_or_never().unwrap();
        assert!(matches!(refused, Err(JournalError::Lineage { .. })));
    }
}
