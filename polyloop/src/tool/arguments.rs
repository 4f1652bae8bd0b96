//! Takes the arguments of a call, one at a time, and collects everything that is wrong with them.

use std::any::Any;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::compiled::{CompiledParam, CompiledTool};
use super::complaint::{quoted, wrong};
use super::nearest::nearest;
use super::scalar::Scalars;
use crate::error::ArgumentError;

/// Holds the arguments of one call while a tool takes them.
#[derive(Debug)]
pub struct Arguments<'a> {
    tool: &'a CompiledTool,
    scalars: Scalars,
    whole: &'a str,
    /// What was sent for each parameter, as JSON text.
    sent: Vec<Option<&'a str>>,
    next: usize,
    errors: Vec<ArgumentError>,
}

impl<'a> Arguments<'a> {
    /// Reads the top level of the arguments: names, and a slice of text for each.
    pub(crate) fn new(tool: &'a CompiledTool, text: &'a str, scalars: Scalars) -> Self {
        let mut arguments = Self {
            tool,
            scalars,
            whole: text,
            sent: vec![None; tool.params.len()],
            next: 0,
            errors: Vec::new(),
        };
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed == "null" {
            arguments.whole = "{}";
        } else if !trimmed.starts_with('{') {
            let what = if serde_json::from_str::<IgnoredAny>(trimmed).is_ok() {
                ""
            } else {
                ", and these are not JSON"
            };
            arguments.error("", format!("arguments must be a JSON object{what}"));
        } else {
            arguments.read(trimmed);
        }
        arguments
    }

    fn read(&mut self, text: &'a str) {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let read = deserializer.deserialize_map(&mut *self).and_then(|()| deserializer.end());
        if let Err(error) = read {
            self.error("", format!("the arguments are not valid JSON: {error}"));
        }
    }

    /// Takes the next argument as a `T`; what is wrong with it is remembered.
    #[doc(hidden)]
    pub fn take<T: 'static>(&mut self) -> Option<T> {
        let mut slot: Option<T> = None;
        self.fill(&mut slot);
        slot
    }

    /// Ends the taking; none if anything was wrong.
    #[doc(hidden)]
    pub fn finish(&mut self) -> Option<()> {
        self.errors.is_empty().then_some(())
    }

    pub(crate) fn into_errors(self) -> Vec<ArgumentError> {
        self.errors
    }

    fn error(&mut self, path: &str, message: String) {
        self.errors.push(ArgumentError::new(path, message));
    }

    fn fill(&mut self, slot: &mut dyn Any) {
        let tool = self.tool;
        let Some(param) = tool.params.get(self.next) else { return };
        let sent = self.sent.get(self.next).copied().flatten();
        self.next += 1;
        if param.param.flatten {
            self.value(param, self.whole, slot);
            return;
        }
        match sent {
            Some("null") if !param.required => self.absent(param, slot),
            Some(text) => self.value(param, text, slot),
            None => self.absent(param, slot),
        }
    }

    fn absent(&mut self, param: &CompiledParam, slot: &mut dyn Any) {
        let filled = match &param.default {
            Some(default) => (param.param.of.read)(default, slot),
            None => (param.param.of.absent)(slot),
        };
        // A call without its opening brace was refused as a whole already.
        if !filled && !self.errors.iter().any(|error| error.path().is_empty()) {
            self.error(param.param.name, format!("argument `{}` is missing", param.param.name));
        }
    }

    fn value(&mut self, param: &CompiledParam, sent: &str, slot: &mut dyn Any) {
        let taken = if (param.param.of.read)(sent, slot) { Some(sent) } else { self.near(param, sent, slot) };
        let Some(taken) = taken else {
            let (path, said) = (param.param.of.complain)(sent);
            let path = joined(param.param.name, &path);
            let message = wrong(&path, &said);
            self.error(&path, message);
            return;
        };
        if let Some(validator) = &param.validator
            && let Ok(value) = serde_json::from_str(taken)
        {
            validator.check(param.param.name, &value, &mut self.errors);
        }
    }

    fn near<'t>(&self, param: &CompiledParam, sent: &'t str, slot: &mut dyn Any) -> Option<&'t str> {
        if self.scalars == Scalars::Exact {
            return None;
        }
        let near = param.scalar?.near(sent)?;
        (param.param.of.read)(near, slot).then_some(near)
    }

    fn unknown(&mut self, name: &str) {
        if self.tool.lenient {
            return;
        }
        let near = nearest(name, self.tool.names.iter().map(String::as_str));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        self.error(&quoted(name), format!("unknown argument `{}`{hint}", quoted(name)));
    }
}

/// The path of a place inside an argument.
fn joined(name: &str, path: &str) -> String {
    match (name, path) {
        ("", path) => path.to_owned(),
        (name, "") => name.to_owned(),
        (name, path) if path.starts_with('[') => format!("{name}{path}"),
        (name, path) => format!("{name}.{path}"),
    }
}

/// Reads a name and gives the parameter's position, or the name.
struct Name<'t>(&'t CompiledTool);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Result<usize, String>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Result<usize, String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of an argument")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let position =
            self.0.params.iter().position(|param| param.param.name == name && !param.param.flatten);
        Ok(position.ok_or_else(|| name.to_owned()))
    }
}

impl<'a> Visitor<'a> for &mut Arguments<'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of arguments")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(name) = map.next_key_seed(Name(self.tool))? {
            match name {
                Ok(position) => {
                    let value: &'a RawValue = map.next_value()?;
                    if let Some(cell) = self.sent.get_mut(position)
                        && cell.replace(value.get()).is_some()
                    {
                        let name = self.tool.params.get(position).map_or("", |param| param.param.name);
                        self.error(name, format!("argument `{name}` is given twice"));
                    }
                }
                Err(name) => {
                    map.next_value::<IgnoredAny>()?;
                    if !self.tool.names.contains(&name) {
                        self.unknown(&name);
                    }
                }
            }
        }
        Ok(())
    }
}
