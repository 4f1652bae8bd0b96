//! What a handler returns: an observation, or an error.

use std::any::type_name;
use std::fmt::Display;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What the model is told of a call: one or more texts. What a text looks like is never interpreted.
///
/// A model is shown as much of it as the agent or the tool allows, [`Budget::observation_chars`](crate::Budget::observation_chars) or
/// `max_chars`; the journal keeps all of it. A handler that cuts a text itself says so with [`left_out`](Self::left_out).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    parts: Parts,
    left_out: usize,
}

/// The texts; one, almost always, which then needs no list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Arc<str>>", into = "Vec<Arc<str>>")]
enum Parts {
    One([Arc<str>; 1]),
    /// Two or more.
    More(Vec<Arc<str>>),
}

impl From<Vec<Arc<str>>> for Parts {
    fn from(parts: Vec<Arc<str>>) -> Self {
        match <[Arc<str>; 1]>::try_from(parts) {
            Ok(one) => Self::One(one),
            Err(parts) => Self::More(parts),
        }
    }
}

impl From<Parts> for Vec<Arc<str>> {
    fn from(parts: Parts) -> Self {
        match parts {
            Parts::One(one) => one.into(),
            Parts::More(parts) => parts,
        }
    }
}

impl Observation {
    /// Makes an observation of one text.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self { parts: Parts::One([text.into()]), left_out: 0 }
    }

    /// Adds a further text, in a block of its own.
    #[must_use]
    pub fn and(mut self, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        self.parts = match self.parts {
            Parts::One([first]) => Parts::More(vec![first, text]),
            Parts::More(mut parts) => {
                parts.push(text);
                Parts::More(parts)
            }
        };
        self
    }

    /// States how many characters the handler itself left out.
    #[must_use]
    pub fn left_out(mut self, chars: usize) -> Self {
        self.left_out = chars;
        self
    }

    /// Returns the texts, in order.
    #[must_use]
    pub fn parts(&self) -> &[Arc<str>] {
        match &self.parts {
            Parts::One(part) => part,
            Parts::More(parts) => parts,
        }
    }

    /// Returns how many characters the handler left out.
    #[must_use]
    pub fn left_out_chars(&self) -> usize {
        self.left_out
    }
}

impl From<String> for Observation {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Observation {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// A serializable value that a tool returns as its JSON text.
///
/// ```
/// # use polyloop::{Json, tool};
/// /// Adds two numbers.
/// #[tool(replay = safe)]
/// async fn add(/** One. */ a: i64, /** The other. */ b: i64) -> Json<i64> { Json(a + b) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// A call that went wrong.
///
/// Any error that can be displayed converts into it, so `?` works in a handler. It is not `Display` itself, which is
/// what makes that conversion possible.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolError {
    /// The environment failed, and the action did not take effect; the model is told a fixed text.
    Environment(String),
    /// Nobody knows whether the action took effect, such as where a connection was lost behind the request. For a
    /// tool with `replay = safe` that is an error like any other; of every other one the outcome is unknown, as after a timeout.
    Unknown(String),
    /// The call was executed and failed; the model is told the text.
    Failed {
        /// The class of the error: the short name of its type, also inside a `Box` or an `Arc`; `error` for texts, trait objects
        /// and reports.
        class: &'static str,
        /// What the error says.
        text: String,
    },
}

impl ToolError {
    /// Makes an error from a text.
    #[must_use]
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed { class: ANONYMOUS, text: text.into() }
    }
}

impl<E: Display + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::Failed { class: class_of::<E>(), text: error.to_string() }
    }
}

/// How an error is introduced whose type says nothing.
const ANONYMOUS: &str = "error";

/// Pointers, which add nothing to the class of the error inside.
const POINTERS: [&str; 5] = ["&", "mut ", "alloc::boxed::Box<", "alloc::sync::Arc<", "alloc::rc::Rc<"];

