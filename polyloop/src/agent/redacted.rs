//! Which sealed prompts cannot be made again, since texts in them were removed.

use std::collections::BTreeMap;
use std::ops::Range;

use super::lineage::Ancestor;
use crate::error::JournalError;
use crate::journal::{Announcement, Record, SessionId};

/// The places, counted with everything that is inherited, between a text that was removed and its removal.
#[derive(Clone, Debug, Default)]
pub(super) struct Redactions(Vec<Range<u64>>);

impl Redactions {
    /// Reads which texts were removed from a session and from what it inherits.
    pub(super) fn of(lineage: &[Ancestor], records: &[Record]) -> Result<Self, JournalError> {
        let mut redactions = Self::default();
        let mut begins = BTreeMap::new();
        let mut place = 0;
        for ancestor in lineage {
            let begin = place;
            begins.insert(&ancestor.session, begin);
            redactions.take(&ancestor.records, begin, &begins)?;
            place += ancestor.records.len() as u64;
            redactions.0.extend(ancestor.redacted_from.map(|from| begin.saturating_add(from)..place));
        }
        redactions.take(records, place, &begins)?;
        Ok(redactions)
    }

    /// Whether a prompt that was sealed at a place may be another one now.
    pub(super) fn cover(&self, place: u64) -> bool {
        self.0.iter().any(|range| range.contains(&place))
    }

    fn take(
        &mut self,
        records: &[Record],
        begin: u64,
        begins: &BTreeMap<&SessionId, u64>,
    ) -> Result<(), JournalError> {
        for (place, record) in (begin..).zip(records) {
            let Some(announced) = Announcement::of(record)? else { continue };
            let Some(first) = announced.records.iter().map(|redacted| redacted.seq).min() else { continue };
            let begin = match &announced.session {
                None => begin,
                Some(session) => begins.get(session).copied().unwrap_or_default(),
            };
            self.0.push(begin.saturating_add(first)..place);
        }
        Ok(())
    }
}
