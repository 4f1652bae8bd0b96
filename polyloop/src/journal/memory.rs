//! The store in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Durability, Journal, Lease, Record, SessionId, is_remark};
use crate::error::JournalError;

/// What is kept of one session.
#[derive(Default)]
struct Kept {
    epoch: u64,
    records: Vec<Record>,
}

impl Kept {
    fn lease(&mut self, session: &SessionId) -> Lease {
        self.epoch += 1;
        Lease { session: session.clone(), epoch: self.epoch }
    }
}

#[derive(Default)]
struct Sessions(BTreeMap<SessionId, Kept>);

impl Sessions {
    /// Returns the session of a lease, if that is the last one.
    fn held(&mut self, lease: &Lease) -> Result<&mut Kept, JournalError> {
        let kept = self
            .0
            .get_mut(&lease.session)
            .ok_or_else(|| JournalError::NoSuchSession { session: lease.session.to_string() })?;
        if kept.epoch == lease.epoch {
            Ok(kept)
        } else {
            Err(JournalError::Fenced { held: lease.epoch, current: kept.epoch })
        }
    }
}

/// Keeps records in memory, as long as a clone of it lives. Clones share everything.
///
/// A run that is dropped goes on from here in the same process; for another process it takes a store on disk.
#[derive(Clone, Default)]
pub struct MemoryJournal(Arc<Mutex<Sessions>>);

impl MemoryJournal {
    /// Makes an empty journal.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A change is made as a whole or not at all, so a panic elsewhere leaves nothing half done.
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for MemoryJournal {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        let mut sessions = self.sessions();
        let kept = sessions.0.entry(session.clone()).or_default();
        Ok(kept.lease(session))
    }

    async fn lease_at(&self, session: &SessionId, seq: u64) -> Result<Lease, JournalError> {
        let mut sessions = self.sessions();
        let next = sessions.0.get(session).map_or(0, |kept| kept.records.len()) as u64;
        if seq != next {
            return Err(JournalError::OutOfOrder { seq, next });
        }
        Ok(sessions.0.entry(session.clone()).or_default().lease(session))
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        _: Durability,
    ) -> Result<(), JournalError> {
        let mut sessions = self.sessions();
        let kept = sessions.held(lease)?;
        let next = kept.records.len() as u64;
        if seq != next {
            return Err(JournalError::OutOfOrder { seq, next });
        }
        kept.records.extend(records);
        Ok(())
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        let sessions = self.sessions();
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let records = sessions.0.get(session).and_then(|kept| kept.records.get(from..));
        Ok(records.unwrap_or_default().to_vec())
    }

    async fn import(&self, records: Vec<Record>) -> Result<(), JournalError> {
        let Some(last) = records.last() else { return Ok(()) };
        let mut sessions = self.sessions();
        let kept = sessions.0.entry(last.session.clone()).or_default();
        if !kept.records.is_empty() {
            return Err(JournalError::SessionExists { session: last.session.to_string() });
        }
        // Whoever took a lease and wrote nothing yet is fenced.
        kept.epoch = last.epoch.max(kept.epoch + 1);
        kept.records = records;
        Ok(())
    }

    async fn append_remark(&self, record: Record) -> Result<(), JournalError> {
        is_remark(&record)?;
        let mut sessions = self.sessions();
        let kept = sessions
            .0
            .get_mut(&record.session)
            .ok_or_else(|| JournalError::NoSuchSession { session: record.session.to_string() })?;
        let next = kept.records.len() as u64;
        if record.seq != next {
            return Err(JournalError::OutOfOrder { seq: record.seq, next });
        }
        kept.records.push(record);
        Ok(())
    }

    async fn redact(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        redacted: Vec<Record>,
    ) -> Result<(), JournalError> {
        let mut sessions = self.sessions();
        let kept = sessions.held(lease)?;
        let next = kept.records.len() as u64;
        if seq != next {
            return Err(JournalError::OutOfOrder { seq, next });
        }
        let mut after = kept.records.clone();
        for record in redacted {
            let seq = record.seq;
            let old = usize::try_from(seq).ok().and_then(|at| after.get_mut(at));
            let old = old.filter(|old| old.session == record.session && old.hash() == record.hash());
            *old.ok_or(JournalError::Broken { seq, reason: "is not the record that was redacted" })? = record;
        }
        after.extend(records);
        kept.records = after;
        Ok(())
    }

    async fn erase(&self, erased: Vec<(Lease, Record)>) -> Result<(), JournalError> {
        let mut sessions = self.sessions();
        for (lease, _) in &erased {
            sessions.held(lease)?;
        }
        for (lease, record) in erased {
            sessions.held(&lease)?.records = vec![record];
        }
        Ok(())
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        let sessions = self.sessions();
        let written = sessions.0.iter().filter(|(_, kept)| !kept.records.is_empty());
        Ok(written.map(|(session, _)| session.clone()).collect())
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        Ok(self.sessions().0.get(session).map_or(0, |kept| kept.records.len() as u64))
    }
}

impl fmt::Debug for MemoryJournal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MemoryJournal").field("sessions", &self.sessions().0.len()).finish()
    }
}
