//! The thread that writes: what waits at the same time becomes one transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::answer::{Answer, failed, signed, unsigned};
use super::file::set_synchronous;
use crate::error::JournalError;
use crate::journal::{Durability, Lease, Record, SessionId};

/// How many commands share a transaction at most.
const GROUP: usize = 256;
/// After how long without a command the log is moved into the file.
const IDLE: Duration = Duration::from_secs(1);

const EPOCH: &str = "SELECT epoch FROM leases WHERE session = ?1";
const TAKE: &str = "INSERT INTO leases (session, epoch) VALUES (?1, 1) \
                    ON CONFLICT (session) DO UPDATE SET epoch = epoch + 1 RETURNING epoch";
const IMPORT: &str = "INSERT INTO leases (session, epoch) VALUES (?1, ?2) \
                      ON CONFLICT (session) DO UPDATE SET epoch = max(epoch + 1, excluded.epoch)";
const NEXT: &str = "SELECT coalesce(max(seq) + 1, 0) FROM events WHERE session = ?1";
const INSERT: &str = "INSERT INTO events \
                      (session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

/// What is asked of the thread.
pub(super) enum Writing {
    Lease { session: SessionId, answer: Answer<Lease> },
    Append { lease: Lease, seq: u64, records: Vec<Record>, durability: Durability, answer: Answer<()> },
    Import { records: Vec<Record>, answer: Answer<()> },
}

impl Writing {
    /// A lease fences somebody, so it must not be forgotten.
    fn is_barrier(&self) -> bool {
        !matches!(self, Self::Append { durability: Durability::Relaxed, .. })
    }

    fn refuse(self, error: JournalError) {
        match self {
            Self::Lease { answer, .. } => drop(answer.send(Err(error))),
            Self::Append { answer, .. } | Self::Import { answer, .. } => drop(answer.send(Err(error))),
        }
    }
}

/// What is told when the transaction is committed.
enum Done {
    Lease(Answer<Lease>, Lease),
    Append(Answer<()>),
}

impl Done {
    fn acknowledge(self) {
        match self {
            Self::Lease(answer, lease) => drop(answer.send(Ok(lease))),
            Self::Append(answer) => drop(answer.send(Ok(()))),
        }
    }

    fn refuse(self, error: JournalError) {
        match self {
            Self::Lease(answer, _) => drop(answer.send(Err(error))),
            Self::Append(answer) => drop(answer.send(Err(error))),
        }
    }
}

pub(super) struct Writer {
    connection: Connection,
    /// Whether the connection is set to sync at each commit.
    syncs: bool,
    /// The last event that is on stable storage.
    durable: Arc<AtomicI64>,
    /// Why nothing is written any more. After a failed sync nobody knows what the disk has.
    poisoned: Option<JournalError>,
}

impl Writer {
    pub(super) fn new(connection: Connection, durable: Arc<AtomicI64>) -> Self {
        Self { connection, syncs: true, durable, poisoned: None }
    }

