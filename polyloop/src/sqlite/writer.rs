//! The thread that writes: what waits at the same time becomes one transaction.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::answer::failed;
use super::file::set_synchronous;
use super::log::Log;
use super::rows::{Fault, Rows};
use super::scrub::scrub;
use super::told::{Answer, Done, Told};
use crate::error::JournalError;
use crate::journal::{Durability, Lease, Record, SessionId};

/// How many commands share a transaction at most.
const GROUP: usize = 1024;
/// After how long without a command the log is moved into the file.
const IDLE: Duration = Duration::from_secs(1);
/// How long a command that is expected is looked out for before the thread sleeps.
const AWAKE: Duration = Duration::from_micros(200);

/// What is asked of the thread.
pub(super) enum Writing {
    /// With the number that the next record must have, unless it is taken from whoever has it.
    Lease {
        session: SessionId,
        seq: Option<u64>,
        answer: Answer<Lease>,
    },
    Append {
        lease: Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
        answer: Answer<()>,
    },
    Import {
        records: Vec<Record>,
        answer: Answer<()>,
    },
    Remark {
        record: Record,
        answer: Answer<()>,
    },
    Redact {
        lease: Lease,
        seq: u64,
        records: Vec<Record>,
        redacted: Vec<Record>,
        answer: Answer<()>,
    },
    Erase {
        sessions: Vec<(Lease, Record)>,
        answer: Answer<()>,
    },
    /// Removes former contents from the file; not part of a transaction.
    Scrub {
        answer: Answer<()>,
    },
}

impl Writing {
    /// A lease fences somebody, so it must not be forgotten.
    fn is_barrier(&self) -> bool {
        !matches!(self, Self::Append { durability: Durability::Relaxed, .. })
    }

    fn refused(self, error: &JournalError) -> Done {
        match self {
            Self::Lease { answer, .. } => Done::Lease(answer, Err(error.clone())),
            Self::Append { answer, .. }
            | Self::Import { answer, .. }
            | Self::Remark { answer, .. }
            | Self::Redact { answer, .. }
            | Self::Erase { answer, .. }
            | Self::Scrub { answer } => Done::Written(answer, Err(error.clone())),
        }
    }
}

pub(super) struct Writer {
    rows: Rows,
    /// Whether the connection is set to sync at each commit.
    syncs: bool,
    /// The last event that is on stable storage.
    durable: Arc<AtomicI64>,
    /// Why nothing is written any more. After a failed sync nobody knows what the disk has.
    poisoned: Option<JournalError>,
    /// Tells the others that it is so.
    failed: Arc<AtomicBool>,
    log: Log,
    /// Who waited for the last transaction. They are told while there is nothing else to do.
    told: Told,
    /// Whether the last command came right behind the one before.
    busy: bool,
    /// How many commands came together lately.
    company: usize,
    /// How long a sync takes lately.
    sync: Duration,
}

impl Writer {
    pub(super) fn new(
        mut connection: Connection,
        durable: Arc<AtomicI64>,
        failed: Arc<AtomicBool>,
    ) -> Result<Self, JournalError> {
        Ok(Self {
            log: Log::of(&mut connection)?,
            rows: Rows::new(connection)?,
            syncs: true,
            durable,
            poisoned: None,
            failed,
            told: Told::of([]),
            busy: false,
            company: 0,
            sync: Duration::ZERO,
        })
    }

