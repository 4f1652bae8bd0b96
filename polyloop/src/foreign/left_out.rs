//! What of a history is not imported, and how much of it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

/// A reason why something of a history was left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// A model's reasoning: it belongs to the model that had it.
    Reasoning,
    /// An image without a measure, or of somebody else than a person.
    Image,
    /// A text of nothing but white space, or a message with nothing in it: a model must never get one.
    Empty,
    /// The instructions that stood beside the messages: the agent that goes on has its own.
    Instructions,
    /// A message that the other program replaced by a summary.
    Compacted,
    /// A message that the other program took back.
    RolledBack,
    /// Something that no session can hold, by the name that the other program gave it.
    Other(String),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reasoning => formatter.write_str("reasoning"),
            Self::Image => formatter.write_str("image"),
            Self::Empty => formatter.write_str("empty"),
            Self::Instructions => formatter.write_str("instructions"),
            Self::Compacted => formatter.write_str("compacted"),
            Self::RolledBack => formatter.write_str("rolled back"),
            Self::Other(name) => write!(formatter, "`{name}`"),
        }
    }
}

impl Serialize for LeftOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How much was left out, for each reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(pub(crate) BTreeMap<LeftOut, usize>);

impl Tally {
    pub(super) fn add(&mut self, what: LeftOut) {
        self.add_many(what, 1);
    }

    pub(super) fn add_many(&mut self, what: LeftOut, number: usize) {
        if number > 0 {
            *self.0.entry(what).or_default() += number;
        }
    }

    /// How many things were left out.
    pub(super) fn total(&self) -> usize {
        self.0.values().sum()
    }
}