    /// Writes until nobody is left who could ask.
    pub(super) fn serve(mut self, asked: &mpsc::Receiver<Writing>) {
        let mut written = false;
        loop {
            match asked.recv_timeout(IDLE) {
                Ok(first) => {
                    let group = std::iter::once(first).chain(asked.try_iter()).take(GROUP).collect();
                    self.write(group);
                    written = true;
                }
                Err(RecvTimeoutError::Timeout) if written => {
                    // Where a reader is in the way it is tried again when it is idle next.
                    drop(self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())));
                    written = false;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn write(&mut self, group: Vec<Writing>) {
        if let Some(error) = &self.poisoned {
            return group.into_iter().for_each(|writing| writing.refuse(error.clone()));
        }
        let barrier = group.iter().any(Writing::is_barrier);
        if let Err(error) = self.begin(barrier) {
            return group.into_iter().for_each(|writing| writing.refuse(error.clone()));
        }
        let done: Vec<Done> = group.into_iter().filter_map(|writing| self.carry_out(writing)).collect();
        let last = self.connection.query_row("SELECT coalesce(max(id), 0) FROM events", [], |row| row.get(0));
        let committed = last.and_then(|last: i64| self.connection.execute_batch("COMMIT").map(|()| last));
        match committed {
            Ok(last) => {
                if barrier {
                    self.durable.store(last, Ordering::Release);
                }
                for done in done {
                    done.acknowledge();
                }
            }
            Err(error) => {
                let error = failed(format!("{error}; nothing more is written, open the file again"));
                self.poisoned = Some(error.clone());
                drop(self.connection.execute_batch("ROLLBACK"));
                for done in done {
                    done.refuse(error.clone());
                }
            }
        }
    }

    fn begin(&mut self, barrier: bool) -> Result<(), JournalError> {
        if self.syncs != barrier {
            set_synchronous(&self.connection, barrier)?;
            self.syncs = barrier;
        }
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)
    }

    /// Carries a command out inside the transaction; one that is refused leaves nothing there.
    fn carry_out(&self, writing: Writing) -> Option<Done> {
        match writing {
            Writing::Lease { session, answer } => match self.take(session) {
                Ok(lease) => Some(Done::Lease(answer, lease)),
                Err(error) => {
                    drop(answer.send(Err(error)));
                    None
                }
            },
            Writing::Append { lease, seq, records, answer, .. } => {
                written(answer, self.append(&lease, seq, &records))
            }
            Writing::Import { records, answer } => written(answer, self.import(&records)),
        }
    }

    fn take(&self, session: SessionId) -> Result<Lease, JournalError> {
        let mut statement = self.connection.prepare_cached(TAKE).map_err(failed)?;
        let epoch = statement.query_row([session.as_str()], |row| row.get(0)).map_err(failed)?;
        Ok(Lease { session, epoch: unsigned(epoch) })
    }

    fn append(&self, lease: &Lease, seq: u64, records: &[Record]) -> Result<(), JournalError> {
        let session = lease.session.as_str();
        let epoch = self
            .connection
            .prepare_cached(EPOCH)
            .and_then(|mut statement| statement.query_row([session], |row| row.get(0)).optional())
            .map_err(failed)?
            .map(unsigned)
            .ok_or_else(|| JournalError::NoSuchSession { session: session.to_owned() })?;
        if epoch != lease.epoch {
            return Err(JournalError::Fenced { held: lease.epoch, current: epoch });
        }
        let next = self.next(session)?;
        if seq != next {
            return Err(JournalError::OutOfOrder { seq, next });
        }
        self.insert_all(records)
    }

    fn import(&self, records: &[Record]) -> Result<(), JournalError> {
        let Some(last) = records.last() else { return Ok(()) };
        let session = last.session.as_str();
        if self.next(session)? > 0 {
            return Err(JournalError::SessionExists { session: session.to_owned() });
        }
        self.insert_all(records)?;
        // Whoever took a lease and wrote nothing yet is fenced.
        let lease = self.connection.prepare_cached(IMPORT);
        lease
            .and_then(|mut lease| lease.execute(params![session, signed(last.epoch)?]))
            .map(drop)
            .map_err(failed)
    }

    fn next(&self, session: &str) -> Result<u64, JournalError> {
        let next = self.connection.prepare_cached(NEXT);
        next.and_then(|mut next| next.query_row([session], |row| row.get(0))).map(unsigned).map_err(failed)
    }

    /// Inserts all or none.
    fn insert_all(&self, records: &[Record]) -> Result<(), JournalError> {
        self.connection.execute_batch("SAVEPOINT append").map_err(failed)?;
        let inserted = self.insert(records);
        let end = if inserted.is_ok() { "RELEASE append" } else { "ROLLBACK TO append; RELEASE append" };
        self.connection.execute_batch(end).and(inserted).map_err(failed)
    }

    fn insert(&self, records: &[Record]) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(INSERT)?;
        for record in records {
            statement.execute(params![
                record.session.as_str(),
                signed(record.seq)?,
                signed(record.run)?,
                signed(record.epoch)?,
                record.kind,
                record.v,
                record.prev_hash,
                record.ignorable,
                record.payload,
                signed(record.at)?,
            ])?;
        }
        Ok(())
    }
}

/// What is told of records when the transaction is committed; a refusal is told at once.
fn written(answer: Answer<()>, written: Result<(), JournalError>) -> Option<Done> {
    match written {
        Ok(()) => Some(Done::Append(answer)),
        Err(error) => {
            drop(answer.send(Err(error)));
            None
        }
    }
}
