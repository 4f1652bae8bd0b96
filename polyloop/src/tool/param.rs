//! A tool's parameter: its name, what the model reads, and how its type takes a value.

use std::any::{Any, type_name};
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::absent::Absent;

/// A type that an argument may have: it reads from JSON and describes itself.
///
/// Every type with `Deserialize` and `JsonSchema` is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "the model cannot be told what this is",
    note = "own its data, and derive `polyloop::serde::Deserialize` and `polyloop::schemars::JsonSchema`, \
            with `#[serde(crate = \"polyloop::serde\")]` and `#[schemars(crate = \"polyloop::schemars\")]`"
)]
pub trait ToolArg {
    /// What the library does with the type.
    #[doc(hidden)]
    const TYPE: &'static ArgType;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArg for T {
    const TYPE: &'static ArgType = &ArgType::of::<T>();
}

/// A limit on an argument, in the schema and in the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The least number, as JSON text.
    Minimum(&'static str),
    /// The greatest number, as JSON text.
    Maximum(&'static str),
    /// The number that is not reached, as JSON text.
    ExclusiveMaximum(&'static str),
    /// The fewest characters of a text, or elements of a list.
    MinLength(usize),
    /// The most characters of a text, or elements of a list.
    MaxLength(usize),
    /// The regular expression that a text matches somewhere.
    Pattern(&'static str),
}

/// How many limits an argument may have.
const LIMITS: usize = 6;

/// The description of one parameter of a tool.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Param {
    /// The name in the schema.
    pub name: &'static str,
    /// What the model reads about it.
    pub description: &'static str,
    /// Whether it stands for the whole object of arguments.
    pub flatten: bool,
    /// The schema of the whole object as JSON text, where it is given and not made of a type.
    pub(crate) given: Option<&'static str>,
    pub(crate) of: &'static ArgType,
    pub(crate) default: Option<fn() -> Value>,
    pub(crate) examples: Option<fn() -> Vec<Value>>,
    limits: [Option<Limit>; LIMITS],
}

impl Param {
    /// Describes a parameter of type `T`.
    #[must_use]
    pub const fn new<T: ToolArg>(name: &'static str, description: &'static str) -> Self {
        Self::of(T::TYPE, name, description)
    }

    /// Describes a parameter by what its type is: named by trait path, a type that cannot be an argument is reported
    /// without a note that leads here.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(of: &'static ArgType, name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            flatten: false,
            given: None,
            of,
            default: None,
            examples: None,
            limits: [None; LIMITS],
        }
    }

    /// Describes the one parameter that stands for the whole object of arguments.
    #[must_use]
    pub const fn flatten<T: ToolArg>() -> Self {
        Self::flattened(T::TYPE)
    }

    /// The same by what its type is.
    #[doc(hidden)]
    #[must_use]
    pub const fn flattened(of: &'static ArgType) -> Self {
        let mut param = Self::of(of, "", "");
        param.flatten = true;
        param
    }

    /// Describes the whole object of arguments by a schema, as JSON text: for a tool that is declared elsewhere. What arrives is
    /// the object itself, a `serde_json::Map<String, Value>`.
    ///
    /// The schema is brought into the canonical form, and every call is checked against it. Arguments that it does not name are
    /// unknown, unless the tool is [`lenient`](crate::ToolSpec::lenient).
    #[must_use]
    pub const fn object(schema: &'static str) -> Self {
        let mut param = Self::flatten::<Map<String, Value>>();
        param.given = Some(schema);
        param
    }

    /// The same, for a tool that sends its arguments on: what arrives keeps its numbers as they were written.
    #[cfg(feature = "mcp")]
    #[doc(hidden)]
    #[must_use]
    pub const fn written(schema: &'static str) -> Self {
        let mut param = Self::flattened(const { &ArgType::of::<super::written::WrittenObject>() });
        param.given = Some(schema);
        param
    }

    /// Sets the value of an absent argument.
    #[must_use]
    pub const fn default(mut self, value: fn() -> Value) -> Self {
        self.default = Some(value);
        self
    }

    /// Sets the examples that the model reads.
    #[must_use]
    pub const fn examples(mut self, values: fn() -> Vec<Value>) -> Self {
        self.examples = Some(values);
        self
    }

    /// Adds a limit.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "checked in the condition; `get_mut` is not const on stable")]
    pub const fn limit(mut self, limit: Limit) -> Self {
        let mut at = 0;
        while at < LIMITS && self.limits[at].is_some() {
            at += 1;
        }
        if at < LIMITS {
            self.limits[at] = Some(limit);
        }
        self
    }

    /// Returns the limits.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        self.limits.iter().flatten().copied()
    }
}

impl fmt::Debug for Param {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Param").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What the library does with a type of argument, without knowing it.
#[doc(hidden)]
pub struct ArgType {
    pub(crate) type_name: fn() -> &'static str,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    /// Reads the value into an `Option<T>`.
    pub(crate) read: fn(&str, &mut dyn Any) -> bool,
    /// Reads the value at the start of a text into an `Option<T>`; gives its length in bytes.
    pub(crate) read_first: fn(&str, &mut dyn Any) -> Option<usize>,
    /// Fills an `Option<T>` with what the type makes of absence, if it takes absence.
    pub(crate) absent: fn(&mut dyn Any) -> bool,
    /// Whether the type takes absence.
    pub(crate) takes_absence: fn() -> bool,
    /// Says why a value does not read, and where.
    pub(crate) complain: fn(&str) -> (String, String),
}

impl ArgType {
    const fn of<T: DeserializeOwned + JsonSchema + Send + 'static>() -> Self {
        Self {
            type_name: type_name::<T>,
            schema: |generator| generator.subschema_for::<T>(),
            read: |text, slot| put(slot, serde_json::from_str::<T>(text).ok()),
            read_first: |text, slot| {
                let mut values = serde_json::Deserializer::from_str(text).into_iter::<T>();
                let value = values.next()?.ok();
                put(slot, value).then(|| values.byte_offset())
            },
            absent: |slot| put(slot, T::deserialize(Absent).ok()),
            takes_absence: || T::deserialize(Absent).is_ok(),
            complain: complain::<T>,
        }
    }
}

impl fmt::Debug for ArgType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str((self.type_name)())
    }
}

fn put<T: 'static>(slot: &mut dyn Any, value: Option<T>) -> bool {
    let filled = value.is_some();
    if let Some(slot) = slot.downcast_mut::<Option<T>>() {
        *slot = value;
    }
    filled
}

fn complain<T: DeserializeOwned>(text: &str) -> (String, String) {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Ok(_) => (String::new(), String::new()),
        Err(error) => {
            let path = error.path().to_string();
            let said = error.into_inner().to_string();
            let what = said.rfind(" at line ").and_then(|end| said.get(..end)).unwrap_or(&said);
            (if path == "." { String::new() } else { path }, what.to_owned())
        }
    }
}
