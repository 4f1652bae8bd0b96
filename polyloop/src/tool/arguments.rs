//! Takes the arguments of a call, one at a time, and collects everything that is wrong with them.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::compiled::{CompiledParam, CompiledTool};
use super::complaint::{joined, missing, missing_field, said, shortened, unchecked, wrong};
use super::effective::EffectiveArguments;
use super::nearest::nearest;
use super::scalar::Scalars;
use super::straight::Straight;
use crate::error::ArgumentError;

/// The arguments of one call while a tool takes them.
#[derive(Debug)]
pub struct Arguments<'a> {
    tool: &'a CompiledTool,
    scalars: Scalars,
    /// Reads them in one pass, and nothing else here is used then.
    straight: Option<Straight<'a>>,
    whole: &'a str,
    /// What was sent for each parameter, as JSON text.
    sent: Vec<Option<&'a str>>,
    /// What was sent by names that are no parameter's: the fields of the one that stands for the whole object.
    fields: Vec<(String, &'a str)>,
    next: usize,
    /// What was taken.
    effective: EffectiveArguments,
    errors: Vec<ArgumentError>,
}

impl<'a> Arguments<'a> {
    /// Reads the arguments in one pass, while they are as the schema asks for them. What is taken is right if
    /// [`finish`](Self::finish) says so; otherwise it is to be read again with [`new`](Self::new).
    pub(crate) fn straight(tool: &'a CompiledTool, text: &'a str) -> Self {
        Self {
            tool,
            scalars: Scalars::Exact,
            straight: Some(Straight::new(text)),
            whole: text,
            sent: Vec::new(),
            fields: Vec::new(),
            next: 0,
            effective: EffectiveArguments::default(),
            errors: Vec::new(),
        }
    }

    /// Reads the top level of the arguments: names, and a slice of text for each.
    pub(crate) fn new(tool: &'a CompiledTool, text: &'a str, scalars: Scalars) -> Self {
        let mut arguments = Self {
            tool,
            scalars,
            straight: None,
            whole: text,
            sent: vec![None; tool.params.len()],
            fields: Vec::new(),
            next: 0,
            effective: EffectiveArguments::default(),
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
        let is_right = self.straight.as_ref().map_or(self.errors.is_empty(), Straight::is_over);
        is_right.then_some(())
    }

    /// Returns what was taken as JSON text, or everything that is wrong.
    pub(crate) fn into_effective(mut self) -> Result<String, Vec<ArgumentError>> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        if !self.effective.is_whole() {
            // Arguments beyond the parameters, which a lenient tool takes.
            for (name, sent) in &self.fields {
                self.effective.push(name, sent);
            }
        }
        Ok(self.effective.into_text())
    }

    fn error(&mut self, path: &str, message: String) {
        self.errors.push(ArgumentError::new(path, message));
    }

    fn fill(&mut self, slot: &mut dyn Any) {
        let tool = self.tool;
        let Some(param) = tool.params.get(self.next) else { return };
        if let Some(straight) = &mut self.straight {
            self.next += 1;
            return straight.fill(param, slot, &mut self.effective);
        }
        let sent = self.sent.get(self.next).copied().flatten();
        self.next += 1;
        if param.param.flatten {
            if !self.is_refused() {
                self.value(param, self.whole, slot);
            }
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
            Some(default) => {
                self.effective.push(param.param.name, default);
                (param.param.of.read)(default, slot)
            }
            None => (param.param.of.absent)(slot),
        };
        if !filled && !self.is_refused() {
            self.error(param.param.name, missing(param.param.name));
        }
    }

    /// Whether the arguments were refused as a whole already, so that more would only repeat it.
    fn is_refused(&self) -> bool {
        self.errors.iter().any(|error| error.path().is_empty())
    }

