//! A JSON value that keeps its numbers as they were written.
//!
//! A number that no `f64` and no 64-bit integer holds stands in arguments as text; decoding must not round it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

/// How deep a text is nested at most; `serde_json` takes no more either.
const DEEPEST: usize = 127;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree<'t> {
    Null,
    Bool(bool),
    /// What it is as far as it can be held, and how it was written.
    Number(Option<Number>, Cow<'t, str>),
    Text(String),
    List(Vec<Tree<'t>>),
    Object(Vec<(String, Tree<'t>)>),
}

impl<'t> Tree<'t> {
    /// Reads a JSON text. One that is nested deeper than any reader of arguments goes is refused.
    pub(crate) fn read(text: &'t str) -> Result<Self, serde_json::Error> {
        if levels(text) > DEEPEST {
            return Err(serde::de::Error::custom("it is nested too deep"));
        }
        Self::whole(text)
    }

    fn whole(text: &'t str) -> Result<Self, serde_json::Error> {
        let raw: &'t RawValue = serde_json::from_str(text)?;
        let text = raw.get();
        let mut deserializer = serde_json::Deserializer::from_str(text);
        match text.as_bytes().first() {
            Some(b'{') => deserializer.deserialize_map(Members),
            Some(b'[') => deserializer.deserialize_seq(Elements),
            Some(b'"') => Ok(Self::Text(serde_json::from_str(text)?)),
            Some(b't' | b'f') => Ok(Self::Bool(text == "true")),
            Some(b'n') => Ok(Self::Null),
            _ => Ok(Self::Number(serde_json::from_str(text).ok(), text.into())),
        }
    }

    /// Writes itself as compact JSON text.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(_, text) => out.push_str(text),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    out.push_str(&quoted(key));
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Returns itself as compact JSON text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Returns itself without what it borrows.
    pub(super) fn into_owned<'u>(self) -> Tree<'u> {
        match self {
            Self::Null => Tree::Null,
            Self::Bool(value) => Tree::Bool(value),
            Self::Number(number, text) => Tree::Number(number, text.into_owned().into()),
            Self::Text(text) => Tree::Text(text),
            Self::List(items) => Tree::List(items.into_iter().map(Tree::into_owned).collect()),
            Self::Object(members) => {
                Tree::Object(members.into_iter().map(|(key, value)| (key, value.into_owned())).collect())
            }
        }
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number, text) => number.map_or_else(|| Value::String(text.into()), Value::Number),
            Self::Text(text) => Value::String(text),
            Self::List(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
            Self::Object(members) => {
                let members = members.into_iter().map(|(key, value)| (key, value.into_value()));
                Value::Object(members.collect())
            }
        }
    }

    pub(super) fn from_value(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => {
                let text = number.to_string().into();
                Self::Number(Some(number), text)
            }
            Value::String(text) => Self::Text(text),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from_value).collect()),
            Value::Object(members) => {
                Self::Object(members.into_iter().map(|(key, value)| (key, Self::from_value(value))).collect())
            }
        }
    }

    /// Whether it is the same value, however its numbers are written.
    pub(super) fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(left), Value::Bool(right)) => left == right,
            (Self::Number(Some(left), _), Value::Number(right)) => {
                left == right || left.as_f64().is_some_and(|left| right.as_f64() == Some(left))
            }
            (Self::Text(left), Value::String(right)) => left == right,
            (Self::List(left), Value::Array(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is(right))
            }
            (Self::Object(left), Value::Object(right)) => {
                left.len() == right.len()
                    && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| left.is(right)))
            }
            _ => false,
        }
    }

    /// Names its type as JSON does.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(..) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

/// How deep a JSON text is nested.
fn levels(text: &str) -> usize {
    let (mut level, mut deepest) = (0_usize, 0);
    let (mut in_text, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                level += 1;
                deepest = deepest.max(level);
            }
            b'}' | b']' if !in_text => level = level.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

struct Members;

impl<'t> Visitor<'t> for Members {
    type Value = Tree<'t>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'t>>(self, mut map: M) -> Result<Tree<'t>, M::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, &'t RawValue>()? {
            members.push((key, Tree::whole(value.get()).map_err(serde::de::Error::custom)?));
        }
        Ok(Tree::Object(members))
    }
}

struct Elements;

impl<'t> Visitor<'t> for Elements {
    type Value = Tree<'t>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<Tree<'t>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<&'t RawValue>()? {
            items.push(Tree::whole(item.get()).map_err(serde::de::Error::custom)?);
        }
        Ok(Tree::List(items))
    }
}
