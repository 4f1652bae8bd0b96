//! The full check of one argument, where its schema states more than its type enforces.

use serde_json::Value;

#[cfg(feature = "validate")]
use super::complaint;
use crate::dialect::canonical::Node;
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

/// Whether something in a schema, as its type gave it, bounds a value beyond the type.
///
/// A derive may state other bounds and choices than the type has, and nothing tells them apart; so with the validator
/// at hand they count. Without it, what a type usually enforces itself is trusted: the range of an integer, the length
/// of a tuple, the names of an enum.
pub(super) fn states_more(schema: &Value) -> bool {
    let Value::Object(node) = schema else { return false };
    let trusted = !cfg!(feature = "validate");
    let bounded =
        node.keys().any(|key| BOUNDS.contains(&key.as_str()) && !(trusted && is_natural(node, key)));
    let chosen = !trusted && node.keys().any(|key| matches!(key.as_str(), "enum" | "const"));
    bounded
        || chosen
        || node.iter().any(|(key, value)| match (key.as_str(), value) {
            ("properties", Value::Object(children)) => children.values().any(states_more),
            ("additionalProperties", Value::Bool(open)) => !open && !trusted,
            ("additionalProperties" | "items", value) => states_more(value),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => list.iter().any(states_more),
            _ => false,
        })
}

/// Whether a bound is one that the type has anyway.
fn is_natural(node: &Node, keyword: &str) -> bool {
    let of_integer = node.get("format").and_then(Value::as_str).is_some_and(|format| {
        let bits = format.trim_start_matches('u').strip_prefix("int");
        bits.is_some_and(|bits| bits.bytes().all(|byte| byte.is_ascii_digit()))
    });
    match keyword {
        "minimum" | "maximum" => of_integer,
        "minItems" | "maxItems" => node.contains_key("prefixItems"),
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

#[cfg(test)]
mod tests {
    use schemars::{JsonSchema, SchemaGenerator};

    use super::states_more;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Place {
        line: u32,
        column: u8,
        shift: i64,
        corner: (u16, String),
        unit: Unit,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Unit {
        Metre,
        Mile(f32),
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Bounded {
        #[schemars(range(max = 9))]
        share: f64,
    }

    #[test]
    fn what_a_type_enforces_itself_counts_only_where_it_can_be_checked() {
        let place = SchemaGenerator::default().into_root_schema_for::<Place>().to_value();
        assert_eq!(states_more(&place), cfg!(feature = "validate"));
        let bounded = SchemaGenerator::default().into_root_schema_for::<Bounded>().to_value();
        assert!(states_more(&bounded));
    }
}