    fn value(&mut self, param: &CompiledParam, sent: &str, slot: &mut dyn Any) {
        let read = (param.param.of.read)(sent, slot);
        let taken = if read { Some(sent.into()) } else { self.near(param, sent, slot) };
        let Some(taken) = taken else { return self.complain(param, sent) };
        let Some(validator) = &param.validator else { return self.keep(param, &taken) };
        match serde_json::from_str(&taken) {
            Ok(value) => {
                let mut errors = validator.check(param.param.name, &value);
                if errors.is_empty() {
                    return self.keep(param, &taken);
                }
                match self.nearly_given(param, slot) {
                    Some(near) => self.keep(param, &near),
                    None => self.errors.append(&mut errors),
                }
            }
            // A type may read past what no JSON value holds; what cannot be checked is not taken.
            Err(error) => self.error(param.param.name, unchecked(param.param.name, &error)),
        }
    }

    /// Keeps what was taken for a parameter.
    fn keep(&mut self, param: &CompiledParam, taken: &str) {
        if param.param.flatten {
            self.effective.set_whole(taken);
        } else {
            self.effective.push(param.param.name, taken);
        }
    }

    /// Takes near misses where only a schema tells that they are some: any object reads as one.
    fn nearly_given(&self, param: &CompiledParam, slot: &mut dyn Any) -> Option<String> {
        if !self.reads_any_object() || self.scalars == Scalars::Exact {
            return None;
        }
        let (near, validator) = (self.near_fields()?, param.validator.as_ref()?);
        let is_right = serde_json::from_str(&near).is_ok_and(|value| validator.is_valid(&value));
        (is_right && (param.param.of.read)(&near, slot)).then_some(near)
    }

    /// Says where a value does not read, and everything else that its schema forbids.
    fn complain(&mut self, param: &CompiledParam, sent: &str) {
        let (path, text) = (param.param.of.complain)(sent);
        let mut path = shortened(&joined(param.param.name, &path));
        let mut message = wrong(&path, &said(&text));
        if let Some(field) = missing_field(&text) {
            path = joined(&path, field);
            message = missing(&path);
        }
        let others = match (param.everything(), serde_json::from_str(sent)) {
            (Some(validator), Ok(value)) => validator.check(param.param.name, &value),
            _ => Vec::new(),
        };
        self.error(&path, message);
        // What is said of the same place, or of what is around it, is the same mistake.
        self.errors.extend(others.into_iter().filter(|other| !path.starts_with(other.path())));
    }

    fn near<'t>(&self, param: &CompiledParam, sent: &'t str, slot: &mut dyn Any) -> Option<Cow<'t, str>> {
        if self.scalars == Scalars::Exact {
            return None;
        }
        let near = if param.param.flatten { self.near_fields()?.into() } else { param.scalar?.near(sent)? };
        (param.param.of.read)(&near, slot).then_some(near)
    }

    /// The object with every near miss among its fields put right.
    fn near_fields(&self) -> Option<String> {
        let mut fields = Vec::with_capacity(self.fields.len());
        let is_given = self.reads_any_object();
        for (name, sent) in &self.fields {
            // No type is there that could make absence of it.
            if is_given && *sent == "null" {
                continue;
            }
            let scalar = self.tool.field_scalars.get(name);
            let near = scalar.and_then(|scalar| scalar.near(sent)).unwrap_or(Cow::Borrowed(sent));
            fields.push(format!("{}:{near}", serde_json::to_string(name).ok()?));
        }
        Some(format!("{{{}}}", fields.join(",")))
    }

    /// Whether the type itself has nothing to object to, because all is said by a schema.
    fn reads_any_object(&self) -> bool {
        self.tool.params.iter().any(|param| param.param.given.is_some())
    }

    fn unknown(&mut self, name: &str) {
        let near = nearest(name, self.tool.names.iter().map(String::as_str));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let name = shortened(name);
        self.error(&name, format!("unknown argument `{name}`{hint}"));
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
                    let value: &'a RawValue = map.next_value()?;
                    if !self.tool.lenient && !self.tool.names.contains(&name) {
                        self.unknown(&name);
                    } else if self.fields.iter().any(|(other, _)| *other == name) && self.reads_any_object() {
                        self.error(&name, format!("argument `{name}` is given twice"));
                    } else {
                        self.fields.push((name, value.get()));
                    }
                }
            }
        }
        Ok(())
    }
}
