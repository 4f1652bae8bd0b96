//! The files that are open in this process: one thread writes to each, however often it is opened.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::Threads;
use super::answer::failed;
use super::place::{FileId, create, resolve, secure};
use crate::error::JournalError;

static OPEN: Mutex<Vec<(FileId, Weak<Threads>)>> = Mutex::new(Vec::new());

/// Returns the threads of a file, which is made where there is none; `start` opens one that is not open yet.
pub(super) fn threads(
    path: &Path,
    start: impl FnOnce(&Path) -> Result<Threads, JournalError>,
) -> Result<Arc<Threads>, JournalError> {
    let path = resolve(path)?;
    create(&path).map_err(failed)?;
    // The list changes as a whole, so a panic elsewhere leaves nothing half done.
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let file = secure(&path)?;
    let found = open.iter().filter(|(id, _)| *id == file).find_map(|(_, threads)| threads.upgrade());
    // A store that failed is left to those who have it; who opens the file again gets a new one.
    if let Some(threads) = found.filter(|threads| threads.is_sound()) {
        return Ok(threads);
    }
    let threads = Arc::new(start(&path)?);
    // Also the files that `SQLite` made now, or found because somebody else made them meanwhile.
    if secure(&path)? != file {
        return Err(failed("it was replaced while it was opened; open it again"));
    }
    open.retain(|(id, threads)| *id != file && threads.strong_count() > 0);
    open.push((file, Arc::downgrade(&threads)));
    Ok(threads)
}
