//! The words of a fragment's description.

use super::marker::Marker;

/// The way in which a fragment's text is recognised, if it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// It stands between two markers.
    Marked {
        /// What it begins with.
        begin: Marker,
        /// What it ends with.
        end: Marker,
    },
    /// It cannot be recognised from its text; the reason is written down.
    Unmarked(&'static str),
}

/// An old form of a fragment: recognised for ever, never rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legacy {
    /// Text between two markers.
    Pair(&'static str, &'static str),
    /// Text that begins like this, whatever its end.
    Prefix(&'static str),
}

/// The place of a fragment in a prompt; see the layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Among what is the same for every run of a definition.
    Run,
    /// Between the run part and the goal, a user message of its own.
    Injection(Channel),
    /// Beside the goal.
    Goal,
    /// Beside the input of the turn: directly before it, or, where the layout says so, in one message with it.
    Turn,
}

/// The channel of an injection. Channels are sorted by name, in byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The type names it.
    Named(&'static str),
    /// Each value names it, in a field.
    Field,
}

/// The place first or last in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// First.
    Top,
    /// Last.
    Bottom,
}

/// The time for which a fragment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// It stays.
    Sticky,
    /// It is superseded by the next of its kind.
    Latest,
    /// It is news of one turn: never restated, dropped by compaction.
    Once,
}

/// The way in which a `latest` fragment is taken back, by [`Session::retract`](crate::Session::retract).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// This text is said.
    Says(&'static str),
    /// It never does, for this reason.
    Never(&'static str),
}

/// What compaction does with a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnCompact {
    /// It stays as it is.
    Keep,
    /// Its latest statement is told anew, in full.
    Restate,
    /// It goes.
    Drop,
}

/// What a fork does with a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFork {
    /// The child keeps it.
    Keep,
    /// The child states the present value in its place.
    Refresh,
    /// It goes.
    Drop,
}

/// What a rollback over a fragment does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnRollback {
    /// It goes with its turn.
    Trim,
    /// It stays.
    Keep,
}

/// Whether long-term memory may read a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// It may not.
    Exclude,
    /// It may.
    Include,
}

/// What happens to a text over its cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It is an error, and nothing is recorded.
    Refuse,
    /// The start of the body goes.
    CutHead,
    /// The end of the body goes.
    CutTail,
    /// The middle of the body goes.
    CutMiddle,
}

/// One piece of a body's template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The template's own text.
    Text(&'static str),
    /// A field's value; markers inside it are neutralised.
    Field(&'static str),
    /// A field's value, as it is.
    Raw(&'static str),
}