/// Returns the short name of an error's type, inside any pointers; `error` for texts, trait objects and reports.
fn class_of<E>() -> &'static str {
    let mut name = type_name::<E>();
    while let Some(inner) = POINTERS.iter().find_map(|pointer| name.strip_prefix(pointer)) {
        name = inner;
    }
    let bare = name.split(['<', '>', ',']).next().unwrap_or(name);
    match bare {
        "alloc::string::String" | "str" | "alloc::borrow::Cow" | "anyhow::Error" | "eyre::Report" => {
            ANONYMOUS
        }
        _ if bare.starts_with("dyn ") || bare.starts_with('(') => ANONYMOUS,
        _ => bare.rsplit("::").next().unwrap_or(bare),
    }
}

/// An error that a handler may return: a [`ToolError`], or anything that can be displayed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "not an error that a model can be told",
    note = "return `polyloop::ToolError`, or an error that implements `Display`"
)]
pub trait ToolFailure {
    /// Makes the error.
    fn into_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl ToolFailure for ToolError {
    fn into_error(self) -> ToolError {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<E: Display + 'static> ToolFailure for E {
    fn into_error(self) -> ToolError {
        self.into()
    }
}

/// What a handler returned, ready for the executor.
#[derive(Debug)]
pub struct Returned {
    pub(crate) observation: Result<Observation, ToolError>,
    /// Whether the handler said, by its type, that the one text is JSON.
    pub(crate) is_json: bool,
}

impl Returned {
    fn text(observation: impl Into<Observation>) -> Self {
        Self { observation: Ok(observation.into()), is_json: false }
    }

    fn error(error: ToolError) -> Self {
        Self { observation: Err(error), is_json: false }
    }
}

/// What a handler may return: an observation, or a `Result` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that a tool can return",
    label = "not an observation",
    note = "return a `String`, `&'static str`, `Json(value)`, an `Observation`, or a `Result` of one of these"
)]
pub trait ToolReturn {
    /// Makes what the executor takes.
    #[doc(hidden)]
    fn into_returned(self) -> Returned;
}

impl ToolReturn for String {
    fn into_returned(self) -> Returned {
        Returned::text(self)
    }
}

impl ToolReturn for &str {
    fn into_returned(self) -> Returned {
        Returned::text(self)
    }
}

impl ToolReturn for Observation {
    fn into_returned(self) -> Returned {
        Returned::text(self)
    }
}

impl<T: Serialize> ToolReturn for Json<T> {
    fn into_returned(self) -> Returned {
        match serde_json::to_string(&self.0) {
            Ok(text) => Returned { is_json: true, ..Returned::text(text) },
            Err(error) => Returned::error(ToolError::failed(error.to_string())),
        }
    }
}

impl<T: ToolReturn, E: ToolFailure> ToolReturn for Result<T, E> {
    fn into_returned(self) -> Returned {
        match self {
            Ok(value) => value.into_returned(),
            Err(error) => Returned::error(error.into_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::class_of;

    #[test]
    fn a_class_is_the_short_name_of_the_type() {
        assert_eq!(class_of::<std::num::ParseIntError>(), "ParseIntError");
        assert_eq!(class_of::<std::io::Error>(), "Error");
        assert_eq!(class_of::<Box<dyn std::error::Error + Send + Sync>>(), "error");
        assert_eq!(class_of::<Box<std::num::ParseIntError>>(), "ParseIntError");
        assert_eq!(class_of::<std::sync::Arc<Box<std::sync::mpsc::SendError<Vec<String>>>>>(), "SendError");
        assert_eq!(class_of::<&'static std::fmt::Error>(), "Error");
        assert_eq!(class_of::<std::sync::Arc<dyn std::error::Error + Send + Sync>>(), "error");
        assert_eq!(class_of::<Box<str>>(), "error");
        assert_eq!(class_of::<std::borrow::Cow<'static, str>>(), "error");
        assert_eq!(class_of::<String>(), "error");
        assert_eq!(class_of::<&'static str>(), "error");
        assert_eq!(class_of::<std::sync::mpsc::SendError<Vec<String>>>(), "SendError");
    }
}
