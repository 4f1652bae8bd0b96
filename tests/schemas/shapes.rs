//! How enums and options are written, and types that hold themselves.

use serde_json::{Value, json};

use crate::types::{Payload, Tagging, Tape, internal, object};

/// What a derive makes of an option.
pub(crate) fn nullable(mut schema: Value) -> Value {
    let is_plain =
        schema.as_object().is_some_and(|node| node.contains_key("type") && !node.contains_key("oneOf"));
    match schema["type"].as_str().map(str::to_owned) {
        Some(kind) if is_plain && kind != "null" => {
            schema["type"] = json!([kind, "null"]);
            if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
                values.push(Value::Null);
            }
            schema
        }
        _ if schema.is_boolean() || schema["type"] == "null" || !schema["type"].is_null() && is_plain => {
            schema
        }
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

pub(crate) fn tree() -> Value {
    json!({
        "type": "object",
        "properties": {
            "$name": { "type": "string" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
            "left": { "anyOf": [{ "$ref": "#/$defs/Tree" }, { "type": "null" }] },
        },
        "required": ["$name", "children"],
    })
}

pub(crate) fn grown(tape: &mut Tape<'_>, depth: usize) -> Value {
    let count = if depth == 0 { 0 } else { tape.choose(3) };
    let mut tree = json!({ "$name": "x", "children": [] });
    tree["children"] = (0..count).map(|_| grown(tape, depth - 1)).collect();
    if depth > 0 && tape.choose(2) == 1 {
        tree["left"] = grown(tape, depth - 1);
    }
    tree
}

pub(crate) fn expression() -> Value {
    json!({ "oneOf": [
        { "type": "object", "properties": { "Number": { "type": "number" } }, "required": ["Number"],
          "additionalProperties": false },
        { "type": "object", "properties": { "Negative": { "$ref": "#/$defs/Expression" } }, "required": ["Negative"],
          "additionalProperties": false },
        { "type": "object",
          "properties": { "Sum": { "type": "array", "prefixItems": [
              { "$ref": "#/$defs/Expression" }, { "$ref": "#/$defs/Expression" },
          ], "minItems": 2, "maxItems": 2 } },
          "required": ["Sum"], "additionalProperties": false },
    ] })
}

pub(crate) fn calculated(tape: &mut Tape<'_>, depth: usize) -> Value {
    match if depth == 0 { 0 } else { tape.choose(3) } {
        0 => json!({ "Number": 1.5 }),
        1 => json!({ "Negative": calculated(tape, depth - 1) }),
        _ => json!({ "Sum": [calculated(tape, depth - 1), calculated(tape, depth - 1)] }),
    }
}

pub(crate) fn alternatives(tagging: Tagging, variants: &[(&'static str, Payload)]) -> Value {
    let units: Vec<&str> = variants
        .iter()
        .filter(|(_, payload)| matches!(payload, Payload::Unit))
        .map(|(name, _)| *name)
        .collect();
    let mut all = Vec::new();
    if matches!(tagging, Tagging::External) && !units.is_empty() {
        all.push(json!({ "type": "string", "enum": units }));
    }
    for variant @ (name, payload) in variants {
        match (tagging, payload) {
            (Tagging::External, Payload::Unit) => {}
            (Tagging::External, payload) => all.push(json!({
                "type": "object", "properties": { *name: payload.schema() }, "required": [name],
                "additionalProperties": false,
            })),
            (Tagging::Internal, _) => all.push(internal(variant)),
            (Tagging::Adjacent, Payload::Unit) => all.push(object(&[], Some(("t", name)))),
            (Tagging::Adjacent, payload) => all.push(json!({
                "type": "object", "properties": { "t": { "type": "string", "const": name }, "c": payload.schema() },
                "required": ["t", "c"],
            })),
            (Tagging::Untagged, payload) => all.push(payload.schema()),
        }
    }
    let keyword = if matches!(tagging, Tagging::Untagged) { "anyOf" } else { "oneOf" };
    json!({ keyword: all })
}

pub(crate) fn variant(tagging: Tagging, name: &str, payload: &Payload, tape: &mut Tape<'_>) -> Value {
    match (tagging, payload) {
        (Tagging::External, Payload::Unit) => json!(name),
        (Tagging::External, payload) => json!({ name: payload.value(tape) }),
        (Tagging::Internal, payload) => {
            let mut all = payload.members(tape);
            all.insert("tag".to_owned(), json!(name));
            Value::Object(all)
        }
        (Tagging::Adjacent, Payload::Unit) => json!({ "t": name }),
        (Tagging::Adjacent, payload) => json!({ "t": name, "c": payload.value(tape) }),
        (Tagging::Untagged, payload) => payload.value(tape),
    }
}
