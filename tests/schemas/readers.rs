//! What each reader takes, written down a second time: as rules over finished schemas.

use std::collections::BTreeSet;

use polyloop::Dialect;
use serde_json::{Map, Value};

type Node = Map<String, Value>;

/// Keywords that no reader but those of whole JSON Schema may see.
const SCHEMA: [&str; 8] =
    ["type", "description", "enum", "anyOf", "properties", "required", "items", "format"];

fn further(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::OpenAiStrict => &[
            "$defs",
            "$ref",
            "additionalProperties",
            "exclusiveMaximum",
            "exclusiveMinimum",
            "maxItems",
            "maximum",
            "minItems",
            "minimum",
            "multipleOf",
            "pattern",
        ],
        Dialect::AnthropicStrict => {
            &["$defs", "$ref", "additionalProperties", "default", "minItems", "pattern"]
        }
        Dialect::Gemini => {
            &["$defs", "$ref", "additionalProperties", "maxItems", "maximum", "minItems", "minimum"]
        }
        Dialect::GeminiOpenApi => {
            &["maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "nullable", "pattern"]
        }
        Dialect::LlamaCpp => &[
            "$defs",
            "$ref",
            "additionalProperties",
            "default",
            "maxItems",
            "maxLength",
            "minItems",
            "minLength",
            "pattern",
            "prefixItems",
        ],
        _ => &[
            "$defs",
            "$ref",
            "additionalProperties",
            "contains",
            "default",
            "dependentRequired",
            "examples",
            "exclusiveMaximum",
            "exclusiveMinimum",
            "maxItems",
            "maxLength",
            "maxProperties",
            "maximum",
            "minItems",
            "minLength",
            "minProperties",
            "minimum",
            "multipleOf",
            "pattern",
            "prefixItems",
        ],
    }
}

/// Everything in a lowered schema that the reader would refuse.
pub(crate) fn complaints(root: &Value, dialect: Dialect) -> Vec<String> {
    let mut check = Check { root, dialect, found: BTreeSet::new() };
    let node = root.as_object().expect("a schema is an object");
    if node.get("type").is_none_or(|kind| kind != "object")
        || node.contains_key("anyOf")
        || node.contains_key("enum")
    {
        check.found.insert("the root is no plain object".to_owned());
    }
    check.node(root, "");
    for (name, definition) in node.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        check.node(definition, &format!("$defs.{name}"));
    }
    check.found.into_iter().collect()
}

struct Check<'s> {
    root: &'s Value,
    dialect: Dialect,
    found: BTreeSet<String>,
}

impl Check<'_> {
    fn require(&mut self, is_right: bool, path: &str, what: &str) {
        if !is_right {
            self.found.insert(format!("`{path}`: {what}"));
        }
    }

    fn node(&mut self, schema: &Value, path: &str) {
        let Some(node) = schema.as_object() else {
            return self.require(false, path, "a schema that is a boolean");
        };
        for keyword in node.keys() {
            let is_known =
                SCHEMA.contains(&keyword.as_str()) || further(self.dialect).contains(&keyword.as_str());
            let is_of_root = keyword == "$defs" && !path.is_empty();
            self.require(is_known && !is_of_root, path, keyword);
        }
        if let Some(reference) = node.get("$ref") {
            let pointer = reference.as_str().unwrap_or_default().strip_prefix('#').unwrap_or_default();
            let target = self.root.pointer(pointer);
            self.require(
                target.is_some_and(|target| target != self.root),
                path,
                "a reference that leads nowhere",
            );
            self.require(node.len() == 1, path, "siblings of `$ref`");
            return;
        }
        self.typed(node, path);
        if node
            .get("type")
            .is_some_and(|kind| *kind == "object" || *kind == serde_json::json!(["object", "null"]))
        {
            self.object(node, path);
        }
        if node.get("type").is_some_and(|kind| kind == "array") {
            let needs_items = self.dialect != Dialect::LlamaCpp || !node.contains_key("prefixItems");
            self.require(!needs_items || node.contains_key("items"), path, "a list without `items`");
        }
        for (name, property) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.node(property, &format!("{path}.{name}"));
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(schema) =
                node.get(keyword).filter(|schema| !schema.is_boolean() || keyword == "items")
            {
                self.node(schema, &format!("{path}[]"));
            }
        }
        for keyword in ["anyOf", "prefixItems"] {
            for branch in node.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.node(branch, &format!("{path}|"));
            }
        }
    }

    fn typed(&mut self, node: &Node, path: &str) {
        let is_gemini = matches!(self.dialect, Dialect::Gemini | Dialect::GeminiOpenApi);
        let has_type = node.contains_key("type") || node.contains_key("anyOf");
        let must_have_type =
            self.dialect.is_strict() || matches!(self.dialect, Dialect::GeminiOpenApi | Dialect::LlamaCpp);
        self.require(has_type || !must_have_type, path, "no type");
        if is_gemini || self.dialect == Dialect::LlamaCpp {
            self.require(!node.get("type").is_some_and(Value::is_array), path, "several types");
        }
        if let Some(Value::Array(values)) = node.get("enum")
            && is_gemini
        {
            self.require(values.iter().all(Value::is_string), path, "an `enum` that is not of texts");
        }
        if self.dialect == Dialect::GeminiOpenApi {
            self.require(node.get("type").is_none_or(|kind| kind != "null"), path, "the type null");
            self.require(!node.contains_key("anyOf") || node.len() == 1, path, "siblings of `anyOf`");
        }
        if self.dialect == Dialect::AnthropicStrict {
            self.require(!node.contains_key("$ref"), path, "recursion");
            self.require(
                node.get("minItems").is_none_or(|least| least.as_u64() < Some(2)),
                path,
                "`minItems`",
            );
        }
    }

    fn object(&mut self, node: &Node, path: &str) {
        self.require(node.contains_key("properties"), path, "an object without `properties`");
        let properties = node.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let required: Vec<&str> = node
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let all_known = required.iter().all(|name| properties.contains_key(*name));
        self.require(all_known, path, "`required` names what is no property");
        if self.dialect.is_strict() {
            let closed = node.get("additionalProperties") == Some(&Value::Bool(false));
            self.require(closed, path, "an object that is not closed");
        }
        if self.dialect == Dialect::OpenAiStrict {
            self.require(required.len() == properties.len(), path, "a property that is not required");
        }
        if self.dialect == Dialect::GeminiOpenApi {
            self.require(path.is_empty() || !properties.is_empty(), path, "an object without fields");
        }
        let marks: &[u8] = match self.dialect {
            Dialect::Gemini | Dialect::GeminiOpenApi => b"_",
            Dialect::Anthropic | Dialect::AnthropicStrict if path.is_empty() => b"_.-",
            _ => return,
        };
        for name in properties.keys() {
            let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || marks.contains(&byte));
            self.require(letters && name.len() <= 64, path, "a key");
        }
    }
}
