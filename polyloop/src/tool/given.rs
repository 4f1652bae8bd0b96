//! Schemas that are given as text: brought into the form in which those of types are.

use serde_json::{Map, Value};

use crate::dialect::canonical::{Node, join};
use crate::dialect::prepare::only_itself;

/// How many definitions are written out at most: a few lines of JSON may refer to each other a million times.
const MOST: usize = 1_000;

/// Where definitions stand, in old schemas and new ones.
const PLACES: [&str; 2] = ["$defs", "definitions"];

/// Reads a schema and writes every definition out where it is used; those that refer to themselves are returned beside it.
pub(super) fn given(text: &str) -> Result<(Node, Node), String> {
    let mut schema: Node =
        serde_json::from_str(text).map_err(|error| format!("its schema is no JSON object: {error}"))?;
    let mut all = Map::new();
    for place in PLACES {
        if let Some(Value::Object(definitions)) = schema.remove(place) {
            all.extend(definitions);
        }
    }
    schema.entry("properties").or_insert_with(|| Map::new().into());
    let mut writer = Writer { all: &all, open: Vec::new(), left: MOST, kept: Vec::new() };
    let mut whole = Value::Object(schema);
    writer.write(&mut whole)?;
    let mut definitions = Node::new();
    // Each may name others of its kind.
    while let Some(name) = writer.kept.iter().find(|name| !definitions.contains_key(*name)).cloned() {
        let mut definition = all.get(&name).cloned().unwrap_or_default();
        writer.open = vec![name.clone()];
        writer.write(&mut definition)?;
        definitions.insert(name, definition);
    }
    if let Some(name) = only_itself(&definitions) {
        return Err(format!("in its schema `{name}` is nothing but itself; leave the tool out"));
    }
    match whole {
        Value::Object(schema) => Ok((schema, definitions)),
        _ => Err("its schema is no JSON object".to_owned()),
    }
}

struct Writer<'d> {
    all: &'d Node,
    /// The definitions that are being written.
    open: Vec<String>,
    left: usize,
    /// The definitions that refer to themselves.
    kept: Vec<String>,
}

