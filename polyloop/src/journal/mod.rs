//! The seam that keeps what happened, and the store in memory.

mod chain;
mod fork;
mod key;
mod memory;
mod record;
pub(crate) mod tombstone;
mod transfer;
mod verify;

use std::future::Future;
use std::sync::Arc;

pub use fork::Fork;
pub use key::{ChainKey, Head};
pub use memory::MemoryJournal;
pub use record::{Record, SessionId};
pub use transfer::{export_session, import_session};
pub use verify::{Evidence, Verification, session_head, verify_session};

pub(crate) use chain::{Chain, Entry};
pub(crate) use fork::OPENED;
pub(crate) use key::is_signed;
pub(crate) use tombstone::{Announcement, ERASED, REDACTED, RedactedRecord};
pub(crate) use verify::chain as checked_chain;

use crate::error::JournalError;
use crate::tool::BoxFuture;

/// The kind of a remark, the only record that a store takes without a lease.
pub(crate) const REMARK: &str = "remark.recorded";

/// Refuses a record that is no remark.
pub(crate) fn is_remark(record: &Record) -> Result<(), JournalError> {
    if record.kind == REMARK {
        return Ok(());
    }
    let message = format!("`{}` is no remark; append it under a lease", record.kind);
    Err(JournalError::Store { message })
}

/// Says how safe a record must be before an append returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Durability {
    /// In order, not yet on stable storage.
    Relaxed,
    /// On stable storage, with everything before it.
    Barrier,
}

/// Is the right to write to a session. Whoever takes it anew fences everybody before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The session.
    pub session: SessionId,
    /// One more than that of the lease before.
    pub epoch: u64,
}

