//! Whether a node of a schema means something.

use serde_json::Value;

use super::canonical::{Node, Refusal, names, refused};

/// What is wrong with a schema that no value fits.
pub(super) const NOTHING: &str = "its type accepts nothing; change the type";

/// What stands behind a keyword, and how it is called.
type Form = (&'static [&'static str], fn(&Value) -> bool, &'static str);

const FORMS: [Form; 6] = [
    (
        &["type"],
        |kinds| !kinds.is_object() && !kinds.is_number() && names(kinds).all(|name| TYPES.contains(&name)),
        "a type of JSON",
    ),
    (
        &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
        Value::is_number,
        "a number",
    ),
    (
        &["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
        |bound| bound.as_f64().is_some_and(|bound| bound >= 0.0),
        "a count",
    ),
    (&["properties", "patternProperties"], Value::is_object, "an object"),
    (&["items", "additionalProperties"], |schema| schema.is_object() || schema.is_boolean(), "one schema"),
    (&["required", "enum", "anyOf", "oneOf", "prefixItems"], Value::is_array, "a list"),
];
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Refuses a node that no value fits, or that means nothing in the drafts of 2020.
pub(super) fn well_formed(node: &Node, path: &str) -> Result<(), Refusal> {
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    if ["type", "enum", "anyOf", "oneOf"].iter().any(|keyword| node.get(*keyword).is_some_and(is_empty)) {
        return refused(path, NOTHING);
    }
    for (keywords, is_right, what) in FORMS {
        let wrong = |keyword: &&&str| node.get(**keyword).is_some_and(|value| !is_right(value));
        if let Some(keyword) = keywords.iter().find(wrong) {
            return refused(
                path,
                &format!("its `{keyword}` is not {what}; write it as JSON Schema 2020-12 has it"),
            );
        }
    }
    if let Some(keyword) = ["$dynamicRef", "$recursiveRef"].iter().find(|name| node.contains_key(**name)) {
        return refused(path, &format!("`{keyword}` leads nowhere; use `$ref`"));
    }
    Ok(())
}
