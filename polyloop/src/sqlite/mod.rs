//! The store in a file: `SQLite`, with one thread that writes and one that reads.

mod answer;
mod blobs;
mod file;
mod log;
mod place;
mod reader;
mod rows;
mod schema;
mod scrub;
mod shared;
mod told;
mod work;
mod writer;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use answer::{Answer, failed, gone};
use reader::{Reader, Reading};
use writer::{Writer, Writing};

use crate::error::JournalError;
use crate::journal::{Durability, Journal, Lease, Record, SessionId, is_remark};

/// Keeps records in a file, for every process of a machine that opens it. Clones share one connection, and so do those
/// who open the same file in one process.
///
/// Appends that wait at the same time are written as one transaction, and pay for one sync of the disk together. What is
/// read comes through another connection than what is written. Dropping the last clone waits until the file is closed.
///
/// Comes with the feature `sqlite`, which is on by default.
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
    threads: Arc<Threads>,
}

/// The threads, and the ways to them.
struct Threads {
    /// None only while they end.
    ways: Option<(mpsc::Sender<Writing>, mpsc::Sender<Reading>)>,
    handles: Vec<JoinHandle<()>>,
    /// Set when nothing more is written.
    failed: Arc<AtomicBool>,
}

impl Threads {
    fn start(path: &Path) -> Result<Self, JournalError> {
        let connection = file::open(path)?;
        // Of what an earlier process wrote nobody knows whether it is on stable storage; now it is.
        let durable = Arc::new(AtomicI64::new(file::sync(&connection, path)?));
        let failed = Arc::new(AtomicBool::new(false));
        let reader = Reader::new(file::open_to_read(path)?, path, durable.clone(), failed.clone())?;
        let writer = Writer::new(connection, durable, failed.clone())?;
        let (writing, to_write) = mpsc::channel();
        let (reading, to_read) = mpsc::channel();
        // Made first: a thread that is there ends with it, also where the other one cannot be made.
        let mut threads = Self { ways: Some((writing, reading)), handles: Vec::new(), failed };
        threads.handles.push(spawn("polyloop-sqlite-writer", move || writer.serve(&to_write))?);
        threads.handles.push(spawn("polyloop-sqlite-reader", move || reader.serve(&to_read))?);
        Ok(threads)
    }

    fn is_sound(&self) -> bool {
        !self.failed.load(Ordering::Acquire)
    }

    /// Gives a thread something to do, and waits for its answer.
    async fn ask<T>(
        &self,
        send: impl FnOnce(&mpsc::Sender<Writing>, &mpsc::Sender<Reading>, oneshot::Sender<T>) -> bool,
    ) -> Result<T, JournalError> {
        let (answer, answered) = oneshot::channel();
        let is_there = self.ways.as_ref().is_some_and(|(writing, reading)| send(writing, reading, answer));
        if !is_there {
            return Err(gone());
        }
        answered.await.map_err(|_| gone())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // Without a way to them they end; then the file is closed, and whoever dropped the journal may move it.
        self.ways = None;
        for handle in self.handles.drain(..) {
            drop(handle.join());
        }
    }
}

impl SqliteJournal {
    /// Opens a file, or makes it, readable for its owner only. Access that others have to an existing file, or to the files
    /// that `SQLite` keeps beside it, is taken away.
    ///
    /// The path is always the path of a file: nothing in it is read as a URI, and the names that `SQLite` gives another
    /// meaning, `:memory:` and an empty one, are refused. A folder that other users may write to is safe only where they
    /// cannot replace files in it, as in `/tmp`.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is a link or belongs to another user, holds something else or other tables than the
    /// library makes, or was written by another version of the library.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        let path = path.as_ref();
        let threads = shared::threads(path, Threads::start).map_err(|error| match error {
            JournalError::Store { message } => {
                failed(format!("the file `{}` cannot be opened: {message}", path.display()))
            }
            other => other,
        })?;
        Ok(Self { path: Arc::new(path.to_owned()), threads })
    }

    async fn write<T>(&self, command: impl FnOnce(told::Answer<T>) -> Writing) -> Result<T, JournalError> {
        let asked = self.threads.ask(|writing, _, answer| writing.send(command(answer)).is_ok());
        let (answer, others) = asked.await?;
        others.tell();
        answer
    }

    async fn ask<T>(&self, command: impl FnOnce(Answer<T>) -> Reading) -> Result<T, JournalError> {
        self.threads.ask(|_, reading, answer| reading.send(command(answer)).is_ok()).await?
    }
}

impl Journal for SqliteJournal {
    async fn lease(&self, session: &SessionId) -> Result<Lease, JournalError> {
        let session = session.clone();
        self.write(|answer| Writing::Lease { session, seq: None, answer }).await
    }

    async fn lease_at(&self, session: &SessionId, seq: u64) -> Result<Lease, JournalError> {
        let session = session.clone();
        self.write(|answer| Writing::Lease { session, seq: Some(seq), answer }).await
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

    async fn read_kinds(&self, session: &SessionId, kinds: &[&str]) -> Result<Vec<Record>, JournalError> {
        let session = session.clone();
        let kinds = serde_json::to_string(kinds).map_err(failed)?;
        self.ask(|answer| Reading::Kinds { session, kinds, answer }).await
    }

    async fn import(&self, records: Vec<Record>) -> Result<(), JournalError> {
        self.write(|answer| Writing::Import { records, answer }).await
    }

    async fn append_remark(&self, record: Record) -> Result<(), JournalError> {
        is_remark(&record)?;
        self.write(|answer| Writing::Remark { record, answer }).await
    }

    async fn redact(
        &self,
        lease: &Lease,
        seq: u64,
        records: Vec<Record>,
        redacted: Vec<Record>,
    ) -> Result<(), JournalError> {
        let lease = lease.clone();
        self.write(|answer| Writing::Redact { lease, seq, records, redacted, answer }).await?;
        self.write(|answer| Writing::Scrub { answer }).await
    }

    async fn erase(&self, sessions: Vec<(Lease, Record)>) -> Result<(), JournalError> {
        self.write(|answer| Writing::Erase { sessions, answer }).await?;
        self.write(|answer| Writing::Scrub { answer }).await
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

fn spawn(name: &str, serve: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, JournalError> {
    thread::Builder::new().name(name.to_owned()).spawn(serve).map_err(failed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn a_file_that_is_opened_twice_has_one_writing_thread_under_whatever_name() {
        let folder = std::env::temp_dir().join(format!("polyloop-shared-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("runs.db");
        let first = SqliteJournal::open(&path).unwrap();
        let second = SqliteJournal::open(folder.join(".").join("runs.db")).unwrap();
        assert!(Arc::ptr_eq(&first.threads, &second.threads));
        let other = SqliteJournal::open(folder.join("other.db")).unwrap();
        assert!(!Arc::ptr_eq(&first.threads, &other.threads));
        first.threads.failed.store(true, Ordering::Release);
        let third = SqliteJournal::open(&path).unwrap();
        assert!(!Arc::ptr_eq(&first.threads, &third.threads), "what failed is not handed out again");
        drop((first, second, third, other));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
