//! The way down: from the canonical form to that of one reader.

use serde_json::{Value, json};

use super::canonical::{Node, ordered};
use super::decoder::{Decoder, Steps};
use super::fits::{kinds, target};
use super::measure::Measure;
use super::notes::{note, reduced};
use super::prepare::{MOST_NODES, Prepared, TOO_LARGE, prepare};
use super::rules::{Cycles, Open, Rules, Types, of};
use super::step::{Step, WHOLE};
use super::{Dialect, Lowered};
use crate::error::SchemaError;

/// A lowered node, and what was done to its values.
pub(super) type Out = Result<(Node, Step), SchemaError>;

/// The name of the definition that lists the types of JSON.
const ANY: &str = "AnyJson";

/// Where a node stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) path: String,
    /// The definition in which it stands.
    pub(super) inside: Option<String>,
    /// Whether it is below a property that is not required.
    pub(super) optional: bool,
    /// Whether it is the root.
    pub(super) top: bool,
    /// What the names of its properties stand for.
    pub(super) names: Names,
    /// Whether it is a branch of a union, whose properties tell it from the others.
    pub(super) branch: bool,
}

/// What the names of properties stand for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Names {
    #[default]
    Fields,
    /// Key and value of an entry.
    Pair,
    /// Positions of a list.
    Positions,
}

impl Place {
    /// The place of a property.
    pub(super) fn property(&self, name: &str) -> Self {
        match (self.names, name.strip_prefix("item_").and_then(|number| number.parse::<usize>().ok())) {
            (Names::Fields, _) | (Names::Positions, None) => self.below(&format!(".{name}")),
            (Names::Pair, _) => self.below(""),
            (Names::Positions, Some(number)) => self.below(&format!("[{}]", number.saturating_sub(1))),
        }
    }

    /// A place below, whose path has `more` at its end.
    pub(super) fn below(&self, more: &str) -> Self {
        let path = if self.path.is_empty() { more.trim_start_matches('.') } else { more };
        Self {
            path: format!("{}{path}", self.path),
            top: false,
            branch: false,
            names: Names::Fields,
            ..self.clone()
        }
    }
}

/// A definition on its way down.
struct Definition {
    name: String,
    /// None while it is being lowered.
    done: Option<(Node, Step)>,
}

pub(super) struct Lowering<'p> {
    pub(super) dialect: Dialect,
    pub(super) rules: &'static Rules,
    pub(super) prepared: &'p Prepared,
    definitions: Vec<Definition>,
    /// Whether something refers to the definition that lists the types of JSON.
    any: bool,
    /// How many nodes were lowered so far.
    nodes: usize,
}

/// Lowers a schema.
pub(super) fn lower(schema: &Value, dialect: Dialect) -> Result<Lowered, SchemaError> {
    let prepared = prepare(schema)?;
    let Some(rules) = of(dialect) else {
        let schema = with_definitions(prepared.root, prepared.definitions);
        return Ok(Lowered { measure: Measure::of(&schema), schema, decoder: Decoder::default() });
    };
    let mut lowering =
        Lowering { dialect, rules, prepared: &prepared, definitions: Vec::new(), any: false, nodes: 0 };
    let (root, step) = lowering.root()?;
    let (definitions, steps) = lowering.finished();
    let schema = with_definitions(root, definitions.clone());
    let measure = Measure::of(&schema);
    if measure.levels > rules.levels {
        let reason = format!(
            "objects and lists are nested {} deep, and {dialect} takes {}; flatten some of them",
            measure.levels, rules.levels
        );
        return Err(SchemaError::new("", reason));
    }
    let steps =
        Steps { root: step, definitions: steps, canonical: prepared.definitions, lowered: definitions };
    Ok(Lowered { schema, decoder: Decoder::new(steps), measure })
}

fn with_definitions(root: Node, definitions: Node) -> Value {
    let mut root = root;
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Value::Object(ordered(root))
}

