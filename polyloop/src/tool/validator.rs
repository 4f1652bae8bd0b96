//! The full check of one argument, where its schema states more than its type enforces.

use serde_json::Value;

use super::canonical::Node;
#[cfg(feature = "validate")]
use super::complaint;
use crate::error::ArgumentError;

/// Keywords that bound a value beyond its type.
const BOUNDS: [&str; 17] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "patternProperties",
    "not",
];

/// Whether something in a schema bounds a value beyond its type.
pub(super) fn states_more(schema: &Value) -> bool {
    match schema {
        Value::Object(node) => {
            node.keys().any(|key| BOUNDS.contains(&key.as_str()))
                || node.iter().any(|(key, value)| match (key.as_str(), value) {
                    ("properties" | "$defs", Value::Object(children)) => children.values().any(states_more),
                    ("additionalProperties", value) => {
                        value.as_bool().map_or_else(|| states_more(value), |open| !open)
                    }
                    ("items" | "anyOf" | "prefixItems", value) => states_more(value),
                    _ => false,
                })
        }
        Value::Array(list) => list.iter().any(states_more),
        _ => false,
    }
}

/// Checks one argument against its schema; compiled once for each tool.
#[derive(Debug)]
pub(super) struct Validator {
    #[cfg(feature = "validate")]
    compiled: jsonschema::Validator,
    #[cfg(not(feature = "validate"))]
    never: std::convert::Infallible,
}

#[cfg(feature = "validate")]
impl Validator {
    /// Compiles a schema. Patterns are those of the crate `regex`: linear in the text, no look-around.
    pub(super) fn new(mut schema: Node, definitions: &Value) -> Result<Self, String> {
        if definitions.as_object().is_some_and(|definitions| !definitions.is_empty()) {
            schema.insert("$defs".to_owned(), definitions.clone());
        }
        jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(&Value::Object(schema))
            .map(|compiled| Self { compiled })
            .map_err(|error| format!("its schema is not valid: {error}"))
    }

    /// Whether nothing is wrong with an argument.
    pub(super) fn is_valid(&self, value: &Value) -> bool {
        self.compiled.is_valid(value)
    }

    /// Lists what is wrong with an argument.
    pub(super) fn check(&self, name: &str, value: &Value) -> Vec<ArgumentError> {
        if self.compiled.is_valid(value) {
            return Vec::new();
        }
        self.compiled.iter_errors(value).map(|error| wrong_place(name, &error)).collect()
    }
}

/// One thing that a schema forbids; a missing field has a path of its own.
#[cfg(feature = "validate")]
fn wrong_place(name: &str, error: &jsonschema::ValidationError<'_>) -> ArgumentError {
    let mut path = complaint::shortened(&dotted(name, error.instance_path().as_str()));
    if let jsonschema::error::ValidationErrorKind::Required { property } = error.kind() {
        path = complaint::joined(&path, property.as_str().unwrap_or_default());
        let message = complaint::missing(&path);
        return ArgumentError::new(path, message);
    }
    let (said, came) = (error.to_string(), error.instance().to_string());
    let said = match said.strip_prefix(&came) {
        Some(wanted) => format!("{}{wanted}", complaint::shortened(&came)),
        None => complaint::shortened(&said),
    };
    let message = complaint::wrong(&path, &said);
    ArgumentError::new(path, message)
}

#[cfg(not(feature = "validate"))]
impl Validator {
    pub(super) fn new(_: Node, _: &Value) -> Result<Self, String> {
        Err("its schema states more than its type enforces; switch on the feature `validate`".to_owned())
    }

    pub(super) fn is_valid(&self, _: &Value) -> bool {
        match self.never {}
    }

    pub(super) fn check(&self, _: &str, _: &Value) -> Vec<ArgumentError> {
        match self.never {}
    }
}

/// `place` and `/points/0/lat` as `place.points[0].lat`.
#[cfg(feature = "validate")]
fn dotted(name: &str, pointer: &str) -> String {
    let mut path = name.to_owned();
    for step in pointer.split('/').filter(|step| !step.is_empty()) {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push('[');
            path.push_str(step);
            path.push(']');
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(step);
        }
    }
    path
}
