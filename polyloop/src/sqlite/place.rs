//! The path of a journal: which file it names, and who may read the files beside it.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::answer::failed;
use crate::error::JournalError;

/// Suffixes of the files that `SQLite` keeps beside a database. A rollback journal is none of ours, but `SQLite` would
/// apply one that another user left there.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Identifies a file, whatever path leads to it.
#[cfg(unix)]
pub(super) type FileId = (u64, u64);
#[cfg(not(unix))]
pub(super) type FileId = PathBuf;

/// Returns the absolute path of the file that a path names. `SQLite` gives some names another meaning (`:memory:`, an empty
/// name, `file:…`); it gives none to an absolute path.
pub(super) fn resolve(path: &Path) -> Result<PathBuf, JournalError> {
    if path.as_os_str().is_empty() {
        return Err(failed("the path is empty; name a file"));
    }
    if path.as_os_str() == ":memory:" {
        return Err(failed("it names a database in memory, not a file; use `MemoryJournal`"));
    }
    let Some(name) = path.file_name() else {
        return Err(failed("the path names no file; add the name of one"));
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = absolute(folder).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failed(format!("{error}; make its folder first")),
        _ => failed(error),
    })?;
    Ok(folder.join(name))
}

#[cfg(unix)]
fn absolute(folder: &Path) -> io::Result<PathBuf> {
    folder.canonicalize()
}

/// Without the prefix of a verbatim path, which `SQLite` does not take everywhere.
#[cfg(not(unix))]
fn absolute(folder: &Path) -> io::Result<PathBuf> {
    folder.metadata().and_then(|_| std::path::absolute(folder))
}

/// Creates the file where there is none, before `SQLite` would: only its owner may read what a model saw.
pub(super) fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes sure that only the present user can read the file and those beside it, and returns the file's identity. Access for
/// others is taken away; a file of another user, a link, and anything that is not a regular file are refused.
///
/// Nothing is opened here: closing a file gives up the locks that `SQLite` holds on it.
pub(super) fn secure(path: &Path) -> Result<FileId, JournalError> {
    is_private(path)?.ok_or_else(|| failed("it was removed while it was opened; open it again"))?;
    for suffix in BESIDE {
        let beside = beside(path, suffix);
        is_private(&beside).map_err(|error| match error {
            JournalError::Store { message } => failed(format!("`{}` beside it: {message}", beside.display())),
            error => error,
        })?;
    }
    id(path).map_err(failed)
}

/// Checks one file. None where there is none.
fn is_private(path: &Path) -> Result<Option<()>, JournalError> {
    let file = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(failed)?,
    };
    if file.is_symlink() {
        return Err(failed("it is a symbolic link; name the file that it leads to"));
    }
    if !file.is_file() {
        return Err(failed("it is not a regular file; name another one"));
    }
    #[cfg(unix)]
    belongs_to_the_user_alone(path, &file)?;
    Ok(Some(()))
}

#[cfg(unix)]
fn belongs_to_the_user_alone(path: &Path, file: &fs::Metadata) -> Result<(), JournalError> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    /// The permissions of everybody but the owner.
    const OTHERS: u32 = 0o077;

    let user = rustix::process::geteuid().as_raw();
    if file.uid() != user {
        let owner = file.uid();
        return Err(failed(format!(
            "it belongs to the user {owner}, and this process runs as {user}; name a file of your own"
        )));
    }
    if file.nlink() > 1 {
        return Err(failed(format!(
            "it has {} hard links, and each name would have a write-ahead log of its own; keep one of them",
            file.nlink()
        )));
    }
    let mode = file.mode();
    if mode & OTHERS == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700)).map_err(failed)?;
    let now = fs::symlink_metadata(path).map_err(failed)?.mode();
    if now & OTHERS == 0 {
        return Ok(());
    }
    Err(failed(format!(
        "other users may read it (mode {:o}), and its file system does not let that be changed; name a file elsewhere",
        now & 0o777
    )))
}

#[cfg(unix)]
fn id(path: &Path) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn id(path: &Path) -> io::Result<FileId> {
    path.canonicalize()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Brings the write-ahead log to stable storage, whichever process wrote it. What was moved into the database is there
/// already: `SQLite` syncs both when it moves it.
pub(super) fn sync_log(path: &Path) -> io::Result<()> {
    // `SQLite` takes no locks on this file, so it may be closed.
    match OpenOptions::new().write(true).open(beside(path, "-wal")) {
        Ok(log) => log.sync_data()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // The name of a new file is in its folder.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}
