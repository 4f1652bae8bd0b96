//! The store in a file: `SQLite`, with one thread that writes and one that reads.

mod file;
mod reader;
mod writer;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, mpsc};
use std::thread;

use tokio::sync::oneshot;

use reader::{Reader, Reading};
use writer::{Writer, Writing};

use crate::error::JournalError;
use crate::journal::{Durability, Journal, Lease, Record, SessionId};

/// Keeps records in a file, for every process of a machine that opens it. Clones share one connection.
///
/// Appends that wait at the same time are written as one transaction, and pay for one sync of the disk together. What is
/// read comes through another connection than what is written.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("polyloop-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// use polyloop::SqliteJournal;
///
/// let journal = SqliteJournal::open(folder.join("runs.db"))?;
/// # drop(journal);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SqliteJournal {
    path: Arc<PathBuf>,
    writing: mpsc::Sender<Writing>,
    reading: mpsc::Sender<Reading>,
}

/// Where the answer of a thread goes.
type Answer<T> = oneshot::Sender<Result<T, JournalError>>;

impl SqliteJournal {
    /// Opens a file, or makes it, readable for its owner only.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, holds something else, or was written by a newer version of the library.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        let path = path.as_ref();
        let connection = file::open(path)?;
        // Of what an earlier process wrote nobody knows whether it is on stable storage; now it is.
        let durable = Arc::new(AtomicI64::new(file::sync(&connection)?));
        let reader = Reader::new(file::open_to_read(path)?, durable.clone());
        let writer = Writer::new(connection, durable);
        let (writing, to_write) = mpsc::channel();
        let (reading, to_read) = mpsc::channel();
        spawn("polyloop-sqlite-writer", move || writer.serve(&to_write))?;
        spawn("polyloop-sqlite-reader", move || reader.serve(&to_read))?;
        Ok(Self { path: Arc::new(path.to_owned()), writing, reading })
    }

    async fn write<T>(&self, command: impl FnOnce(Answer<T>) -> Writing) -> Result<T, JournalError> {
        let (answer, answered) = oneshot::channel();
        self.writing.send(command(answer)).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }

    async fn ask<T>(&self, command: impl FnOnce(Answer<T>) -> Reading) -> Result<T, JournalError> {
        let (answer, answered) = oneshot::channel();
        self.reading.send(command(answer)).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

impl Journal for SqliteJournal {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        let session = session.clone();
        self.write(|answer| Writing::Lease { session, answer }).await
    }

    async fn append(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        durability: Durability,
    ) -> Result<(), JournalError> {
        let lease = lease.clone();
        self.write(|answer| Writing::Append { lease, seq, records, durability, answer }).await
    }

    async fn read(&self, session: &SessionId, from: u64) -> Result<Vec<Record>, JournalError> {
        let session = session.clone();
        self.ask(|answer| Reading::Records { session, from, answer }).await
    }

    async fn list(&self) -> Result<Vec<SessionId>, JournalError> {
        self.ask(|answer| Reading::Sessions { answer }).await
    }

    async fn watermark(&self, session: &SessionId) -> Result<u64, JournalError> {
        let session = session.clone();
        self.ask(|answer| Reading::Watermark { session, answer }).await
    }
}

impl fmt::Debug for SqliteJournal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqliteJournal").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The thread ends when the last clone is gone.
fn spawn(name: &str, serve: impl FnOnce() + Send + 'static) -> Result<(), JournalError> {
    thread::Builder::new().name(name.to_owned()).spawn(serve).map(drop).map_err(failed)
}

/// What a thread that is not there any more would have answered.
fn gone() -> JournalError {
    JournalError::Store { message: "its thread has ended".to_owned() }
}

fn failed(error: impl fmt::Display) -> JournalError {
    JournalError::Store { message: error.to_string() }
}

/// Numbers are stored as `SQLite` has them: with a sign.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
