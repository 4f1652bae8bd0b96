//! What can go wrong with a fragment.

use thiserror::Error;

/// A text that is not a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is no key; a key is `[a-z][a-z0-9_]*`, at most 64 characters")]
pub struct KeyError {
    pub(crate) text: String,
}

/// The reason why a fragment was not recorded. Nothing was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("fragment `{kind}` was not recorded: {reason}")]
pub struct RecordError {
    kind: &'static str,
    #[source]
    reason: RecordErrorKind,
}

impl RecordError {
    pub(crate) fn new(kind: &'static str, reason: RecordErrorKind) -> Self {
        Self { kind, reason }
    }

    /// Returns the kind of the fragment.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> &RecordErrorKind {
        &self.reason
    }
}

/// A reason for not recording a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordErrorKind {
    /// The text is over the cap.
    #[error(
        "its text has {size} characters and its `max_chars` is {cap}; shorten it, or give the type an `overflow`"
    )]
    TooLarge {
        /// The size in characters, markers included.
        size: usize,
        /// The cap in characters.
        cap: usize,
    },
    /// The cap leaves no room for markers and notice.
    #[error(
        "its `max_chars` of {cap} has no room for the markers and the notice of what is left out; raise it"
    )]
    NoRoomForNotice {
        /// The cap in characters.
        cap: usize,
    },
    /// A turn may not record so many.
    #[error("this turn already recorded {at_most} of them; {}", fewer(*at_most))]
    TooMany {
        /// The number that a turn may record.
        at_most: usize,
    },
    /// The type says that it is never taken back.
    #[error("its type says `never_retracted`, so it cannot be taken back; give it `absent = \"…\"`")]
    NeverRetracted,
    /// The key of the markers is none.
    #[error("the key of its markers: {source}")]
    Key {
        /// Why it is none.
        #[source]
        source: KeyError,
    },
    /// The key is the tag of another kind.
    #[error("its key `{key}` is the tag of another registered kind; choose another key")]
    KeyIsTag {
        /// The key.
        key: String,
    },
    /// A marker goes from the template into a value.
    #[error("the template's own text and a value make the marker `{marker}` together; change the template")]
    MarkerStartsInTemplate {
        /// The marker.
        marker: String,
    },
    /// A value holds a marker that has no escape.
    #[error(
        "a value holds the marker `{marker}`, which has no escape; change the value, or mark the field `raw`"
    )]
    MarkerInValue {
        /// The marker.
        marker: String,
    },
    /// The text would not be recognised.
    #[error("its registry would not recognise the text; a `raw` value may hold a marker")]
    NotRecognised,
    /// An injection without a channel.
    #[error("its channel is empty; an injection names one")]
    NoChannel,
    /// An unmarked text of nothing but white space.
    #[error("its text is empty")]
    Empty,
    /// The value cannot be written as JSON.
    #[error("its state cannot be written as JSON: {reason}")]
    State {
        /// What the serializer said.
        reason: String,
    },
}

/// The remedy for too many.
fn fewer(at_most: usize) -> &'static str {
    if at_most == 1 {
        "record it once in a turn, or raise `at_most` on the type"
    } else {
        "record fewer, or raise `at_most` on the type"
    }
}

/// The reason why a text was not read back as a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this text is not a `{kind}`: {reason}")]
pub struct ParseError {
    kind: &'static str,
    #[source]
    reason: ParseErrorKind,
}

impl ParseError {
    pub(crate) fn new(kind: &'static str, reason: ParseErrorKind) -> Self {
        Self { kind, reason }
    }

    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> &ParseErrorKind {
        &self.reason
    }
}

/// A reason for not reading a fragment back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// It does not stand between the markers.
    #[error("it does not stand between the markers of that kind")]
    Markers,
    /// The body does not fit the template.
    #[error("its body does not fit the template, or would be rendered otherwise")]
    Body,
    /// The body fits the template in several ways.
    #[error("its body can be split in several ways")]
    Ambiguous,
    /// Something may be missing: the type cuts, and the body holds its notice.
    #[error("its body holds the notice of a cut, so the value may be longer than this text")]
    Cut,
    /// A field does not read.
    #[error("the text of field `{field}` is no `{wanted}`")]
    Field {
        /// The field.
        field: String,
        /// The type.
        wanted: &'static str,
    },
}
