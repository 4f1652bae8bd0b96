//! Writes the events of a run to its journal, and reads them back.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::JournalError;
use crate::event::{Event, VERSION};
use crate::journal::{Chain, ChainKey, Durability, DynJournal, Entry, Lease, Record, SessionId};
use crate::session::WallClock;

/// The end of a session's journal, with the right to write there.
pub(crate) struct Writer {
    pub(super) journal: Arc<dyn DynJournal>,
    lease: Lease,
    chain: Chain,
    clock: Arc<WallClock>,
    key: Option<ChainKey>,
    /// What was appended and not read back yet.
    unread: Vec<Record>,
    /// The last run that was started.
    run: u64,
    /// The epoch of the last record that was written.
    written: u64,
}

impl Writer {
    /// Reads only; no lease has the epoch 0.
    pub(crate) fn without_lease(
        journal: Arc<dyn DynJournal>,
        session: SessionId,
        clock: Arc<WallClock>,
        key: Option<ChainKey>,
    ) -> Self {
        let lease = Lease { session: session.clone(), epoch: 0 };
        Self {
            journal,
            lease,
            chain: Chain::new(session),
            clock,
            key,
            unread: Vec::new(),
            run: 0,
            written: 0,
        }
    }

    /// Takes the right to write, from whoever has it.
    pub(crate) async fn take_lease(&mut self) -> Result<(), JournalError> {
        self.lease = self.journal.lease_boxed(self.session_with_a_name()?).await?;
        Ok(())
    }

    /// Takes the right to write where `seq` is the next record; whoever went on meanwhile is not disturbed.
    pub(crate) async fn take_lease_at(&mut self, seq: u64) -> Result<(), JournalError> {
        self.lease = self.journal.lease_at_boxed(self.session_with_a_name()?, seq).await?;
        Ok(())
    }

    fn session_with_a_name(&self) -> Result<&SessionId, JournalError> {
        let session = self.chain.session();
        if session.as_str().trim().is_empty() { Err(JournalError::EmptySessionId) } else { Ok(session) }
    }

    /// Returns the number of the last run that was started.
    pub(crate) fn run(&self) -> u64 {
        self.run
    }

    pub(crate) fn session(&self) -> &SessionId {
        self.chain.session()
    }

    /// Whether the right to write was ever taken.
    pub(crate) fn has_lease(&self) -> bool {
        self.lease.epoch > 0
    }

    /// Whether nothing was written under it.
    pub(crate) fn has_new_lease(&self) -> bool {
        self.lease.epoch > self.written
    }

    /// Goes on behind records that were read and checked; `run` is the last one in them.
    pub(crate) fn go_on_behind(&mut self, chain: Chain, run: u64) {
        self.chain = chain;
        self.run = run;
    }

    /// Returns the epoch of the lease, 0 without one.
    pub(super) fn epoch(&self) -> u64 {
        self.lease.epoch
    }

    /// Appends events, all or none, after the remarks of runs that were taken over.
    pub(crate) async fn append(
        &mut self,
        events: &[Event],
        durability: Durability,
    ) -> Result<(), JournalError> {
        loop {
            match self.append_next(events, durability).await {
                Err(JournalError::OutOfOrder { .. }) if self.follow_late_outcomes().await? => {}
                appended => return appended,
            }
        }
    }

    async fn append_next(&mut self, events: &[Event], durability: Durability) -> Result<(), JournalError> {
        let mut chain = self.chain.clone();
        let run = self.run + u64::from(events.iter().any(|event| matches!(event, Event::RunStarted { .. })));
        let entry = |event| Ok(Entry { run, ..self.entry(event, self.lease.epoch)? });
        let entries = events.iter().map(entry).collect::<Result<_, JournalError>>()?;
        let mut records = chain.extend_all(entries, self.key.as_ref());
        self.journal.append_boxed(&self.lease, self.chain.len(), records.clone(), durability).await?;
        self.unread.append(&mut records);
        self.chain = chain;
        self.run = run;
        self.written = self.lease.epoch;
        Ok(())
    }

    /// Makes the entry of an event, under an epoch.
    pub(super) fn entry(&self, event: &Event, epoch: u64) -> Result<Entry, JournalError> {
        let (kind, payload, at) = (event.kind(), event.payload()?, millis((self.clock)()));
        Ok(Entry { kind, v: VERSION, payload, run: self.run, epoch, at })
    }

    /// Takes in records that others wrote.
    pub(super) fn follow(&mut self, records: Vec<Record>) -> Result<(), JournalError> {
        let mut chain = self.chain.clone();
        for record in &records {
            chain.follow(record)?;
        }
        self.chain = chain;
        self.unread.extend(records);
        Ok(())
    }

    /// Reads back what stands behind `from`.
    pub(crate) async fn read(&self, from: u64) -> Result<Vec<Record>, JournalError> {
        self.journal.read_boxed(self.session(), from).await
    }

    /// Reads back what was appended since the last time: it must be what was written, byte for byte, all of it and no
    /// more, and on stable storage.
    pub(crate) async fn read_back(&mut self) -> Result<Vec<Record>, JournalError> {
        let end = self.chain.len();
        let from = end.saturating_sub(self.unread.len() as u64);
        let found = self.read(from).await?;
        if let Some((written, _)) = self.unread.iter().zip(&found).find(|(written, found)| written != found) {
            return Err(JournalError::Broken { seq: written.seq, reason: "is not what was written" });
        }
        if let Some(lost) = self.unread.get(found.len()) {
            return Err(JournalError::Lost { seq: lost.seq });
        }
        let more = found.get(self.unread.len()..).unwrap_or_default();
        if !more.is_empty() && !self.follow_if_late(more.to_vec())? {
            // Somebody else wrote: not a fault of the store.
            let next = from + found.len() as u64;
            return Err(JournalError::OutOfOrder { seq: end, next });
        }
        let durable = self.journal.watermark_boxed(self.session()).await?;
        if durable < end {
            return Err(JournalError::Lost { seq: durable });
        }
        // A run that waits for its model keeps no room for them.
        self.unread = Vec::new();
        Ok(found)
    }

    /// The key of the chain.
    pub(super) fn key(&self) -> Option<&ChainKey> {
        self.key.as_ref()
    }

    /// Where what was written ends.
    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }
}

/// Milliseconds since 1970, for whoever looks at a journal; nothing is decided by it.
fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
