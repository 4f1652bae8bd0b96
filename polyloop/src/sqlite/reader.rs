//! The thread that reads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc;

use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::answer::{Answer, failed, negative, signed, unsigned};
use super::blobs;
use super::file::sync;
use super::work::{MOST, Work};
use crate::error::JournalError;
use crate::journal::{Record, SessionId};

const RECORDS: &str = "SELECT seq, run, epoch, kind, v, prev_hash, ignorable, coalesce(payload, content), at, blob \
                       FROM events LEFT JOIN blobs ON hash = blob \
                       WHERE session = ?1 AND seq >= ?2 ORDER BY seq";
/// Payloads of other kinds are not touched.
const KINDS: &str = "SELECT seq, run, epoch, kind, v, prev_hash, ignorable, coalesce(payload, content), at, blob \
                     FROM events LEFT JOIN blobs ON hash = blob \
                     WHERE session = ?1 AND kind IN (SELECT value FROM json_each(?2)) ORDER BY seq";
/// From one session to the next one, past all their events.
const SESSIONS: &str = "WITH RECURSIVE found (session) AS ( \
                            SELECT min(session) FROM events \
                            UNION ALL \
                            SELECT (SELECT min(session) FROM events WHERE session > found.session) \
                            FROM found WHERE session IS NOT NULL \
                        ) SELECT session FROM found WHERE session IS NOT NULL";
const END: &str = "SELECT id, seq FROM events WHERE session = ?1 ORDER BY seq DESC LIMIT 1";

/// What is asked of the thread.
pub(super) enum Reading {
    Records { session: SessionId, from: u64, answer: Answer<Vec<Record>> },
    Kinds { session: SessionId, kinds: String, answer: Answer<Vec<Record>> },
    Sessions { answer: Answer<Vec<SessionId>> },
    Watermark { session: SessionId, answer: Answer<u64> },
}

pub(super) struct Reader {
    connection: Connection,
    work: Work,
    path: PathBuf,
    /// The last event that is known to be on stable storage.
    durable: Arc<AtomicI64>,
    /// Set when nothing more is written.
    failed: Arc<AtomicBool>,
}

impl Reader {
    pub(super) fn new(
        mut connection: Connection,
        path: &Path,
        durable: Arc<AtomicI64>,
        failed: Arc<AtomicBool>,
    ) -> Result<Self, JournalError> {
        let work = Work::limited(&mut connection, MOST)?;
        Ok(Self { connection, work, path: path.to_owned(), durable, failed })
    }

    /// Answers until nobody is left who could ask. Who stopped waiting gets no answer.
    pub(super) fn serve(self, asked: &mpsc::Receiver<Reading>) {
        for reading in asked {
            self.work.begin();
            match reading {
                Reading::Records { session, from, answer } => {
                    drop(answer.send(self.records(&session, from)));
                }
                Reading::Kinds { session, kinds, answer } => {
                    drop(answer.send(self.select(KINDS, &session, params![session.as_str(), kinds])));
                }
                Reading::Sessions { answer } => drop(answer.send(self.sessions())),
                Reading::Watermark { session, answer } => drop(answer.send(self.watermark(&session))),
            }
        }
    }

    fn records(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        let Ok(from) = signed(from) else { return Ok(Vec::new()) };
        // Whoever reads all of it hears of negative numbers.
        let from = if from == 0 { i64::MIN } else { from };
        self.select(RECORDS, session, params![session.as_str(), from])
    }

    fn select(
        &self,
        query: &str,
        session: &SessionId,
        parameters: impl Params,
    ) -> Result<Vec<Record>, JournalError> {
        let mut statement = self.connection.prepare_cached(query).map_err(failed)?;
        let mut rows = statement.query(parameters).map_err(failed)?;
        let mut records = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            records.push(record(session, row)?);
        }
        Ok(records)
    }

    fn sessions(&self) -> Result<Vec<SessionId>, JournalError> {
        let mut statement = self.connection.prepare_cached(SESSIONS).map_err(failed)?;
        let sessions = statement.query_map([], |row| Ok(SessionId::from(row.get::<_, String>(0)?)));
        sessions.and_then(Iterator::collect).map_err(failed)
    }

    /// Counts the records of a session that are on stable storage. Where the last of them is not known to be, because
    /// another process wrote it or nothing has synced since, it is brought there now.
    fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        let mut statement = self.connection.prepare_cached(END).map_err(failed)?;
        let end = statement.query_row([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional();
        let Some((id, seq)) = end.map_err(failed)? else { return Ok(0) };
        let seq = unsigned(seq).map_err(|_| negative(session, seq))?;
        if self.durable.load(Ordering::Acquire) < id {
            // After a failed sync nobody knows what the disk has.
            let last = sync(&self.connection, &self.path)
                .inspect_err(|_| self.failed.store(true, Ordering::Release))?;
            self.durable.fetch_max(last, Ordering::AcqRel);
        }
        Ok(seq + 1)
    }
}

/// Reads one record, through any connection.
pub(super) fn record_at(
    connection: &Connection,
    session: &SessionId,
    seq: u64,
) -> Result<Option<Record>, JournalError> {
    let Ok(at) = signed(seq) else { return Ok(None) };
    let mut statement = connection.prepare_cached(RECORDS).map_err(failed)?;
    let mut rows = statement.query(params![session.as_str(), at]).map_err(failed)?;
    let row = rows.next().map_err(failed)?;
    let found = row.map(|row| record(session, row)).transpose()?;
    Ok(found.filter(|record| record.seq == seq))
}

/// Takes a row for what it says. Whether that is what was written, the chain knows; a body that is kept by its hash must
/// have it.
fn record(session: &SessionId, row: &Row<'_>) -> Result<Record, JournalError> {
    let seq = row.get(0).map_err(failed)?;
    let seq = unsigned(seq).map_err(|_| negative(session, seq))?;
    let broken = |reason| JournalError::Broken { seq, reason };
    let (payload, blob) = payload(row).map_err(|_| broken("cannot be read"))?;
    let payload = payload.ok_or_else(|| broken("has lost its payload"))?;
    if blob.is_some_and(|hash| hash != blobs::hash(&payload)) {
        return Err(broken("has a payload that was changed"));
    }
    envelope(session, seq, row, payload).map_err(|_| broken("cannot be read"))
}

type Payload = (Option<String>, Option<Vec<u8>>);

fn payload(row: &Row<'_>) -> rusqlite::Result<Payload> {
    Ok((row.get(7)?, row.get(9)?))
}

fn envelope(session: &SessionId, seq: u64, row: &Row<'_>, payload: String) -> rusqlite::Result<Record> {
    Ok(Record {
        session: session.clone(),
        seq,
        run: unsigned(row.get(1)?)?,
        epoch: unsigned(row.get(2)?)?,
        kind: row.get::<_, String>(3)?.into(),
        v: row.get(4)?,
        prev_hash: row.get::<_, String>(5)?.into(),
        ignorable: row.get(6)?,
        payload: payload.into(),
        at: unsigned(row.get(8)?)?,
    })
}
