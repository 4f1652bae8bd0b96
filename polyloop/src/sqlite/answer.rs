//! What the threads and their callers say to each other, and how numbers are stored.

use std::fmt;

use tokio::sync::oneshot;

use crate::error::JournalError;

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
    JournalError::Store { message: error.to_string() }
}

/// Numbers are stored as `SQLite` has them: with a sign. What does not fit is refused; else it came back as another.
pub(super) fn signed(number: u64) -> rusqlite::Result<i64> {
    i64::try_from(number).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