impl Lowering<'_> {
    fn root(&mut self) -> Out {
        let root = &self.prepared.root;
        let is_object =
            kinds(root) == ["object"] && !root.contains_key("anyOf") && !root.contains_key("enum");
        let place = Place { top: true, ..Place::default() };
        if is_object {
            return self.object(root, &place);
        }
        let wrapped = json!({
            "type": "object", "properties": { WHOLE: root }, "required": [WHOLE], "additionalProperties": false,
        });
        let Value::Object(wrapped) = wrapped else { return Err(SchemaError::new("", "it is no schema")) };
        let (node, step) = self.object(&wrapped, &place)?;
        Ok((node, Step::Wrapped(Box::new(step))))
    }

    /// The definitions that were used, and what was done to their values.
    fn finished(self) -> (Node, Vec<Step>) {
        let mut steps = Vec::new();
        let mut nodes = Node::new();
        for definition in self.definitions {
            let (node, step) = definition.done.unwrap_or_default();
            nodes.insert(definition.name, Value::Object(node));
            steps.push(step);
        }
        if self.any {
            nodes.entry(ANY).or_insert_with(any_json);
        }
        nodes.sort_keys();
        (nodes, steps)
    }

    /// Refuses the node.
    pub(super) fn refused<T>(&self, place: &Place, fact: &str, remedy: &str) -> Result<T, SchemaError> {
        let reason = format!("{fact}, which {} does not take; {remedy}", self.dialect);
        Err(SchemaError::new(place.path.clone(), reason))
    }

    pub(super) fn node(&mut self, node: &Node, place: &Place) -> Out {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            // Some readers take no reference here, and one definition may be named very often.
            return Err(SchemaError::new("", TOO_LARGE));
        }
        if let Some(name) = node.get("$ref").and_then(Value::as_str).and_then(target) {
            return self.reference(name, place);
        }
        if let Some(Value::Array(branches)) = node.get("anyOf") {
            return self.union(node, branches, place);
        }
        match kinds(node).as_slice() {
            [] => self.untyped(node, place),
            ["object"] => self.object(node, place),
            ["array"] => self.list(node, place),
            ["null"] if self.rules.types == Types::Nullable => {
                self.refused(place, "nothing but `null` fits here", "leave it out, or take a `bool`")
            }
            [_] => Ok(self.scalar(node.clone())),
            several => self.several(node, several, place),
        }
    }

    fn reference(&mut self, name: &str, place: &Place) -> Out {
        const REMEDY: &str = "take a flat list whose entries name each other";
        let prepared = self.prepared;
        let is_circle = prepared.is_circle(place.inside.as_deref(), name);
        if self.rules.cycles == Cycles::Refused {
            return self.refused(place, &format!("`{name}` holds itself"), REMEDY);
        }
        if self.rules.cycles == Cycles::Optional && !place.optional {
            if is_circle {
                return self.refused(place, &format!("`{name}` must hold itself"), REMEDY);
            }
            let definition = prepared.definitions.get(name).and_then(Value::as_object);
            let place = Place { inside: Some(name.to_owned()), ..place.clone() };
            return definition.map_or_else(|| Ok((Node::new(), Step::Same)), |node| self.node(node, &place));
        }
        let number = match self.definitions.iter().position(|definition| definition.name == name) {
            Some(number) => number,
            None => self.define(name, place)?,
        };
        let node = Node::from_iter([("$ref".to_owned(), format!("#/$defs/{name}").into())]);
        let step = if self.is_same(number, &mut Vec::new()) { Step::Same } else { Step::Definition(number) };
        Ok((node, step))
    }

    /// Whether a definition, and each that it leads to, changes nothing. One that is on its way might.
    fn is_same(&self, number: usize, seen: &mut Vec<usize>) -> bool {
        if seen.contains(&number) {
            return true;
        }
        seen.push(number);
        let Some(Definition { done: Some((_, step)), .. }) = self.definitions.get(number) else {
            return false;
        };
        let mut leads_to = Vec::new();
        step.only_looks(&mut leads_to) && leads_to.into_iter().all(|number| self.is_same(number, seen))
    }

    fn define(&mut self, name: &str, place: &Place) -> Result<usize, SchemaError> {
        let number = self.definitions.len();
        self.definitions.push(Definition { name: name.to_owned(), done: None });
        let inside = Place { path: place.path.clone(), inside: Some(name.to_owned()), ..Place::default() };
        let done = match self.prepared.definitions.get(name) {
            Some(Value::Object(node)) => self.node(node, &inside)?,
            _ => (Node::new(), Step::Same),
        };
        if let Some(definition) = self.definitions.get_mut(number) {
            definition.done = Some(done);
        }
        Ok(number)
    }

    /// What a lowered definition became; none while it is on its way.
    pub(super) fn definition(&self, name: &str) -> Option<&Node> {
        let definition = self.definitions.iter().find(|definition| definition.name == name)?;
        definition.done.as_ref().map(|(node, _)| node)
    }

    /// A node without a `type`: what it is follows from its other keywords.
    fn untyped(&mut self, node: &Node, place: &Place) -> Out {
        let kind = if node.contains_key("properties") || node.contains_key("additionalProperties") {
            json!("object")
        } else if node.contains_key("items") || node.contains_key("prefixItems") {
            json!("array")
        } else if let Some(Value::Array(values)) = node.get("enum") {
            let mut kinds: Vec<&str> = values.iter().map(kind_of).collect();
            kinds.sort_unstable();
            kinds.dedup();
            if let [one] = kinds.as_slice() { json!(one) } else { json!(kinds) }
        } else {
            return self.open(node, place);
        };
        let mut node = node.clone();
        node.insert("type".to_owned(), kind);
        self.node(&node, place)
    }

    /// A place for any value.
    pub(super) fn open(&mut self, node: &Node, place: &Place) -> Out {
        let mut node = node.clone();
        let step = match self.rules.open {
            Open::Described => Step::Same,
            Open::Spelled => {
                if self.prepared.definitions.get(ANY).is_some_and(|other| *other != any_json()) {
                    return self.refused(place, "there is another type `AnyJson`", "rename that type");
                }
                self.any = true;
                let reference = json!([{ "$ref": format!("#/$defs/{ANY}") }]);
                node.insert("anyOf".to_owned(), reference);
                Step::Same
            }
            Open::Text => {
                node.insert("type".to_owned(), "string".into());
                note(&mut node, "Written as JSON text.");
                Step::Json
            }
            Open::Refused => return self.refused(place, "any JSON value fits here", "name its type"),
        };
        reduced(&mut node, self.rules);
        Ok((ordered(node), step))
    }

    fn scalar(&mut self, mut node: Node) -> (Node, Step) {
        let mut step = Step::Same;
        if self.rules.words_only
            && let Some(Value::Array(values)) = node.get("enum")
        {
            let words = values.iter().map(|value| (word(value), value.clone()));
            step = Step::Words(words.collect()).simplified();
            let words: Vec<Value> = values.iter().map(|value| word(value).into()).collect();
            for bound in ["minimum", "maximum"] {
                node.remove(bound);
            }
            node.insert("type".to_owned(), "string".into());
            node.insert("enum".to_owned(), words.into());
        }
        reduced(&mut node, self.rules);
        (ordered(node), step)
    }

    /// A place for values of several types.
    fn several(&mut self, node: &Node, several: &[&str], place: &Place) -> Out {
        let are_scalars = !several.iter().any(|kind| ["object", "array"].contains(kind));
        let may_list = matches!(self.rules.types, Types::Listed | Types::Scalars);
        if are_scalars && may_list {
            return Ok(self.scalar(node.clone()));
        }
        if let [kind, "null"] | ["null", kind] = several
            && self.rules.types == Types::Listed
        {
            let mut only = node.clone();
            only.insert("type".to_owned(), (*kind).into());
            let (mut lowered, step) = self.node(&only, place)?;
            if lowered.get("type") == Some(&Value::from(*kind)) {
                lowered.insert("type".to_owned(), json!(several));
                return Ok((lowered, Step::OrNull(Box::new(step)).simplified()));
            }
        }
        let branches: Vec<Value> = several.iter().filter_map(|kind| restricted(node, kind)).collect();
        let mut outside = Node::new();
        for keyword in ["description", "default", "examples"] {
            outside.extend(node.get(keyword).map(|value| (keyword.to_owned(), value.clone())));
        }
        self.union(&outside, &branches, place)
    }
}