    /// Writes until nobody is left who could ask.
    pub(super) fn serve(mut self, asked: &mpsc::Receiver<Writing>) {
        loop {
            match self.first(asked) {
                Ok(first) => {
                    self.write(first, asked);
                    if self.log.is_long() {
                        self.move_log();
                    }
                }
                Err(RecvTimeoutError::Timeout) if !self.log.is_empty() => self.move_log(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.told.tell(),
            }
        }
    }

    /// The next command. Where they come one right behind the other, it is looked out for before the thread sleeps: to
    /// wake it would take about as long.
    fn first(&mut self, asked: &mpsc::Receiver<Writing>) -> Result<Writing, RecvTimeoutError> {
        let begun = Instant::now();
        while self.busy && begun.elapsed() < AWAKE {
            match asked.try_recv() {
                Ok(first) => return Ok(first),
                Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
                Err(TryRecvError::Empty) => self.pass_time(),
            }
        }
        self.told.tell();
        let begun = Instant::now();
        let first = asked.recv_timeout(IDLE);
        self.busy = begun.elapsed() < AWAKE;
        first
    }

    /// Writes what waits, as one transaction.
    fn write(&mut self, first: Writing, asked: &mpsc::Receiver<Writing>) {
        let mut waiting: VecDeque<Writing> =
            std::iter::once(first).chain(asked.try_iter()).take(GROUP).collect();
        let barrier = waiting.iter().any(Writing::is_barrier);
        if let Err(error) = self.begin(barrier) {
            return Told::of(waiting.into_iter().map(|writing| writing.refused(&error))).tell();
        }
        let mut done = Vec::with_capacity(self.company.max(waiting.len()));
        let mut patience = self.sync;
        let (mut failure, mut scrubs) = (None, Vec::new());
        // What failed may have ended the transaction: nothing more is done then.
        while failure.is_none() {
            let next = waiting.pop_front().or_else(|| {
                // Without a sync there is nothing to share.
                if barrier && done.len() < GROUP { self.next(asked, done.len(), &mut patience) } else { None }
            });
            let Some(command) = next else { break };
            match command {
                Writing::Scrub { answer } => scrubs.push(answer),
                command => done.push(self.carry_out(command, &mut failure)),
            }
        }
        self.company = done.len().max(self.company - self.company.div_ceil(4));
        match failure {
            None => self.commit(barrier, done),
            Some(error) => {
                // Nobody knows which part of the command is there; all others of the transaction go with it.
                self.rows.roll_back();
                let rest = waiting.into_iter().map(|writing| writing.refused(&error));
                Told::of(done.into_iter().map(|done| done.refused(&error)).chain(rest)).tell();
            }
        }
        self.scrub(scrubs);
    }

    /// Removes former contents, once for all who wait for it.
    fn scrub(&mut self, waiting: Vec<Answer<()>>) {
        if waiting.is_empty() {
            return;
        }
        self.told.tell();
        let scrubbed = if let Some(error) = &self.poisoned {
            Err(error.clone())
        } else {
            self.rows.begin_command();
            scrub(self.rows.connection())
        };
        Told::of(waiting.into_iter().map(|answer| Done::Written(answer, scrubbed.clone()))).tell();
    }

    /// What joins the transaction that is open. Those who were told of the last one are about to ask for the next: they
    /// are waited for, together no longer than a sync of their own would take, and each half of that.
    fn next(
        &self,
        asked: &mpsc::Receiver<Writing>,
        joined: usize,
        patience: &mut Duration,
    ) -> Option<Writing> {
        let begun = Instant::now();
        let most = if joined < self.company { (self.sync / 2).min(*patience) } else { Duration::ZERO };
        let next = loop {
            match asked.try_recv() {
                // Sleeping would cost a waking for each of them, on their side too.
                Err(TryRecvError::Empty) if begun.elapsed() < most.min(AWAKE) => self.pass_time(),
                Err(TryRecvError::Empty) if begun.elapsed() < most => {
                    self.told.tell();
                    break asked.recv_timeout(most.saturating_sub(AWAKE)).ok();
                }
                next => break next.ok(),
            }
        };
        *patience = patience.saturating_sub(begun.elapsed());
        next
    }

    fn pass_time(&self) {
        if !self.told.tell_next() {
            thread::yield_now();
        }
    }

    fn begin(&mut self, barrier: bool) -> Result<(), JournalError> {
        if let Some(error) = &self.poisoned {
            return Err(error.clone());
        }
        if self.failed.load(Ordering::Acquire) {
            // The reading thread met it.
            return Err(self.poison(failed("the write-ahead log could not be synced")));
        }
        if self.syncs != barrier {
            set_synchronous(self.rows.connection(), barrier)?;
            self.syncs = barrier;
        }
        self.rows.begin().map_err(failed)
    }

    fn commit(&mut self, barrier: bool, done: Vec<Done>) {
        // Nobody waits for the sync of others.
        self.told.tell();
        let begun = Instant::now();
        match self.rows.commit() {
            Ok(last) => {
                if barrier {
                    self.durable.store(last, Ordering::Release);
                    self.sync = (self.sync * 7 + begun.elapsed()) / 8;
                }
                self.told = Told::of(done);
                self.told.tell_next();
            }
            Err(error) => {
                let error = self.poison(failed(error));
                self.rows.roll_back();
                Told::of(done.into_iter().map(|done| done.refused(&error))).tell();
            }
        }
    }

    /// Carries a command out inside the transaction; one that is refused leaves nothing there.
    fn carry_out(&mut self, writing: Writing, failure: &mut Option<JournalError>) -> Done {
        let mut told = |fault| match fault {
            Fault::Refused(error) => error,
            Fault::Failed(error) => failure.insert(error).clone(),
        };
        self.rows.begin_command();
        match writing {
            Writing::Lease { session, seq, answer } => {
                Done::Lease(answer, self.rows.take(session, seq).map_err(&mut told))
            }
            Writing::Append { lease, seq, records, answer, .. } => {
                Done::Written(answer, self.rows.append(&lease, seq, &records).map_err(&mut told))
            }
            Writing::Import { records, answer } => {
                Done::Written(answer, self.rows.import(&records).map_err(&mut told))
            }
            Writing::Remark { record, answer } => {
                Done::Written(answer, self.rows.append_remark(&record).map_err(&mut told))
            }
            Writing::Redact { lease, seq, records, redacted, answer } => {
                let redacted = self.rows.redact(&lease, seq, &records, &redacted);
                Done::Written(answer, redacted.map_err(&mut told))
            }
            Writing::Erase { sessions, answer } => {
                Done::Written(answer, self.rows.erase(&sessions).map_err(&mut told))
            }
            // Kept for after the transaction.
            Writing::Scrub { answer } => Done::Written(answer, Ok(())),
        }
    }

    /// Moves the log into the file. Where a reader is in the way it is tried again later.
    fn move_log(&mut self) {
        self.told.tell();
        if self.poisoned.is_none()
            && let Err(error) = self.log.move_into_file(self.rows.connection())
        {
            self.poison(error);
        }
    }

    fn poison(&mut self, error: JournalError) -> JournalError {
        let error = match error {
            JournalError::Store { message } => {
                failed(format!("{message}; nothing more is written, open the file again"))
            }
            error => error,
        };
        self.failed.store(true, Ordering::Release);
        self.poisoned.insert(error).clone()
    }
}
