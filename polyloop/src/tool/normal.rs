//! The one form of the arguments of a call, whatever white space, order and escapes they were written with.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// How deep values may stand in each other.
const DEPTH: usize = 64;

/// Brings arguments into their normal form: names sorted, nothing between the tokens, strings escaped in one way. Numbers
/// stay as they are written, and so does everything of which it is not sure what it says: what is no JSON, or holds a
/// name twice.
pub(crate) fn normal_form(arguments: &str) -> String {
    let trimmed = arguments.trim();
    if trimmed.is_empty() || trimmed == "null" {
        // A tool takes both for no arguments.
        return "{}".to_owned();
    }
    let mut text = String::with_capacity(trimmed.len());
    match write(trimmed, DEPTH, &mut text) {
        Some(()) => text,
        None => arguments.to_owned(),
    }
}

fn write(value: &str, depth: usize, text: &mut String) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match value.as_bytes().first()? {
        b'{' => {
            let Entries(mut entries) = serde_json::from_str(value).ok()?;
            entries.sort_by(|one, other| one.0.cmp(&other.0));
            if entries.iter().zip(entries.iter().skip(1)).any(|(one, other)| one.0 == other.0) {
                return None;
            }
            text.push('{');
            for (at, (name, value)) in entries.into_iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                text.push_str(&serde_json::to_string(&name).ok()?);
                text.push(':');
                write(value.get(), depth, text)?;
            }
            text.push('}');
        }
        b'[' => {
            let values: Vec<&RawValue> = serde_json::from_str(value).ok()?;
            text.push('[');
            for (at, value) in values.into_iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                write(value.get(), depth, text)?;
            }
            text.push(']');
        }
        b'"' => {
            let string: String = serde_json::from_str(value).ok()?;
            text.push_str(&serde_json::to_string(&string).ok()?);
        }
        _ => {
            let scalar: &RawValue = serde_json::from_str(value).ok()?;
            text.push_str(scalar.get());
        }
    }
    Some(())
}

/// The entries of an object, all of them, in their order.
struct Entries<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;

        impl<'de> Visitor<'de> for All {
            type Value = Entries<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(All)
    }
}

#[cfg(test)]
mod tests {
    use super::normal_form;

    #[test]
    fn how_it_is_written_makes_no_difference() {
        let normal = r#"{"a":[1,"ä\"",null],"b":{"c":true,"d":1.50}}"#;
        for written in [
            normal,
            "{ \"b\" : {\"d\":1.50, \"c\":true},\n \"a\" : [ 1 , \"\\u00e4\\\"\" , null ] }",
            " {\"a\":[1,\"ä\\u0022\",null],\"b\":{\"d\":1.50,\"c\":true}} ",
        ] {
            assert_eq!(normal_form(written), normal, "{written}");
        }
    }

    #[test]
    fn no_arguments_are_an_empty_object() {
        for nothing in ["", " ", "null", "{}", "{ }"] {
            assert_eq!(normal_form(nothing), "{}");
        }
    }

    #[test]
    fn what_says_something_else_stays_something_else() {
        let all = [
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":1.0}"#,
            r#"{"a":[1]}"#,
            r#"{"a":1,"b":2}"#,
            r#"{"a":100000000000000000000000001}"#,
            r#"{"a":100000000000000000000000002}"#,
            r#"{"a":[1,2]}"#,
            r#"{"a":[2,1]}"#,
            r#"{"A":1}"#,
        ];
        for (at, one) in all.iter().enumerate() {
            for other in all.iter().skip(at + 1) {
                assert_ne!(normal_form(one), normal_form(other));
            }
        }
    }

    #[test]
    fn of_what_it_is_not_sure_it_leaves_as_it_is() {
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        for written in [r#"{"a":1, "a":2}"#, r#"{"b":{"a":1, "a":2}}"#, "{ a }", "[1, ", "1 2", &deep] {
            assert_eq!(normal_form(written), written);
        }
    }
}
