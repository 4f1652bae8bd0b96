//! An object of arguments that keeps its numbers as they were written.

use std::borrow::Cow;
use std::collections::HashSet;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::dialect::tree::Tree;

/// The arguments of a call as compact JSON text, for a server that is elsewhere.
///
/// A [`Value`] would round numbers that no `f64` and no 64-bit integer holds. `serde_json` can keep them in it with its feature
/// `arbitrary_precision`; but that changes every crate of a build, and values behind `flatten` or in an untagged enum, of which
/// the messages of the protocol are made, do not read with it.
///
/// No object in it has a name twice: what reads it may take either, and the check only saw one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenObject(String);

impl WrittenObject {
    /// Returns the JSON text.
    pub(crate) fn raw(&self) -> serde_json::Result<Box<RawValue>> {
        RawValue::from_string(self.0.clone())
    }

    /// Returns a number that is another one in a [`Value`], if there is one.
    pub(crate) fn inexact_number(&self) -> Option<String> {
        inexact_number(&Tree::read(&self.0).ok()?).map(str::to_owned)
    }

    /// Returns the arguments as values.
    pub(crate) fn values(&self) -> serde_json::Result<Map<String, Value>> {
        serde_json::from_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for WrittenObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text: Box<RawValue> = Box::deserialize(deserializer)?;
        let tree = Tree::read(text.get()).map_err(D::Error::custom)?;
        if !matches!(tree, Tree::Object(_)) {
            return Err(D::Error::custom("expected an object"));
        }
        match repeated_name(&tree) {
            Some(name) => Err(D::Error::custom(format_args!("`{name}` is given twice in an object"))),
            None => Ok(Self(tree.text())),
        }
    }
}

impl JsonSchema for WrittenObject {
    fn schema_name() -> Cow<'static, str> {
        Map::<String, Value>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Map::<String, Value>::json_schema(generator)
    }

    fn inline_schema() -> bool {
        Map::<String, Value>::inline_schema()
    }
}

/// Returns a name that an object in it has twice.
fn repeated_name<'t>(tree: &'t Tree<'_>) -> Option<&'t str> {
    match tree {
        Tree::List(items) => items.iter().find_map(repeated_name),
        Tree::Object(members) => {
            let mut names = HashSet::new();
            let repeated = members.iter().find(|(name, _)| !names.insert(name.as_str()));
            let repeated = repeated.map(|(name, _)| name.as_str());
            repeated.or_else(|| members.iter().find_map(|(_, value)| repeated_name(value)))
        }
        _ => None,
    }
}

fn inexact_number<'t>(tree: &'t Tree<'_>) -> Option<&'t str> {
    match tree {
        Tree::Number(held, written) => {
            let is_exact = held.as_ref().is_some_and(|held| digits(&held.to_string()) == digits(written));
            (!is_exact).then_some(&**written)
        }
        Tree::List(items) => items.iter().find_map(inexact_number),
        Tree::Object(members) => members.iter().find_map(|(_, value)| inexact_number(value)),
        _ => None,
    }
}

/// The sign, the digits without zeros around them, and the power of ten of the last digit; none where the power is beyond
/// what is counted. The same for `100`, `1e2` and `100.0`.
fn digits(number: &str) -> Option<(bool, String, i64)> {
    let (is_negative, number) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number),
    };
    let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let power: i64 = power.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let kept = all.trim_end_matches('0');
    if kept.trim_start_matches('0').is_empty() {
        return Some((is_negative, String::new(), 0));
    }
    let power = power
        .checked_sub(i64::try_from(fraction.len()).ok()?)?
        .checked_add(i64::try_from(all.len() - kept.len()).ok()?)?;
    Some((is_negative, kept.trim_start_matches('0').to_owned(), power))
}

#[cfg(test)]
mod tests {
    use super::WrittenObject;

    #[test]
    fn numbers_stay_as_they_are_written() {
        let text = r#"{"a":[123456789012345678901234567890,-0,1e2,1.50],"b":{"c":0.1000000000000000055511151231257827}}"#;
        let spaced = text.replace(':', " : ").replace(',', " ,\n");
        let object = serde_json::from_str(&spaced).ok();
        let raw = object.and_then(|object: WrittenObject| object.raw().ok());
        assert_eq!(raw.as_deref().map(super::RawValue::get), Some(text));
    }

    #[test]
    fn a_number_that_a_value_rounds_is_found() {
        for (number, is_exact) in [
            ("1", true),
            ("-0", true),
            ("0.0", true),
            ("100", true),
            ("1e2", true),
            ("1.50", true),
            ("12.5E-1", true),
            ("18446744073709551615", true),
            ("18446744073709551617", false),
            ("123456789012345678901234567890", false),
            ("0.1000000000000000055511151231257827", false),
            ("1e400", false),
            ("1e-400", false),
            ("1e99999999999999999999", false),
        ] {
            let text = format!(r#"{{"a":[{{"b":{number}}}]}}"#);
            let object = serde_json::from_str(&text).ok();
            let inexact = object.map(|object: WrittenObject| object.inexact_number());
            assert_eq!(inexact, Some((!is_exact).then(|| number.to_owned())), "{number}");
        }
    }

    #[test]
    fn what_is_ambiguous_or_no_object_is_refused() {
        for text in [r#"{"a":{"b":1,"b":2}}"#, r#"{"a":[{"b":1,"\u0062":2}]}"#, "[]", "1", "null"] {
            assert!(serde_json::from_str::<WrittenObject>(text).is_err(), "{text}");
        }
    }
}
