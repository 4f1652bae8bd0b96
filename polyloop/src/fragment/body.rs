//! The body of a fragment: text of the template and text of values, kept apart.

use std::fmt::{self, Display, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::spec::FragmentSpec;
use super::vocabulary::Piece;

/// Whose words a part of a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The author's of the type.
    Template,
    /// Data; markers in it are neutralised.
    Value,
    /// Data that is left as it is.
    Raw,
}

/// The text between the markers, and what else a value says about itself.
///
/// Text of the template and text of values are kept apart: markers inside values are neutralised when the fragment
/// is rendered.
#[derive(Clone, Debug, Default)]
pub struct Body {
    text: String,
    /// The end of each part in bytes, and whose words it is.
    parts: Vec<(usize, Trust)>,
    key: Option<String>,
    id: Option<String>,
    channel: Option<String>,
    state: Option<Result<String, String>>,
}

impl Body {
    /// Makes an empty body.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text of the template.
    #[must_use]
    pub fn text(mut self, text: &'static str) -> Self {
        self.text.push_str(text);
        self.end_part(Trust::Template);
        self
    }

    /// Adds a value. Markers inside it are neutralised.
    #[must_use]
    pub fn value(self, value: impl Display) -> Self {
        self.part(&value, Trust::Value)
    }

    /// Adds a value as it is.
    #[must_use]
    pub fn raw(self, value: impl Display) -> Self {
        self.part(&value, Trust::Raw)
    }

    /// Sets the key of the markers; see [`MarkerKey`](crate::MarkerKey).
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// Sets the id that is recorded with the item.
    #[must_use]
    pub fn id(mut self, id: impl Display) -> Self {
        self.id = Some(id.to_string());
        self
    }

    /// Sets the channel of an injection.
    #[must_use]
    pub fn channel(mut self, channel: impl Display) -> Self {
        self.channel = Some(channel.to_string());
        self
    }

    /// Sets the value that is recorded beside the text.
    #[must_use]
    pub fn state(mut self, value: &impl Serialize) -> Self {
        self.state = Some(serde_json::to_string(value).map_err(|error| error.to_string()));
        self
    }

    /// Fills one of the type's templates; what the derive calls.
    #[doc(hidden)]
    #[must_use]
    pub fn template(spec: &FragmentSpec, template: usize, values: &[&dyn Display]) -> Self {
        let mut body = Self::new();
        let mut values = values.iter();
        for piece in spec.templates.get(template).copied().unwrap_or_default() {
            let trust = match piece {
                Piece::Text(text) => {
                    body = body.text(text);
                    continue;
                }
                Piece::Field(_) => Trust::Value,
                Piece::Raw(_) => Trust::Raw,
            };
            if let Some(value) = values.next() {
                body = body.part(value, trust);
            }
        }
        body
    }

    fn part(mut self, value: &dyn Display, trust: Trust) -> Self {
        // Writing to a string fails only where the value's own `Display` does; what it wrote until then stays.
        let _: fmt::Result = write!(Roomy(&mut self.text), "{value}");
        self.end_part(trust);
        self
    }

    fn end_part(&mut self, trust: Trust) {
        let start = self.parts.last().map_or(0, |(end, _)| *end);
        if self.text.len() > start {
            self.parts.push((self.text.len(), trust));
        }
    }

    /// Takes the text out and puts it between its markers, where it lies: a text may be long.
    pub(crate) fn take_between(&mut self, begin: &str, end: &str) -> String {
        let mut text = std::mem::take(&mut self.text);
        text.reserve_exact(begin.len() + end.len());
        text.insert_str(0, begin);
        text.push_str(end);
        text.shrink_to_fit();
        text
    }

    /// The key, the id and the channel, without any words.
    pub(crate) fn without_words(&self) -> Self {
        Self { key: self.key.clone(), id: self.id.clone(), channel: self.channel.clone(), ..Self::default() }
    }

    /// The same words with the key, the id and the channel of another body, as far as it has none of its own.
    pub(crate) fn placed_like(self, other: Self) -> Self {
        Self {
            key: self.key.or(other.key),
            id: self.id.or(other.id),
            channel: self.channel.or(other.channel),
            ..self
        }
    }

    /// Whether it says nothing.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub(crate) fn parts(&self) -> &[(usize, Trust)] {
        &self.parts
    }

    /// The position of the part that holds the byte.
    pub(crate) fn part_at(&self, at: usize) -> usize {
        self.parts.partition_point(|(end, _)| *end <= at)
    }

    /// Whose words the byte is.
    pub(crate) fn trust_at(&self, at: usize) -> Option<Trust> {
        self.parts.get(self.part_at(at)).map(|(_, trust)| *trust)
    }

    pub(crate) fn key_text(&self) -> Option<&str> {
        self.key.as_deref()
    }

    pub(crate) fn take_id(&mut self) -> Option<String> {
        self.id.take()
    }

    pub(crate) fn take_channel(&mut self) -> Option<String> {
        self.channel.take()
    }

    pub(crate) fn take_state(&mut self) -> Option<Result<String, String>> {
        self.state.take()
    }
}

/// A text that keeps room for its markers: a long one that has to grow for them would be copied once more.
struct Roomy<'t>(&'t mut String);

/// As many bytes as most pairs of markers take.
const ROOM: usize = 128;

impl Write for Roomy<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.reserve(text.len() + ROOM);
        self.0.push_str(text);
        Ok(())
    }
}

/// A part of a fragment or of a state: both are shared between threads.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared between threads, as fragments and states are",
    label = "not both `Send` and `Sync`",
    note = "take for example an `Arc` for an `Rc`, a `Mutex` or an atomic for a `Cell`"
)]
pub trait Shared {
    /// A value that a constant can hold.
    const SHARED: () = ();
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + ?Sized> Shared for T {}

/// A fragment whose value is recorded beside its text, and read back from there.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the value of `{Self}` cannot be recorded",
    label = "`state` asks for that",
    note = "derive `polyloop::serde::Serialize` and `polyloop::serde::Deserialize` for `{Self}`, \
            with `#[serde(crate = \"polyloop::serde\")]`"
)]
pub trait Recorded {
    /// Adds the value to the text.
    #[must_use]
    fn recorded(&self, body: Body) -> Body;

    /// Reads a value back; none of an older form of the type.
    fn read_back(recorded: &str) -> Option<Self>
    where
        Self: Sized;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Recorded for T {
    fn recorded(&self, body: Body) -> Body {
        body.state(self)
    }

    fn read_back(recorded: &str) -> Option<Self> {
        serde_json::from_str(recorded).ok()
    }
}

/// What a body function may return: a [`Body`], or text, all of which counts as a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the body of a fragment",
    label = "not a body",
    note = "return a `String`, a `&str` or a `polyloop::Body`"
)]
pub trait IntoBody {
    /// Makes the body.
    fn into_body(self) -> Body;
}

#[diagnostic::do_not_recommend]
impl IntoBody for Body {
    fn into_body(self) -> Body {
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoBody for String {
    fn into_body(self) -> Body {
        Body::new().value(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoBody for &str {
    fn into_body(self) -> Body {
        Body::new().value(self)
    }
}
