//! What the threads and their callers say to each other, and how numbers are stored.

use std::fmt;

use tokio::sync::oneshot;

use crate::error::JournalError;
use crate::journal::SessionId;

/// What a thread answers.
pub(super) type Answered<T> = Result<T, JournalError>;

/// Where the answer of the reading thread goes.
pub(super) type Answer<T> = oneshot::Sender<Answered<T>>;

/// What a thread that is not there any more would have answered.
pub(super) fn gone() -> JournalError {
    failed("its thread has ended")
}

/// What the store itself says of a failure.
pub(super) fn failed(error: impl fmt::Display) -> JournalError {
    let mut message = error.to_string();
    // All that `SQLite` says where the limit for the work of a command was reached.
    if message == "interrupted" {
        let what = "a statement took too much work, as no session of the library does";
        message = format!("{what}; check the file with `PRAGMA integrity_check`");
    }
    JournalError::Store { message }
}

/// Numbers are stored as `SQLite` has them: with a sign. What does not fit is refused; else it came back as another.
pub(super) fn signed(number: u64) -> rusqlite::Result<i64> {
    i64::try_from(number).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// Nothing that the library writes is negative.
pub(super) fn unsigned(number: i64) -> rusqlite::Result<u64> {
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, number))
}

/// The refusal of a session in whose rows a number is negative.
pub(super) fn negative(session: &SessionId, number: i64) -> JournalError {
    failed(format!(
        "the session `{session}` has the number {number} in its rows; it cannot be trusted and is not opened"
    ))
}
