//! Reads arguments in one pass, where they are as a schema asks for them.

use std::any::Any;

use super::compiled::CompiledParam;

/// The rest of an object of arguments, while its values are taken in the order of the parameters.
///
/// It tells no mistakes and takes no near misses: at the first thing out of the ordinary it is lost, and the arguments are
/// read again with care. Models give arguments in the order of the schema, so that is rare.
#[derive(Debug)]
pub(super) struct Straight<'a> {
    rest: &'a str,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a name.
    Inside,
    /// Behind the closing brace.
    Behind,
    /// Something is out of the ordinary.
    Lost,
}

impl<'a> Straight<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let Some(rest) = text.trim().strip_prefix('{') else { return Self { rest: "", place: Place::Lost } };
        match spaceless(rest).strip_prefix('}') {
            Some(rest) => Self { rest, place: Place::Behind },
            None => Self { rest, place: Place::Inside },
        }
    }

    /// Takes the next argument into an `Option` of its type.
    pub(super) fn fill(&mut self, param: &CompiledParam, slot: &mut dyn Any) {
        let taken = match self.value_of(param) {
            Some(value) => self.take(param, value, slot),
            None => !param.required && absent(param, slot),
        };
        if !taken {
            self.place = Place::Lost;
        }
    }

    /// Whether everything was taken and nothing is left.
    pub(super) fn is_over(&self) -> bool {
        self.place == Place::Behind && spaceless(self.rest).is_empty()
    }

    /// What stands behind the parameter's name, if that stands here.
    fn value_of(&self, param: &CompiledParam) -> Option<&'a str> {
        if self.place != Place::Inside {
            return None;
        }
        let name = spaceless(self.rest).strip_prefix('"')?;
        let colon = name.strip_prefix(param.param.name)?.strip_prefix('"')?;
        Some(spaceless(spaceless(colon).strip_prefix(':')?))
    }

    fn take(&mut self, param: &CompiledParam, value: &'a str, slot: &mut dyn Any) -> bool {
        // For an optional parameter it means absence, whatever its type makes of it.
        let is_null = !param.required && value.starts_with("null");
        if param.param.flatten || is_null {
            return false;
        }
        let Some(length) = (param.param.of.read_first)(value, slot) else { return false };
        let Some((value, rest)) = value.split_at_checked(length) else { return false };
        let rest = spaceless(rest);
        if let Some(rest) = rest.strip_prefix(',') {
            (self.rest, self.place) = (rest, Place::Inside);
        } else if let Some(rest) = rest.strip_prefix('}') {
            (self.rest, self.place) = (rest, Place::Behind);
        } else {
            return false;
        }
        param
            .validator
            .as_ref()
            .is_none_or(|validator| serde_json::from_str(value).is_ok_and(|value| validator.is_valid(&value)))
    }
}

fn absent(param: &CompiledParam, slot: &mut dyn Any) -> bool {
    match &param.default {
        Some(default) => (param.param.of.read)(default, slot),
        None => (param.param.of.absent)(slot),
    }
}

/// A text without the white space of JSON before it.
fn spaceless(text: &str) -> &str {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    let spaces = text.as_bytes().iter().take_while(|byte| is_space(byte)).count();
    text.get(spaces..).unwrap_or_default()
}
