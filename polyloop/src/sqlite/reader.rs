//! The thread that reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc;

use rusqlite::{Connection, Row, params};

use super::answer::{Answer, failed, signed, unsigned};
use crate::error::JournalError;
use crate::journal::{Record, SessionId};

const RECORDS: &str = "SELECT seq, run, epoch, kind, v, prev_hash, ignorable, payload, at FROM events \
                       WHERE session = ?1 AND seq >= ?2 ORDER BY seq";
const SESSIONS: &str = "SELECT session FROM events WHERE seq = 0 ORDER BY session";
const WATERMARK: &str = "SELECT count(*) FROM events WHERE session = ?1 AND id <= ?2";

/// What is asked of the thread.
pub(super) enum Reading {
    Records { session: SessionId, from: u64, answer: Answer<Vec<Record>> },
    Sessions { answer: Answer<Vec<SessionId>> },
    Watermark { session: SessionId, answer: Answer<u64> },
}

pub(super) struct Reader {
    connection: Connection,
    /// The last event that is on stable storage.
    durable: Arc<AtomicI64>,
}

impl Reader {
    pub(super) fn new(connection: Connection, durable: Arc<AtomicI64>) -> Self {
        Self { connection, durable }
    }

    /// Answers until nobody is left who could ask. Who stopped waiting gets no answer.
    pub(super) fn serve(self, asked: &mpsc::Receiver<Reading>) {
        for reading in asked {
            match reading {
                Reading::Records { session, from, answer } => {
                    drop(answer.send(self.records(&session, from)));
                }
                Reading::Sessions { answer } => drop(answer.send(self.sessions())),
                Reading::Watermark { session, answer } => drop(answer.send(self.watermark(&session))),
            }
        }
    }

    fn records(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        let Ok(from) = signed(from) else { return Ok(Vec::new()) };
        let mut statement = self.connection.prepare_cached(RECORDS).map_err(failed)?;
        let records = statement.query_map(params![session.as_str(), from], |row| record(session, row));
        records.and_then(Iterator::collect).map_err(failed)
    }

    fn sessions(&self) -> Result<Vec<SessionId>, JournalError> {
        let mut statement = self.connection.prepare_cached(SESSIONS).map_err(failed)?;
        let sessions = statement.query_map([], |row| Ok(SessionId::from(row.get::<_, String>(0)?)));
        sessions.and_then(Iterator::collect).map_err(failed)
    }

    fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        let durable = self.durable.load(Ordering::Acquire);
        let mut statement = self.connection.prepare_cached(WATERMARK).map_err(failed)?;
        let count = statement.query_row(params![session.as_str(), durable], |row| row.get(0));
        count.map(unsigned).map_err(failed)
    }
}

fn record(session: &SessionId, row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record {
        session: session.clone(),
        seq: unsigned(row.get(0)?),
        run: unsigned(row.get(1)?),
        epoch: unsigned(row.get(2)?),
        kind: row.get::<_, String>(3)?.into(),
        v: row.get(4)?,
        prev_hash: row.get::<_, String>(5)?.into(),
        ignorable: row.get(6)?,
        payload: row.get::<_, String>(7)?.into(),
        at: unsigned(row.get(8)?),
    })
}
