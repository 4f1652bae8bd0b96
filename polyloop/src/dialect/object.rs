//! Objects: structs, maps, and both at once.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::canonical::{Node, ordered};
use super::fits::kinds;
use super::keys::portable_key;
use super::lowering::{Lowering, Names, Out, Place};
use super::notes::{note, reduced, told};
use super::rules::{Cycles, Keys, Objects, Open};
use super::step::{Field, Object, PAIR, Rest, Step};
use super::union::or_null;
use crate::error::SchemaError;

/// The property for the entries of a map that is flattened into a struct.
const ENTRIES: &str = "entries";

/// The keys of an object that are not listed.
enum Further {
    None,
    /// With values of this schema, and perhaps keys of this pattern.
    Values(Node, Option<String>),
}

/// An object on its way down.
#[derive(Default)]
struct Parts {
    properties: Node,
    required: Vec<Value>,
    fields: Vec<Field>,
    /// Which name became which key.
    keys: BTreeMap<String, String>,
}

impl Lowering<'_> {
    pub(super) fn object(&mut self, node: &Node, place: &Place) -> Out {
        let empty = Node::new();
        let properties = node.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let further = self.further(node, properties, place)?;
        let has_maps = !self.rules.objects.are_closed() && self.rules.has("additionalProperties");
        // The root stays an object.
        if properties.is_empty()
            && !has_maps
            && !place.top
            && let Further::Values(values, pattern) = &further
        {
            return self.pairs(node, values, pattern.as_deref(), place);
        }
        let mut parts = Parts::default();
        for (name, schema) in properties {
            let is_required = names(node).any(|required| required == name);
            self.property(&mut parts, name, schema, is_required, place)?;
        }
        let has_none = parts.properties.is_empty() && matches!(further, Further::None);
        if has_none && !self.rules.empty_objects && !place.top {
            return self.refused(place, "it is an object without fields", "take a `bool`");
        }
        let mut out = node.clone();
        let rest = match further {
            Further::None => {
                if self.rules.objects.are_closed() {
                    out.insert("additionalProperties".to_owned(), false.into());
                }
                Rest::Kept(Box::new(Step::Same))
            }
            Further::Values(values, pattern) if has_maps => {
                Rest::Kept(Box::new(self.kept(&mut out, &values, pattern, place)?))
            }
            Further::Values(values, pattern) => {
                out.insert("additionalProperties".to_owned(), false.into());
                self.entries(&mut parts, &values, pattern.as_deref(), place)?
            }
        };
        out.insert("properties".to_owned(), Value::Object(parts.properties));
        // An empty list is an error in some drafts.
        if parts.required.is_empty() && self.rules.objects != Objects::AllRequired {
            out.remove("required");
        } else {
            out.insert("required".to_owned(), parts.required.into());
        }
        reduced(&mut out, self.rules);
        Ok((ordered(out), Step::Object(Object { fields: parts.fields, rest }).simplified()))
    }

    /// The keys of any name beside those of the fields, as pairs under a key of their own.
    fn entries(
        &mut self,
        parts: &mut Parts,
        values: &Node,
        pattern: Option<&str>,
        place: &Place,
    ) -> Result<Rest, SchemaError> {
        if parts.keys.contains_key(ENTRIES) {
            let fact = "it has a key `entries` beside keys of any name";
            return self.refused(place, fact, "rename the field");
        }
        let (pairs, step) = self.pairs(&Node::new(), values, pattern, place)?;
        parts.properties.insert(ENTRIES.to_owned(), Value::Object(pairs));
        parts.required.push(ENTRIES.into());
        Ok(Rest::Pairs(ENTRIES.to_owned(), Box::new(step)))
    }

    fn property(
        &mut self,
        parts: &mut Parts,
        name: &str,
        schema: &Value,
        is_required: bool,
        place: &Place,
    ) -> Result<(), SchemaError> {
        let empty = Node::new();
        let schema = schema.as_object().unwrap_or(&empty);
        let below = place.property(name);
        let mut field = Field {
            name: name.to_owned(),
            sent: None,
            step: Step::Same,
            null_is_absent: false,
            when_absent: None,
        };
        if let Some(constant) = self.constant(schema, is_required).filter(|_| !place.branch) {
            field.when_absent = is_required.then_some(constant);
            parts.fields.push(field);
            return Ok(());
        }
        let when_absent = self.when_absent(schema).filter(|_| is_required);
        let is_required = is_required && when_absent.is_none();
        let below = Place { optional: below.optional || !is_required, ..below };
        let (mut node, step) = self.node(schema, &below)?;
        if step != Step::Same {
            told(&mut node);
            node = ordered(node);
        }
        let sent = self.key(name, place.top);
        if let Some(other) = parts.keys.insert(sent.clone(), name.to_owned()) {
            let reason =
                format!("its key becomes `{sent}` for {}, as `{other}` does; rename the field", self.dialect);
            return Err(SchemaError::new(below.path, reason));
        }
        if !is_required && self.rules.objects == Objects::AllRequired {
            node = or_null(node);
            field.null_is_absent = true;
        }
        if is_required || self.rules.objects == Objects::AllRequired {
            parts.required.push(sent.clone().into());
        }
        parts.properties.insert(sent.clone(), Value::Object(node));
        field.sent = Some(sent);
        field.step = step;
        field.when_absent = when_absent;
        parts.fields.push(field);
        Ok(())
    }

    /// The one value of a property that has no other, so that it need not be shown.
    fn constant(&self, schema: &Node, is_required: bool) -> Option<Value> {
        if schema.contains_key("anyOf") || schema.contains_key("$ref") {
            return None;
        }
        match kinds(schema).as_slice() {
            ["null"] => Some(Value::Null),
            ["object"] if is_required && !self.rules.empty_objects => self.constant_object(schema),
            _ => None,
        }
    }

    fn constant_object(&self, schema: &Node) -> Option<Value> {
        let is_open =
            schema.get("additionalProperties").is_some_and(|further| *further != Value::Bool(false));
        if is_open || schema.contains_key("patternProperties") {
            return None;
        }
        let empty = Node::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let value = |(name, property): (&String, &Value)| {
            let is_required = names(schema).any(|required| required == name);
            let value = self.constant(property.as_object()?, is_required).filter(|_| is_required)?;
            Some((name.clone(), value))
        };
        properties.iter().map(value).collect::<Option<Node>>().map(Value::Object)
    }

    /// What an absent property is, where a circle must go through one that is not required: an empty list or map.
    fn when_absent(&self, schema: &Node) -> Option<Value> {
        let may_be_empty = |keyword: &str| schema.get(keyword).and_then(Value::as_u64).unwrap_or(0) == 0;
        if self.rules.cycles != Cycles::Optional
            || !Value::Object(schema.clone()).to_string().contains("\"$ref\"")
        {
            return None;
        }
        match kinds(schema).as_slice() {
            ["array"] if may_be_empty("minItems") && !schema.contains_key("prefixItems") => Some(json!([])),
            ["object"] if may_be_empty("minProperties") && !schema.contains_key("properties") => {
                Some(json!({}))
            }
            _ => None,
        }
    }

    fn further(&self, node: &Node, properties: &Node, place: &Place) -> Result<Further, SchemaError> {
        let open = Node::from_iter([("description".to_owned(), "any JSON value".into())]);
        if let Some(Value::Object(patterns)) =
            node.get("patternProperties").filter(|_| !self.rules.has("patternProperties"))
        {
            let mut schemas = patterns.values();
            let first = schemas.next();
            let is_closed =
                node.get("additionalProperties").is_none_or(|further| *further == Value::Bool(false));
            if !is_closed || schemas.any(|schema| Some(schema) != first) {
                return self.refused(place, "its values differ with the form of their keys", "take a struct");
            }
            let pattern = patterns.keys().cloned().collect::<Vec<_>>().join("|");
            let values = first.and_then(Value::as_object).cloned().unwrap_or(open);
            return Ok(Further::Values(values, Some(pattern)));
        }
        Ok(match node.get("additionalProperties") {
            // Whoever tolerates unknown arguments loses nothing if none can come.
            Some(Value::Bool(true))
                if place.top && self.rules.objects.are_closed() && !properties.is_empty() =>
            {
                Further::None
            }
            Some(Value::Bool(true)) => Further::Values(open, None),
            Some(Value::Object(values)) => Further::Values(values.clone(), None),
            _ => Further::None,
        })
    }

    /// Leaves a map as it is; gives what is done to its values.
    fn kept(
        &mut self,
        out: &mut Node,
        values: &Node,
        pattern: Option<String>,
        place: &Place,
    ) -> Result<Step, SchemaError> {
        let is_open = out.get("additionalProperties") == Some(&Value::Bool(true));
        if is_open && self.rules.open == Open::Described && pattern.is_none() {
            return Ok(Step::Same);
        }
        let (node, step) = self.node(values, &place.below("[]"))?;
        if let Some(pattern) = pattern {
            out.remove("patternProperties");
            note(out, &format!("Each key matches `{pattern}`."));
        }
        out.insert("additionalProperties".to_owned(), Value::Object(node));
        Ok(step)
    }

    /// A map as a list of pairs.
    fn pairs(&mut self, node: &Node, values: &Node, pattern: Option<&str>, place: &Place) -> Out {
        let mut key = Node::from_iter([("type".to_owned(), "string".into())]);
        key.extend(pattern.map(|pattern| ("pattern".to_owned(), pattern.into())));
        let pair = Node::from_iter([
            ("type".to_owned(), "object".into()),
            ("properties".to_owned(), json!({ PAIR.0: key, PAIR.1: values })),
            ("required".to_owned(), json!([PAIR.0, PAIR.1])),
            ("additionalProperties".to_owned(), false.into()),
        ]);
        let (pair, step) = self.object(&pair, &Place { names: Names::Pair, ..place.below("[]") })?;
        let mut out =
            Node::from_iter([("type".to_owned(), "array".into()), ("items".to_owned(), pair.into())]);
        for (keyword, value) in node {
            let keyword = match keyword.as_str() {
                "minProperties" => "minItems",
                "maxProperties" => "maxItems",
                keyword @ ("description" | "default" | "examples") => keyword,
                _ => continue,
            };
            out.insert(keyword.to_owned(), value.clone());
        }
        reduced(&mut out, self.rules);
        note(&mut out, "Each key once.");
        Ok((ordered(out), Step::Pairs(Box::new(step))))
    }

    /// The key that the reader sees for a name.
    fn key(&self, name: &str, is_top: bool) -> String {
        match self.rules.keys {
            Keys::PortableTop if is_top => portable_key(name, b"_.-", false),
            Keys::Identifiers => portable_key(name, b"_", true),
            Keys::Any | Keys::PortableTop => name.to_owned(),
        }
    }
}

/// The names of what is required.
fn names(node: &Node) -> impl Iterator<Item = &str> {
    node.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