/// A fixed value as a text.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What a node with several types says of one of them; none if no value of the type fits.
fn restricted(node: &Node, kind: &str) -> Option<Value> {
    let keywords: &[&str] = match kind {
        "object" => &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "minProperties",
            "maxProperties",
        ],
        "array" => &["items", "prefixItems", "minItems", "maxItems"],
        "string" => &["minLength", "maxLength", "pattern", "format"],
        "number" | "integer" => &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
        _ => &[],
    };
    let mut only = Node::from_iter([("type".to_owned(), kind.into())]);
    if let Some(Value::Array(values)) = node.get("enum") {
        let fits = |value: &&Value| kind == kind_of(value) || (kind == "number" && value.is_number());
        let values: Vec<Value> = values.iter().filter(fits).cloned().collect();
        if values.is_empty() {
            return None;
        }
        if kind != "null" {
            only.insert("enum".to_owned(), values.into());
        }
    }
    for keyword in keywords {
        only.extend(node.get(*keyword).map(|value| ((*keyword).to_owned(), value.clone())));
    }
    Some(Value::Object(ordered(only)))
}

fn any_json() -> Value {
    let reference = json!({ "$ref": format!("#/$defs/{ANY}") });
    json!({ "anyOf": [
        { "type": "string" }, { "type": "number" }, { "type": "boolean" }, { "type": "null" },
        { "type": "array", "items": reference },
        { "type": "object", "properties": {}, "additionalProperties": reference },
    ] })
}
