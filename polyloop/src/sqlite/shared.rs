//! The files that are open in this process: one thread writes to each, however often it is opened.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::Threads;
use super::answer::failed;
use super::file::create;
use crate::error::JournalError;

/// What a file is known by, whatever it is called.
#[cfg(unix)]
type FileId = (u64, u64);
#[cfg(not(unix))]
type FileId = std::path::PathBuf;

static OPEN: Mutex<Vec<(FileId, Weak<Threads>)>> = Mutex::new(Vec::new());

/// Returns the threads of a file, which is made where there is none; `start` opens one that is not open yet.
pub(super) fn threads(
    path: &Path,
    start: impl FnOnce() -> Result<Threads, JournalError>,
) -> Result<Arc<Threads>, JournalError> {
    create(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failed(format!("{error}; make its folder first")),
        _ => failed(error),
    })?;
    // The list changes as a whole, so a panic elsewhere leaves nothing half done.
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let file = id(path).map_err(failed)?;
    let found = open.iter().filter(|(id, _)| *id == file).find_map(|(_, threads)| threads.upgrade());
    // A store that failed is left to those who have it; who opens the file again gets a new one.
    if let Some(threads) = found.filter(|threads| threads.is_sound()) {
        return Ok(threads);
    }
    let threads = Arc::new(start()?);
    open.retain(|(id, threads)| *id != file && threads.strong_count() > 0);
    open.push((file, Arc::downgrade(&threads)));
    Ok(threads)
}

#[cfg(unix)]
fn id(path: &Path) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn id(path: &Path) -> io::Result<FileId> {
    path.canonicalize()
}
