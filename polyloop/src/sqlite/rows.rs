//! What the writing thread does to the tables, inside a transaction.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::answer::{failed, negative, signed, unsigned};
use super::scrub::{lift_triggers, restore_triggers};
use super::work::{MOST, Work};
use super::{blobs, reader};
use crate::error::JournalError;
use crate::journal::{Lease, Record, SessionId};

/// Of how many sessions it is remembered where they end.
const REMEMBERED: usize = 10_000;

const BEGIN: &str = "BEGIN IMMEDIATE";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";
/// Changes when another connection wrote.
const OTHERS: &str = "PRAGMA data_version";
const LAST: &str = "SELECT coalesce(max(id), 0) FROM events";
const EPOCH: &str = "SELECT epoch FROM leases WHERE session = ?1";
const TAKE: &str = "INSERT INTO leases (session, epoch) VALUES (?1, 1) \
                    ON CONFLICT (session) DO UPDATE SET epoch = epoch + 1 RETURNING epoch";
const IMPORT: &str = "INSERT INTO leases (session, epoch) VALUES (?1, ?2) \
                      ON CONFLICT (session) DO UPDATE SET epoch = max(epoch + 1, excluded.epoch)";
const END: &str = "SELECT seq, epoch FROM events WHERE session = ?1 ORDER BY seq DESC LIMIT 1";
const INSERT: &str = "INSERT INTO events \
                      (session, seq, run, epoch, kind, v, prev_hash, ignorable, payload, blob, at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
const REDACT: &str = "UPDATE events SET payload = ?3, blob = ?4 WHERE session = ?1 AND seq = ?2";
const ERASE: &str = "DELETE FROM events WHERE session = ?1";
const RENUMBER: &str = "UPDATE events SET id = ?2 WHERE session = ?1";
/// Large payloads that no event has any more.
const UNUSED: &str = "DELETE FROM blobs WHERE hash NOT IN (SELECT blob FROM events WHERE blob IS NOT NULL)";

/// Why a command is not carried out.
pub(super) enum Fault {
    /// It alone: it changed nothing.
    Refused(JournalError),
    /// The store failed. What the transaction holds is not to be kept.
    Failed(JournalError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(failed(error))
    }
}

/// What an append is compared with.
#[derive(Clone, Copy)]
struct Known {
    epoch: u64,
    next: u64,
}

pub(super) struct Rows {
    connection: Connection,
    work: Work,
    /// What the tables say of sessions, as long as nobody else writes.
    known: HashMap<SessionId, Known>,
    others: i64,
}

