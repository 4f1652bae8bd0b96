//! The chain of a session's records: contiguous, each naming the hash of the one before.

use std::sync::Arc;

use super::key::{ChainKey, Head};
use super::record::{Record, SessionId};
use crate::error::JournalError;

/// What the first record names as the hash before it.
pub(super) const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Where a chain ends.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    session: SessionId,
    next: u64,
    hash: Arc<str>,
}

/// What a record says beside its place in the chain.
pub(crate) struct Entry {
    pub(crate) kind: &'static str,
    pub(crate) v: u32,
    pub(crate) payload: Arc<str>,
    pub(crate) run: u64,
    pub(crate) epoch: u64,
    pub(crate) at: u64,
}

impl Chain {
    pub(crate) fn new(session: SessionId) -> Self {
        Self { session, next: 0, hash: NOTHING.into() }
    }

    pub(crate) fn session(&self) -> &SessionId {
        &self.session
    }

    /// How many records there are; the place of the next one.
    pub(crate) fn len(&self) -> u64 {
        self.next
    }

    /// Where it ends.
    pub(crate) fn head(&self) -> Head {
        Head { session: self.session.clone(), records: self.next, hash: self.hash.to_string() }
    }

    /// Makes the records of an append. With a key the last of them carries a code.
    pub(crate) fn extend_all(&mut self, entries: Vec<Entry>, key: Option<&ChainKey>) -> Vec<Record> {
        let last = entries.len().saturating_sub(1);
        let entries = entries.into_iter().enumerate();
        entries.map(|(place, entry)| self.extend_with(entry, key.filter(|_| place == last))).collect()
    }

    /// Makes the next record.
    #[cfg(test)]
    pub(crate) fn extend(&mut self, entry: Entry) -> Record {
        self.extend_with(entry, None)
    }

    fn extend_with(&mut self, entry: Entry, key: Option<&ChainKey>) -> Record {
        let mut record = Record {
            session: self.session.clone(),
            seq: self.next,
            run: entry.run,
            epoch: entry.epoch,
            kind: entry.kind.into(),
            v: entry.v,
            prev_hash: self.hash.clone(),
            ignorable: false,
            payload: entry.payload,
            at: entry.at,
        };
        if let Some(key) = key {
            key.sign(&mut record);
        }
        self.advance(&record);
        record
    }

    /// Takes a record that was read back, if it is the next one.
    pub(crate) fn follow(&mut self, record: &Record) -> Result<(), JournalError> {
        let broken = |reason| Err(JournalError::Broken { seq: self.next, reason });
        if record.session != self.session {
            return broken("belongs to another session");
        }
        if record.seq != self.next {
            return broken("is missing");
        }
        if record.prev_hash != self.hash {
            // The record in front is the one whose content does not have the hash that this one names.
            let seq = self.next.saturating_sub(1);
            return Err(JournalError::Broken { seq, reason: "was changed, or the one behind it was" });
        }
        self.advance(record);
        Ok(())
    }

    fn advance(&mut self, record: &Record) {
        self.next += 1;
        self.hash = record.hash().into();
    }
}
