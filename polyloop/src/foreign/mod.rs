//! Histories that other programs recorded: read without a registry, and then known through one.

mod items;
mod left_out;
mod object;
mod pairing;
mod reader;
mod rollout;

use std::fmt;
use std::sync::Arc;

pub use left_out::LeftOut;

pub(crate) use items::{Imported, imported};
pub(crate) use left_out::Tally;
use serde_json::Value;

use crate::error::{HistoryError, HistoryFault, HistoryPlace};
use crate::message::Role;
use object::Object;
use reader::Reader;
use rollout::Rollout;

/// A history that another program recorded, read and checked: each call has its result behind it.
///
/// [`Agent::import`](crate::Agent::import) begins a session with it.
///
/// ```
/// use polyloop::ForeignHistory;
///
/// let history = ForeignHistory::open_ai(
///     r#"[{"role": "user", "content": "Is it open?"}, {"role": "assistant", "content": "It is."}]"#,
/// )?;
/// assert_eq!(history.len(), 2);
///
/// let unanswered = r#"[{"role": "assistant", "tool_calls": [
///     {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}]"#;
/// let error = ForeignHistory::open_ai(unanswered).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "message 1: the call `c1` has no result; add the result, or leave the call out",
/// );
/// # Ok::<(), polyloop::HistoryError>(())
/// ```
#[derive(Clone)]
pub struct ForeignHistory {
    messages: Vec<ForeignMessage>,
    left_out: Tally,
    /// How many results stood behind something else than their call.
    moved: usize,
    /// Whether the program recorded which texts a person typed. Then no other text is a person's input.
    records_typed: bool,
}

impl ForeignHistory {
    /// Reads messages in the form of OpenAI: a JSON array of them, or an object with an array `messages`.
    ///
    /// It takes the messages of chat completions, with `tool_calls` or the older `function_call`, and the items of
    /// responses. A `content` is a string, null or a list of parts. What is no text, and a model's reasoning, is left out
    /// and counted.
    ///
    /// # Errors
    ///
    /// With the number of the message, when it is not of that form, calls a tool and has no result, or is the result of no
    /// call; without one, when the text is no JSON or holds no message.
    pub fn open_ai(json: &str) -> Result<Self, HistoryError> {
        let whole = |reason| HistoryError::new(HistoryPlace::Whole, reason);
        let parsed: Value = serde_json::from_str(json)
            .map_err(|error| whole(HistoryFault::NotJson { message: error.to_string() }))?;
        let list = match &parsed {
            Value::Array(list) => list,
            Value::Object(_) => match Object::of(HistoryPlace::Whole, &parsed)?.get("messages") {
                Some(Value::Array(list)) => list,
                _ => return Err(whole(HistoryFault::NoList)),
            },
            _ => return Err(whole(HistoryFault::NoList)),
        };
        let mut reader = Reader::default();
        for (number, message) in (1..).zip(list) {
            reader.read(HistoryPlace::AtMessage(number), message)?;
        }
        Self::of(reader, false)
    }

    /// Reads a rollout of Codex: JSON Lines, one `{"timestamp", "type", "payload"}` each.
    ///
    /// What counts are the response items: messages, calls and their outputs. What Codex compacted or rolled back is
    /// replaced or goes, as it did there. Where Codex recorded that a person typed a text, it is never taken for anything
    /// else; in a rollout with such records, every other text of the role `user` was written by the program and never becomes
    /// a person's input: it is a fragment if the registry recognizes it, else an item of the kind `polyloop.imported`. Reasoning, images and what a session cannot hold are left out and counted.
    ///
    /// # Errors
    ///
    /// With the number of the line, when it is no JSON object or not of that form, calls a tool and has no result, or is the
    /// result of no call; without one, when there is no message.
    pub fn codex_rollout(lines: &str) -> Result<Self, HistoryError> {
        let mut rollout = Rollout::default();
        for (number, line) in (1..).zip(lines.lines()) {
            if !line.trim().is_empty() {
                rollout.line(HistoryPlace::Line(number), line)?;
            }
        }
        Self::of(rollout.reader, rollout.records_typed)
    }

    fn of(reader: Reader, records_typed: bool) -> Result<Self, HistoryError> {
        let Reader { entries, left_out } = reader;
        let (messages, moved) = pairing::paired(entries)?;
        if messages.is_empty() {
            return Err(HistoryError::new(HistoryPlace::Whole, HistoryFault::Empty));
        }
        Ok(Self { messages, left_out, moved, records_typed })
    }