impl Rows {
    pub(super) fn new(mut connection: Connection) -> Result<Self, JournalError> {
        connection.set_prepared_statement_cache_capacity(32);
        let work = Work::limited(&mut connection, MOST)?;
        Ok(Self { connection, work, known: HashMap::new(), others: 0 })
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Begins a command inside the transaction.
    pub(super) fn begin_command(&self) {
        self.work.begin();
    }

    /// Begins a transaction. Nobody else writes until its end.
    pub(super) fn begin(&mut self) -> rusqlite::Result<()> {
        self.work.begin();
        self.run(BEGIN)?;
        let others = self.statement(OTHERS).and_then(|mut others| others.query_row([], |row| row.get(0)));
        let others = others.inspect_err(|_| self.roll_back())?;
        if others != self.others || self.known.len() > REMEMBERED {
            self.known.clear();
            self.others = others;
        }
        Ok(())
    }

    /// Ends the transaction, and returns the last event there is.
    pub(super) fn commit(&self) -> rusqlite::Result<i64> {
        self.work.begin();
        let last = self.statement(LAST)?.query_row([], |row| row.get(0))?;
        self.run(COMMIT)?;
        Ok(last)
    }

    pub(super) fn roll_back(&mut self) {
        self.known.clear();
        drop(self.run(ROLLBACK));
    }

    pub(super) fn take(&mut self, session: SessionId, seq: Option<u64>) -> Result<Lease, Fault> {
        let (held, end) = (self.epoch(&session)?, self.end(&session)?);
        let next = end.map_or(0, |(last, _)| last + 1);
        if let Some(seq) = seq.filter(|seq| *seq != next) {
            return Err(Fault::Refused(JournalError::OutOfOrder { seq, next }));
        }
        if let Some((seq, epoch)) = end
            && held.is_none_or(|held| held < epoch)
        {
            let reason = "has a lease that the store does not know of";
            return Err(Fault::Refused(JournalError::Broken { seq, reason }));
        }
        self.known.remove(&session);
        // One more than the largest would not fit.
        signed(held.unwrap_or(0) + 1).map_err(|error| Fault::Refused(failed(error)))?;
        let epoch = self.statement(TAKE)?.query_row([session.as_str()], |row| row.get(0))?;
        Ok(Lease { epoch: number(&session, epoch)?, session })
    }

    pub(super) fn append(&mut self, lease: &Lease, seq: u64, records: &[Record]) -> Result<(), Fault> {
        let Known { epoch, next } = self.known(&lease.session)?;
        if epoch != lease.epoch {
            return Err(Fault::Refused(JournalError::Fenced { held: lease.epoch, current: epoch }));
        }
        if seq != next {
            return Err(Fault::Refused(JournalError::OutOfOrder { seq, next }));
        }
        check(&lease.session, seq, records)?;
        self.insert(records)?;
        let next = next + records.len() as u64;
        match self.known.get_mut(&lease.session) {
            Some(known) => known.next = next,
            None => drop(self.known.insert(lease.session.clone(), Known { epoch, next })),
        }
        Ok(())
    }

    pub(super) fn import(&mut self, records: &[Record]) -> Result<(), Fault> {
        let Some(last) = records.last() else { return Ok(()) };
        let session = last.session.as_str();
        if self.end(&last.session)?.is_some() {
            return Err(Fault::Refused(JournalError::SessionExists { session: session.to_owned() }));
        }
        check(&last.session, 0, records)?;
        self.insert(records)?;
        self.known.remove(&last.session);
        // Whoever took a lease and wrote nothing yet is fenced.
        self.statement(IMPORT)?.execute(params![session, signed(last.epoch)?])?;
        Ok(())
    }

    /// Appends a remark without a lease.
    pub(super) fn append_remark(&mut self, record: &Record) -> Result<(), Fault> {
        let Known { epoch, next } = self.known(&record.session)?;
        let records = std::slice::from_ref(record);
        if record.seq != next {
            return Err(Fault::Refused(JournalError::OutOfOrder { seq: record.seq, next }));
        }
        check(&record.session, next, records)?;
        self.insert(records)?;
        self.known.insert(record.session.clone(), Known { epoch, next: next + 1 });
        Ok(())
    }

    /// Replaces records by what is left of them, and appends others.
    pub(super) fn redact(
        &mut self,
        lease: &Lease,
        seq: u64,
        records: &[Record],
        redacted: &[Record],
    ) -> Result<(), Fault> {
        let session = lease.session.as_str();
        for record in redacted {
            let broken =
                || JournalError::Broken { seq: record.seq, reason: "is not the record that was redacted" };
            let known =
                reader::record_at(&self.connection, &lease.session, record.seq).map_err(Fault::Refused)?;
            known
                .filter(|known| record.session == lease.session && known.hash() == record.hash())
                .ok_or_else(|| Fault::Refused(broken()))?;
        }
        self.append(lease, seq, records)?;
        if redacted.is_empty() {
            return Ok(());
        }
        lift_triggers(&self.connection)?;
        for record in redacted {
            let place = blobs::place(&self.connection, &record.payload)?;
            let values = params![session, signed(record.seq)?, place.payload, place.blob];
            self.statement(REDACT)?.execute(values)?;
        }
        self.statement(UNUSED)?.execute([])?;
        Ok(restore_triggers(&self.connection)?)
    }

    /// Replaces all records of sessions by one each.
    pub(super) fn erase(&mut self, sessions: &[(Lease, Record)]) -> Result<(), Fault> {
        for (lease, record) in sessions {
            let Known { epoch, .. } = self.known(&lease.session)?;
            if epoch != lease.epoch {
                return Err(Fault::Refused(JournalError::Fenced { held: lease.epoch, current: epoch }));
            }
            check(&lease.session, 0, std::slice::from_ref(record))?;
        }
        // Numbers of rows are not given again: by them it is known how far the file is durable.
        let mut id: i64 = self.statement(LAST)?.query_row([], |row| row.get(0))?;
        lift_triggers(&self.connection)?;
        for (lease, record) in sessions {
            id = id.saturating_add(1);
            self.statement(ERASE)?.execute([lease.session.as_str()])?;
            self.insert(std::slice::from_ref(record))?;
            self.statement(RENUMBER)?.execute(params![lease.session.as_str(), id])?;
            self.known.remove(&lease.session);
        }
        self.statement(UNUSED)?.execute([])?;
        Ok(restore_triggers(&self.connection)?)
    }

    fn insert(&self, records: &[Record]) -> rusqlite::Result<()> {
        let mut insert = self.statement(INSERT)?;
        for record in records {
            let place = blobs::place(&self.connection, &record.payload)?;
            insert.execute(params![
                record.session.as_str(),
                signed(record.seq)?,
                signed(record.run)?,
                signed(record.epoch)?,
                record.kind,
                record.v,
                record.prev_hash,
                record.ignorable,
                place.payload,
                place.blob,
                signed(record.at)?,
            ])?;
        }
        Ok(())
    }

    fn known(&self, session: &SessionId) -> Result<Known, Fault> {
        if let Some(known) = self.known.get(session) {
            return Ok(*known);
        }
        let Some(epoch) = self.epoch(session)? else {
            return Err(Fault::Refused(JournalError::NoSuchSession { session: session.to_string() }));
        };
        Ok(Known { epoch, next: self.end(session)?.map_or(0, |(seq, _)| seq + 1) })
    }

    /// The epoch of the last lease.
    fn epoch(&self, session: &SessionId) -> Result<Option<u64>, Fault> {
        let epoch = self.statement(EPOCH)?.query_row([session.as_str()], |row| row.get(0)).optional()?;
        epoch.map(|epoch| number(session, epoch)).transpose()
    }

    /// The number and the epoch of the last event.
    fn end(&self, session: &SessionId) -> Result<Option<(u64, u64)>, Fault> {
        let mut end = self.statement(END)?;
        let end = end.query_row([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        end.map(|(seq, epoch)| Ok((number(session, seq)?, number(session, epoch)?))).transpose()
    }

    fn run(&self, command: &str) -> rusqlite::Result<()> {
        self.statement(command)?.execute([]).map(drop)
    }

    fn statement(&self, text: &str) -> rusqlite::Result<CachedStatement<'_>> {
        self.connection.prepare_cached(text)
    }
}

/// Takes a number of a row, which concerns its session alone if it is negative.
fn number(session: &SessionId, number: i64) -> Result<u64, Fault> {
    unsigned(number).map_err(|_| Fault::Refused(negative(session, number)))
}

/// Refuses records that could not be inserted, before anything of them is: the transaction has other commands too.
fn check(session: &SessionId, first: u64, records: &[Record]) -> Result<(), Fault> {
    for (next, record) in (first..).zip(records) {
        if record.session != *session {
            let reason = "belongs to another session";
            return Err(Fault::Refused(JournalError::Broken { seq: next, reason }));
        }
        if record.seq != next {
            return Err(Fault::Refused(JournalError::OutOfOrder { seq: record.seq, next }));
        }
        for number in [record.seq, record.run, record.epoch, record.at] {
            signed(number).map_err(|error| Fault::Refused(failed(error)))?;
        }
    }
    Ok(())
}