impl Writer<'_> {
    /// Writes out what a schema, or a list of them, refers to.
    fn write(&mut self, value: &mut Value) -> Result<(), String> {
        match value {
            Value::Array(values) => values.iter_mut().try_for_each(|value| self.write(value)),
            Value::Object(node) => self.node(node),
            _ => Ok(()),
        }
    }

    fn node(&mut self, node: &mut Node) -> Result<(), String> {
        match node.get("$ref").and_then(Value::as_str).map(str::to_owned) {
            Some(reference) => self.referred(node, &reference),
            None => self.keywords(node),
        }
    }

    fn keywords(&mut self, node: &mut Node) -> Result<(), String> {
        for (keyword, value) in node {
            match (keyword.as_str(), value) {
                // What stands here is a value, and no schema.
                ("const" | "enum" | "default" | "examples" | "example", _) => {}
                // Here names stand, and none of them is a keyword.
                ("properties" | "patternProperties", Value::Object(children)) => {
                    children.values_mut().try_for_each(|child| self.write(child))?;
                }
                (_, value) => self.write(value)?,
            }
        }
        Ok(())
    }

    fn referred(&mut self, node: &mut Node, reference: &str) -> Result<(), String> {
        let written = PLACES.iter().find_map(|place| reference.strip_prefix(&format!("#/{place}/")));
        let name = written.unwrap_or_default().replace("~1", "/").replace("~0", "~");
        let (Some(written), Some(definition)) = (written, self.all.get(&name)) else {
            return Err(format!(
                "its schema refers to `{reference}`, which is not in it; leave the tool out"
            ));
        };
        if self.open.contains(&name) {
            node.insert("$ref".to_owned(), format!("#/$defs/{written}").into());
            if !self.kept.contains(&name) {
                self.kept.push(name);
            }
            return Ok(());
        }
        let left = self.left.checked_sub(1);
        self.left = left.ok_or_else(|| {
            format!("its schema refers to its definitions over {MOST} times; leave the tool out")
        })?;
        node.remove("$ref");
        // What stands beside the reference is said of this place, and holds as well.
        if !join(node, definition.as_object().cloned().unwrap_or_default()) {
            return Err(format!(
                "its schema says beside a reference to `{name}` another thing than that says; leave the tool out"
            ));
        }
        self.open.push(name);
        let result = self.node(node);
        self.open.pop();
        result
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::given;

    fn written(schema: &Value) -> (Value, Value) {
        let (schema, definitions) =
            given(&schema.to_string()).unwrap_or_else(|reason| unreachable!("{reason}"));
        (schema.into(), definitions.into())
    }

    #[test]
    fn a_definition_is_written_out_with_what_is_said_of_its_place() {
        let schema = json!({
            "type": "object",
            "properties": {
                "from": {"$ref": "#/$defs/Place", "description": "Where it begins."},
                "to": {"$ref": "#/definitions/a~1b"},
                "default": {"$ref": "#/$defs/Unit"},
            },
            "$defs": {
                "Place": {"type": "object", "description": "A place.", "properties": {"unit": {"$ref": "#/$defs/Unit"}}},
                "Unit": {"enum": ["m", {"$ref": "data"}]},
            },
            "definitions": {"a/b": {"$ref": "#/$defs/Unit"}},
        });
        let unit = json!({"enum": ["m", {"$ref": "data"}]});
        let place =
            json!({"type": "object", "description": "Where it begins.", "properties": {"unit": unit}});
        let expected = json!({"type": "object", "properties": {"from": place, "to": unit, "default": unit}});
        assert_eq!(written(&schema), (expected, json!({})));
    }

    #[test]
    fn a_definition_that_refers_to_itself_stays_one() {
        let tree = json!({"type": "object", "properties": {"left": {"$ref": "#/definitions/Tree"}}});
        let schema = json!({
            "type": "object",
            "properties": {"tree": {"$ref": "#/definitions/Tree"}},
            "definitions": {"Tree": tree},
        });
        let inner = json!({"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}});
        let expected = json!({"type": "object", "properties": {"tree": inner}});
        assert_eq!(written(&schema), (expected, json!({"Tree": inner})));
    }

    #[test]
    fn a_few_lines_cannot_become_a_million() {
        let level = |next: &str| json!({"anyOf": vec![json!({"$ref": format!("#/$defs/{next}")}); 10]});
        let schema = json!({
            "type": "object",
            "properties": {"a": level("b")},
            "$defs": {"b": level("c"), "c": level("d"), "d": level("e"), "e": {"type": "string"}},
        });
        assert!(given(&schema.to_string()).is_err_and(|reason| reason.contains("over 1000 times")));
    }

    #[test]
    fn what_is_not_there_cannot_be_referred_to() {
        for reference in ["#/$defs/gone", "#", "https://example.org/schema"] {
            let schema = json!({"type": "object", "properties": {"a": {"$ref": reference}}});
            assert!(given(&schema.to_string()).is_err_and(|reason| reason.contains(reference)));
        }
        assert!(given("[]").is_err() && given("{").is_err());
    }

    #[test]
    fn what_stands_beside_a_reference_takes_nothing_from_it() {
        let schema = |beside: &Value| {
            json!({
                "type": "object",
                "properties": { "who": { "$ref": "#/$defs/Named", "properties": beside } },
                "$defs": { "Named": { "type": "object", "properties": { "name": { "type": "string" } } } },
            })
        };
        let both = json!({ "age": { "type": "integer" }, "name": { "type": "string" } });
        let whole = written(&schema(&json!({ "age": { "type": "integer" } }))).0;
        assert_eq!(whole.pointer("/properties/who/properties"), Some(&both));
        let other = schema(&json!({ "name": { "type": "integer" } }));
        assert!(given(&other.to_string()).is_err_and(|reason| reason.contains("`Named`")));
    }

    #[test]
    fn a_definition_that_is_nothing_but_itself_is_refused() {
        let circle = json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/A" } },
            "$defs": { "A": { "anyOf": [{ "$ref": "#/$defs/A" }, { "type": "string" }] } },
        });
        assert!(given(&circle.to_string()).is_err_and(|reason| reason.contains("`A` is nothing but itself")));
    }
}