    pub(crate) fn moved(&self) -> usize {
        self.moved
    }

    /// Returns the number of messages, results of calls among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.iter().map(|message| 1 + message.outcomes.len()).sum()
    }

    /// Whether there is no message; a history that was read has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}

impl fmt::Debug for ForeignHistory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ForeignHistory").field("messages", &self.len()).finish_non_exhaustive()
    }
}

/// What one message says, with what came of its calls, by their numbers in it.
#[derive(Clone, Debug)]
struct ForeignMessage {
    spoken: Spoken,
    outcomes: Vec<(usize, Vec<Arc<str>>)>,
}

/// One thing that was read.
#[derive(Clone, Debug)]
enum Entry {
    Spoken(Spoken),
    Outcome(Outcome),
}

impl Entry {
    fn spoken_mut(&mut self) -> Option<&mut Spoken> {
        match self {
            Self::Spoken(spoken) => Some(spoken),
            Self::Outcome(_) => None,
        }
    }

    /// Whether it is something that a program told the model: neither what the model said or did, nor a summary.
    fn is_told(&self) -> bool {
        match self {
            Self::Spoken(spoken) => spoken.role != Role::Assistant && spoken.author != Author::Summary,
            Self::Outcome(_) => false,
        }
    }
}

/// One part of what somebody said; no text is empty.
#[derive(Clone, Debug)]
enum Part {
    Text(Arc<str>),
    /// An image, by its address or its data as one. Only a person shows images.
    Image(Arc<str>),
}

impl Part {
    fn text(&self) -> Option<&Arc<str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image(_) => None,
        }
    }
}

/// What somebody said.
#[derive(Clone, Debug)]
struct Spoken {
    role: Role,
    author: Author,
    parts: Vec<Part>,
    calls: Vec<Call>,
}

impl Spoken {
    /// Whether it speaks in the role of a person, and nothing says whose words it holds.
    fn is_by_nobody_known(&self) -> bool {
        self.role == Role::User && self.author == Author::Unknown
    }

    /// The author of these words if a person typed them: of the whole message, or of the one part that holds them.
    fn typed(&self, words: &str) -> Option<Author> {
        let whole: String = self.parts.iter().filter_map(Part::text).map(|text| &**text).collect();
        if whole == words {
            return Some(Author::Person { part: None });
        }
        let holds = |part: &Part| part.text().is_some_and(|text| **text == *words);
        self.parts.iter().position(holds).map(|part| Author::Person { part: Some(part) })
    }

    /// The author of a message if a person showed its images without a text.
    fn shown(&self) -> Option<Author> {
        let image = self.parts.iter().position(|part| part.text().is_none());
        image.map(|part| Author::Person { part: Some(part) })
    }

    /// Returns `true` if the message, or one of its parts, is this text.
    fn says(&self, words: &str) -> bool {
        self.typed(words).is_some()
    }

    /// Returns `true` if a person typed this part, or nothing is known of who did and `unknown` is assumed to be a person.
    fn is_input(&self, part: usize, unknown: bool) -> bool {
        self.role == Role::User
            && match self.author {
                Author::Person { part: None } => true,
                Author::Person { part: Some(typed) } => {
                    typed == part || matches!(self.parts.get(part), Some(Part::Image(_)))
                }
                Author::Unknown => unknown,
                Author::Summary => false,
            }
    }
}

/// Whose words these are, as far as the program recorded it beside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Author {
    Unknown,
    /// A person typed them: this part of the message, with its images, or all of it.
    Person {
        part: Option<usize>,
    },
    /// They stand in the place of what was compacted.
    Summary,
}

/// A call of a tool.
#[derive(Clone, Debug)]
struct Call {
    place: HistoryPlace,
    key: CallKey,
    name: String,
    arguments: String,
}

/// What came of a call.
#[derive(Clone, Debug)]
struct Outcome {
    place: HistoryPlace,
    key: CallKey,
    parts: Vec<Arc<str>>,
}

/// By what a result names its call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CallKey {
    Id(String),
    /// The function; there was no id before there were several calls in a message.
    Function(String),
}

impl CallKey {
    fn name(&self) -> &str {
        match self {
            Self::Id(name) | Self::Function(name) => name,
        }
    }
}