/// Keeps the records of sessions, in order and unchanged.
///
/// An append is all or nothing, and conditional: on the lease, which must be the last one taken, and on the place of its
/// first record, which must be the next one. These two conditions are what makes a run safe against a second process.
pub trait Journal: Send + Sync + 'static {
    /// Takes the right to write to a session, from whoever has it. A session that nobody wrote to gets its first lease.
    ///
    /// # Errors
    ///
    /// When the store fails.
    fn lease(&self, session: &SessionId) -> impl Future<Output = Result<Lease, JournalError>> + Send;

    /// Takes the right to write to a session where `seq` is the number of its next record: whoever went on there in the
    /// meantime keeps it.
    ///
    /// A store that does not implement this looks first and takes it then; between the two somebody may go on.
    ///
    /// # Errors
    ///
    /// [`OutOfOrder`](JournalError::OutOfOrder) when `seq` is not the next number, [`Store`](JournalError::Store) when
    /// the store fails. Then nobody lost it.
    fn lease_at(
        &self,
        session: &SessionId,
        seq: u64,
    ) -> impl Future<Output = Result<Lease, JournalError>> + Send {
        async move {
            match self.read(session, seq).await?.len() as u64 {
                0 => self.lease(session).await,
                more => Err(JournalError::OutOfOrder { seq, next: seq + more }),
            }
        }
    }

    /// Appends records, the first of which has the number `seq`.
    ///
    /// # Errors
    ///
    /// [`Fenced`](JournalError::Fenced) when the lease is not the last one, [`OutOfOrder`](JournalError::OutOfOrder)
    /// when `seq` is not the next number, [`Store`](JournalError::Store) when the store fails. Then nothing was
    /// appended, or, if the store failed, it is not known.
    fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> impl Future<Output = Result<(), JournalError>> + Send;

    /// Reads the records of a session from a number on; none where there are none.
    ///
    /// # Errors
    ///
    /// When the store fails.
    fn read(
        &self,
        session: &SessionId,
        from: u64,
    ) -> impl Future<Output = Result<Vec<Record>, JournalError>> + Send;

    /// Reads the records of a session that are of one of these kinds, such as `run.ended`.
    ///
    /// A store that does not implement this reads all of them, and leaves the others out.
    ///
    /// # Errors
    ///
    /// When the store fails.
    fn read_kinds(
        &self,
        session: &SessionId,
        kinds: &[&str],
    ) -> impl Future<Output = Result<Vec<Record>, JournalError>> + Send {
        async move {
            let mut records = self.read(session, 0).await?;
            records.retain(|record| kinds.contains(&&*record.kind));
            Ok(records)
        }
    }

    /// Takes in a whole session that is not there yet: its records, from 0 on, as they are, on stable storage when it
    /// returns. Whoever calls this has checked that they belong together. The next lease has an epoch behind that of the
    /// last record.
    ///
    /// A store that does not implement this refuses every session.
    ///
    /// # Errors
    ///
    /// [`SessionExists`](JournalError::SessionExists) when there is a record of the session already,
    /// [`Store`](JournalError::Store) when the store fails. Then nothing was taken in, or, if the store failed, it is not
    /// known.
    fn import(&self, records: Vec<Record>) -> impl Future<Output = Result<(), JournalError>> + Send {
        drop(records);
        let message = "it takes in no session from elsewhere; implement `Journal::import`".to_owned();
        std::future::ready(Err(JournalError::Store { message }))
    }

    /// Appends a remark without a lease: what a run learned after another one had taken its session over, such as the
    /// outcome of a call that was still under way. The record has the kind `remark.recorded` and the number `record.seq`;
    /// no prompt is made of it. It is on stable storage when this returns. The owner of the lease keeps it, and meets the
    /// remark with its next append, which is refused as out of order.
    ///
    /// A store that does not implement this refuses every remark, and what it would have said is lost.
    ///
    /// # Errors
    ///
    /// [`OutOfOrder`](JournalError::OutOfOrder) when `record.seq` is not the next number,
    /// [`Store`](JournalError::Store) when the record is no remark or the store fails.
    fn append_remark(&self, record: Record) -> impl Future<Output = Result<(), JournalError>> + Send {
        drop(record);
        let message = "it takes no remarks without a lease; implement `Journal::append_remark`".to_owned();
        std::future::ready(Err(JournalError::Store { message }))
    }

    /// Replaces records by what is left of them after a redaction, and appends `records`, the first of which has the number
    /// `seq`: all of it or nothing, on stable storage when it returns. Afterwards the store holds the former payloads
    /// nowhere, neither in a log nor in pages that are not in use.
    ///
    /// `redacted` are records that the store has, under the same session and number and with the same
    /// [`hash`](Record::hash), but with other payloads. [`redact_session`](crate::redact_session) calls this. It may be
    /// called again with the same arguments but no `records` and no `redacted`: then only the former payloads are to be
    /// removed from where they should not be.
    ///
    /// A store that does not implement this refuses every redaction.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append), and [`Broken`](JournalError::Broken) where a record of `redacted` does not have the
    /// hash of the one that it replaces.
    fn redact(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        redacted: Vec<Record>,
    ) -> impl Future<Output = Result<(), JournalError>> + Send {
        drop((lease, seq, records, redacted));
        let message = "it does not redact records; implement `Journal::redact`".to_owned();
        std::future::ready(Err(JournalError::Store { message }))
    }

    /// Replaces all records of sessions by one record each, which says that the session was erased: of all sessions or of
    /// none, on stable storage when it returns. Afterwards the store holds the former records nowhere, neither in a log
    /// nor in pages that are not in use. [`erase_session`](crate::erase_session) calls this.
    ///
    /// A store that does not implement this refuses every erasure.
    ///
    /// # Errors
    ///
    /// [`Fenced`](JournalError::Fenced) when one of the leases is not the last one of its session,
    /// [`Store`](JournalError::Store) when the store fails.
    fn erase(&self, sessions: Vec<(Lease, Record)>) -> impl Future<Output = Result<(), JournalError>> + Send {
        drop(sessions);
        let message = "it does not erase sessions; implement `Journal::erase`".to_owned();
        std::future::ready(Err(JournalError::Store { message }))
    }

    /// Lists the sessions that have a record, in the order of their ids as text. The library makes ids that sort by
    /// the time when the session began.
    ///
    /// # Errors
    ///
    /// When the store fails.
    fn list(&self) -> impl Future<Output = Result<Vec<SessionId>, JournalError>> + Send;

    /// Returns how many records of a session are on stable storage.
    ///
    /// # Errors
    ///
    /// When the store fails.
    fn watermark(&self, session: &SessionId) -> impl Future<Output = Result<u64, JournalError>> + Send;
}

