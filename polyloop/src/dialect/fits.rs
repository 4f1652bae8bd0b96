//! Whether a value fits a schema, so that the branch of a union can be told. Patterns and formats are not looked at.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr::from_ref;

use serde_json::{Map, Value};

use super::canonical::Node;
use super::tree::Tree;

/// How much must be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Everything, and an object has no other keys than the listed ones.
    Exactly,
    /// Everything.
    Valid,
    /// The type, and of an object the fixed words and that what is required is there.
    Loosely,
}

/// Whether the value fits the schema, whose references lead to `definitions`.
pub(super) fn fits(schema: &Value, definitions: &Node, tree: &Tree<'_>, how: How) -> bool {
    Fit { definitions, how, known: RefCell::default() }.node(schema, tree)
}

/// The definition that a reference leads to.
pub(super) fn target(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/$defs/")
}

/// The names in a `type`.
pub(super) fn kinds(node: &Node) -> Vec<&str> {
    match node.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

struct Fit<'s> {
    definitions: &'s Node,
    how: How,
    /// Which definition which value fits, by their addresses. Alternatives may lead to one definition on many ways, and
    /// at each level again.
    known: RefCell<HashMap<(usize, usize), bool>>,
}

impl Fit<'_> {
    fn reference(&self, reference: &str, tree: &Tree<'_>) -> bool {
        let Some(definition) = target(reference).and_then(|name| self.definitions.get(name)) else {
            return false;
        };
        let place = (from_ref(definition).addr(), from_ref(tree).addr());
        let known = self.known.borrow().get(&place).copied();
        known.unwrap_or_else(|| {
            // Whoever asks on the way to the answer has gone in a circle.
            self.known.borrow_mut().insert(place, false);
            let fits = self.node(definition, tree);
            self.known.borrow_mut().insert(place, fits);
            fits
        })
    }

    fn node(&self, schema: &Value, tree: &Tree<'_>) -> bool {
        let Value::Object(node) = schema else { return schema != &Value::Bool(false) };
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            return self.reference(reference, tree);
        }
        if let Some(Value::Array(branches)) = node.get("anyOf")
            && !branches.iter().any(|branch| self.node(branch, tree))
        {
            return false;
        }
        let nullable = node.get("nullable") == Some(&Value::Bool(true));
        if nullable && *tree == Tree::Null {
            return true;
        }
        let kinds = kinds(node);
        if !kinds.is_empty() && !kinds.iter().any(|kind| is_of_kind(kind, tree)) {
            return false;
        }
        if let Some(Value::Array(values)) = node.get("enum")
            && !values.iter().any(|value| tree.is(value))
        {
            return false;
        }
        match tree {
            Tree::Object(members) => self.object(node, members),
            _ if self.how == How::Loosely => true,
            Tree::List(items) => self.list(node, items),
            Tree::Number(number, _) => number
                .as_ref()
                .is_some_and(|number| number.as_f64().is_none_or(|number| is_in_bounds(node, number))),
            Tree::Text(text) => is_in_length(node, "minLength", "maxLength", text.chars().count()),
            Tree::Null | Tree::Bool(_) => true,
        }
    }

    fn object(&self, node: &Node, members: &[(String, Tree<'_>)]) -> bool {
        let required = node.get("required").and_then(Value::as_array).into_iter().flatten();
        let is_there = |name: &Value| members.iter().any(|(key, _)| name == key);
        if !required.into_iter().all(is_there) {
            return false;
        }
        let empty = Map::new();
        let properties = node.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        members.iter().all(|(key, value)| match properties.get(key) {
            Some(Value::Object(property)) if self.how == How::Loosely => {
                let fixed = property.get("enum").and_then(Value::as_array).filter(|values| values.len() == 1);
                fixed.is_none_or(|values| values.iter().any(|fixed| value.is(fixed)))
            }
            Some(property) => self.node(property, value),
            None => self.further(node, value),
        }) && is_in_length(node, "minProperties", "maxProperties", members.len())
    }

    /// A key that is not listed.
    fn further(&self, node: &Node, value: &Tree<'_>) -> bool {
        if let Some(Value::Object(patterns)) = node.get("patternProperties") {
            return patterns.values().any(|pattern| self.node(pattern, value));
        }
        match node.get("additionalProperties") {
            _ if self.how == How::Loosely => true,
            None => self.how != How::Exactly || kinds(node).is_empty(),
            Some(schema) => self.node(schema, value),
        }
    }

    fn list(&self, node: &Node, items: &[Tree<'_>]) -> bool {
        let empty = Vec::new();
        let positions = node.get("prefixItems").and_then(Value::as_array).unwrap_or(&empty);
        let rest = node.get("items");
        let fits = items.iter().enumerate().all(|(at, item)| match (positions.get(at), rest) {
            (Some(schema), _) | (None, Some(schema)) => self.node(schema, item),
            (None, None) => true,
        });
        fits && is_in_length(node, "minItems", "maxItems", items.len())
    }
}

fn is_of_kind(kind: &str, tree: &Tree<'_>) -> bool {
    match (kind, tree) {
        ("integer", Tree::Number(Some(number), _)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        (kind, tree) => kind == tree.kind(),
    }
}

fn is_in_bounds(node: &Node, number: f64) -> bool {
    let holds = |keyword: &str, is_right: fn(f64, f64) -> bool| {
        node.get(keyword).and_then(Value::as_f64).is_none_or(|bound| is_right(number, bound))
    };
    holds("minimum", |number, bound| number >= bound)
        && holds("maximum", |number, bound| number <= bound)
        && holds("exclusiveMinimum", |number, bound| number > bound)
        && holds("exclusiveMaximum", |number, bound| number < bound)
        && holds("multipleOf", |number, bound| (number / bound).fract() == 0.0)
}

fn is_in_length(node: &Node, least: &str, most: &str, length: usize) -> bool {
    let bound = |keyword: &str| node.get(keyword).and_then(Value::as_u64);
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    bound(least).is_none_or(|least| length >= least) && bound(most).is_none_or(|most| length <= most)
}
