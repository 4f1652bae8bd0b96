//! What can be wrong with a session that comes from elsewhere.

use thiserror::Error;

use super::JournalError;

/// Says why a session was not imported. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A line is not what it must be.
    #[error("line {line}: {reason}; nothing was imported")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        reason: LineError,
    },
    /// The agent that is to go on keeps no sessions.
    #[error(
        "the agent has no journal, and so no session `{session}`; give it one with `AgentBuilder::journal`"
    )]
    NoJournal {
        /// The session's id.
        session: String,
    },
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Says what is wrong with a line of an exported session.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LineError {
    /// There is no line at all.
    #[error("a record is missing, the text is empty")]
    Missing,
    /// It is not the JSON object of a record.
    #[error("it is no record: {message}, column {column}")]
    Unreadable {
        /// What is wrong.
        message: String,
        /// Where, from 1; 0 where it is the line as a whole.
        column: usize,
    },
    /// Its content does not have the hash that it names.
    #[error("it was changed, its `hash` is another one")]
    Changed,
    /// It is of another session than the first line.
    #[error(
        "it belongs to the session `{session}`, and the first line to `{expected}`; import the sessions one by one"
    )]
    OtherSession {
        /// Its session.
        session: String,
        /// That of the first line.
        expected: String,
    },
    /// Lines are missing, or in another order.
    #[error("it holds event {seq}, and event {next} comes next")]
    OutOfOrder {
        /// Its number.
        seq: u64,
        /// The number that comes next.
        next: u64,
    },
    /// It was written behind something else.
    #[error("it does not follow the line before, whose hash is not its `prev_hash`")]
    Unchained,
    /// Its epoch is none that may stand here.
    #[error("its epoch is {epoch}, and {least} is the least that may come next")]
    Epoch {
        /// Its epoch.
        epoch: u64,
        /// The epoch of the line before, or 1.
        least: u64,
    },
    /// The journal does not have what the session inherits.
    #[error("{0}")]
    Parent(Box<JournalError>),
    /// The journal has the session already.
    #[error("the journal has the session `{session}` already")]
    SessionExists {
        /// The session's id.
        session: String,
    },
}

impl LineError {
    pub(crate) fn parent(error: JournalError) -> ImportError {
        ImportError::Line { line: 1, reason: Self::Parent(Box::new(error)) }
    }

    /// The place inside the text that was read is left out of the message: it is always in its first line.
    pub(crate) fn unreadable(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        Self::Unreadable { message, column: error.column() }
    }
}