#[diagnostic::do_not_recommend]
impl<J: Journal> Journal for Arc<J> {
    fn lease(&self, session: &SessionId) -> impl Future<Output = Result<Lease, JournalError>> + Send {
        J::lease(self, session)
    }

    fn lease_at(
        &self,
        session: &SessionId,
        seq: u64,
    ) -> impl Future<Output = Result<Lease, JournalError>> + Send {
        J::lease_at(self, session, seq)
    }

    fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> impl Future<Output = Result<(), JournalError>> + Send {
        J::append(self, lease, seq, records, durability)
    }

    fn read(
        &self,
        session: &SessionId,
        from: u64,
    ) -> impl Future<Output = Result<Vec<Record>, JournalError>> + Send {
        J::read(self, session, from)
    }

    fn read_kinds(
        &self,
        session: &SessionId,
        kinds: &[&str],
    ) -> impl Future<Output = Result<Vec<Record>, JournalError>> + Send {
        J::read_kinds(self, session, kinds)
    }

    fn import(&self, records: Vec<Record>) -> impl Future<Output = Result<(), JournalError>> + Send {
        J::import(self, records)
    }

    fn append_remark(&self, record: Record) -> impl Future<Output = Result<(), JournalError>> + Send {
        J::append_remark(self, record)
    }

    fn redact(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        redacted: Vec<Record>,
    ) -> impl Future<Output = Result<(), JournalError>> + Send {
        J::redact(self, lease, seq, records, redacted)
    }

    fn erase(&self, sessions: Vec<(Lease, Record)>) -> impl Future<Output = Result<(), JournalError>> + Send {
        J::erase(self, sessions)
    }

    fn list(&self) -> impl Future<Output = Result<Vec<SessionId>, JournalError>> + Send {
        J::list(self)
    }

    fn watermark(&self, session: &SessionId) -> impl Future<Output = Result<u64, JournalError>> + Send {
        J::watermark(self, session)
    }
}

/// A journal behind `dyn`: what a run needs of one.
pub(crate) trait DynJournal: Send + Sync {
    fn lease_boxed<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Lease, JournalError>>;
    fn lease_at_boxed<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
    ) -> BoxFuture<'a, Result<Lease, JournalError>>;
    fn append_boxed<'a>(
        &'a self,
        lease: &'a Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalError>>;
    fn read_boxed<'a>(
        &'a self,
        session: &'a SessionId,
        from: u64,
    ) -> BoxFuture<'a, Result<Vec<Record>, JournalError>>;
    fn read_kinds_boxed<'a>(
        &'a self,
        session: &'a SessionId,
        kinds: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<Record>, JournalError>>;
    fn append_remark_boxed(&self, record: Record) -> BoxFuture<'_, Result<(), JournalError>>;
    fn list_boxed(&self) -> BoxFuture<'_, Result<Vec<SessionId>, JournalError>>;
    fn watermark_boxed<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<u64, JournalError>>;
}

impl<J: Journal> DynJournal for J {
    fn lease_boxed<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Lease, JournalError>> {
        Box::pin(self.lease(session))
    }

    fn lease_at_boxed<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
    ) -> BoxFuture<'a, Result<Lease, JournalError>> {
        Box::pin(self.lease_at(session, seq))
    }

    fn append_boxed<'a>(
        &'a self,
        lease: &'a Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalError>> {
        Box::pin(self.append(lease, seq, records, durability))
    }

    fn read_boxed<'a>(
        &'a self,
        session: &'a SessionId,
        from: u64,
    ) -> BoxFuture<'a, Result<Vec<Record>, JournalError>> {
        Box::pin(self.read(session, from))
    }

    fn read_kinds_boxed<'a>(
        &'a self,
        session: &'a SessionId,
        kinds: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<Record>, JournalError>> {
        Box::pin(self.read_kinds(session, kinds))
    }

    fn append_remark_boxed(&self, record: Record) -> BoxFuture<'_, Result<(), JournalError>> {
        Box::pin(self.append_remark(record))
    }

    fn list_boxed(&self) -> BoxFuture<'_, Result<Vec<SessionId>, JournalError>> {
        Box::pin(self.list())
    }

    fn watermark_boxed<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<u64, JournalError>> {
        Box::pin(self.watermark(session))
    }
}
