//! What can be wrong with a history that another program recorded.

use std::fmt;

use thiserror::Error;

/// The reason why a history of another program was not read. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {reason}")]
pub struct HistoryError {
    place: HistoryPlace,
    #[source]
    reason: HistoryFault,
}

impl HistoryError {
    pub(crate) fn new(place: HistoryPlace, reason: HistoryFault) -> Self {
        Self { place, reason }
    }

    /// Returns where the mistake is.
    #[must_use]
    pub fn place(&self) -> HistoryPlace {
        self.place
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn reason(&self) -> &HistoryFault {
        &self.reason
    }
}

/// The place of a mistake in a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HistoryPlace {
    /// The history as a whole.
    Whole,
    /// A message of a list, counted from 1.
    AtMessage(usize),
    /// A line of a file, counted from 1.
    Line(usize),
}

impl fmt::Display for HistoryPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => formatter.write_str("the history"),
            Self::AtMessage(number) => write!(formatter, "message {number}"),
            Self::Line(number) => write!(formatter, "line {number}"),
        }
    }
}

/// A mistake in a history.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HistoryFault {
    /// The text is no JSON.
    #[error("this is no JSON: {message}; mend or remove it")]
    NotJson {
        /// What is wrong, and where.
        message: String,
    },
    /// The JSON is no list of messages.
    #[error("this is no list of messages; give an array, or an object with an array `messages`")]
    NoList,
    /// There is something else where an object must be.
    #[error("this is no JSON object; write it as one, or remove it")]
    NoObject,
    /// A line is not one of a rollout.
    #[error("this is no line of a rollout, it has neither `type` nor `payload`; remove it")]
    NoRolloutLine,
    /// A member is missing.
    #[error("`{member}` is missing; it says {says}")]
    Missing {
        /// The member.
        member: &'static str,
        /// What it would say.
        says: &'static str,
    },
    /// A member is something else than it must be.
    #[error("`{member}` is not {wanted}; write it as that")]
    Unfit {
        /// The member.
        member: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// A role that nobody has.
    #[error(
        "the role `{role}` is unknown; there are `system`, `developer`, `user`, `assistant`, `tool` and `function`"
    )]
    UnknownRole {
        /// The role.
        role: String,
    },
    /// Somebody else than the model calls tools.
    #[error("calls in a message of the role `{role}`; only `assistant` calls tools")]
    NoCaller {
        /// The role.
        role: &'static str,
    },
    /// A call has no result.
    #[error("the call `{call}` has no result{}; add the result, or leave the call out", before(again.as_ref()))]
    Unanswered {
        /// The id of the call, or the name of its function where it has none.
        call: String,
        /// Where the id is used again before the result is there.
        again: Option<HistoryPlace>,
    },
    /// A result answers no call.
    #[error("this is the result of `{call}`, and no call before it has that id and no result; leave it out")]
    NoCall {
        /// The id of the call, or the name of its function where it has none.
        call: String,
    },
    /// Nothing would be imported.
    #[error("there is nothing in it that a model was told; give another one")]
    Empty,
}

fn before(again: Option<&HistoryPlace>) -> String {
    again.map_or_else(String::new, |place| format!(" before {place} uses its id again"))
}
