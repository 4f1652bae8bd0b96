//! What comes before lowering: a schema of any origin becomes canonical, with definitions for recursion alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::canonical::{Node, Nulls, canonical, join};
use super::fits::target;
use crate::error::SchemaError;

/// A canonical schema, taken apart.
pub(super) struct Prepared {
    pub(super) root: Node,
    pub(super) definitions: Node,
    /// For each definition those that it leads to, over any number of steps.
    leads_to: BTreeMap<String, BTreeSet<String>>,
}

impl Prepared {
    /// Whether a reference to `name`, standing in the definition `inside`, closes a circle.
    pub(super) fn is_circle(&self, inside: Option<&str>, name: &str) -> bool {
        inside.is_some_and(|inside| {
            inside == name || self.leads_to.get(name).is_some_and(|reached| reached.contains(inside))
        })
    }
}

/// The name of the definition that a schema which refers to itself becomes.
const ROOT: &str = "Arguments";

/// Makes a schema canonical.
pub(super) fn prepare(schema: &Value) -> Result<Prepared, SchemaError> {
    let mut root = schema.clone();
    let mut definitions = taken_definitions(&mut root);
    unified(&mut root, &mut definitions)?;
    let leads_to = closure(&definitions, named);
    if let Some(name) = only_itself(&definitions) {
        let reason = format!("`{name}` is nothing but itself; say what it holds");
        return Err(SchemaError::new("", reason));
    }
    let recursive: BTreeSet<&str> = in_circles(&leads_to).collect();
    let mut inlining = Inlining { definitions: &definitions, recursive: recursive.clone(), nodes: 0 };
    let root = inlining.schema(&root, 0)?;
    let mut kept = Node::new();
    for (name, schema) in definitions.iter().filter(|(name, _)| recursive.contains(name.as_str())) {
        let schema = inlining.schema(schema, 0)?;
        kept.insert(name.clone(), Value::Object(made_canonical(&schema, name)?));
    }
    let root = made_canonical(&root, "")?;
    let used = reached(&root, &kept);
    kept.retain(|name, _| used.contains(name));
    let leads_to = closure(&kept, named);
    Ok(Prepared { root, definitions: kept, leads_to })
}

fn made_canonical(schema: &Value, path: &str) -> Result<Node, SchemaError> {
    canonical(schema, path, Nulls::Stripped)
        .map_err(|(path, reason)| SchemaError::new(path.trim_start_matches('.'), reason))
}

/// Takes the definitions out of a schema, whatever they are called.
fn taken_definitions(root: &mut Value) -> Node {
    let Value::Object(node) = root else { return Node::new() };
    let mut all = Node::new();
    for keyword in ["$defs", "definitions"] {
        if let Some(Value::Object(definitions)) = node.remove(keyword) {
            all.extend(definitions);
        }
    }
    all
}

/// Writes every reference as one to a definition with a name that needs no escape.
fn unified(root: &mut Value, definitions: &mut Node) -> Result<(), SchemaError> {
    let mut refers_to_root = false;
    for schema in std::iter::once(&mut *root).chain(definitions.values_mut()) {
        each_reference(schema, &mut |reference| {
            if reference == "#" {
                refers_to_root = true;
                ROOT.clone_into(reference);
            } else if let Some(name) =
                reference.strip_prefix("#/$defs/").or_else(|| reference.strip_prefix("#/definitions/"))
            {
                *reference = name.replace("~1", "/").replace("~0", "~");
            }
        });
    }
    if refers_to_root && definitions.insert(ROOT.to_owned(), root.clone()).is_some() {
        return Err(SchemaError::new(
            "",
            format!("it has a definition `{ROOT}` and refers to itself; rename the definition"),
        ));
    }
    let names: BTreeMap<String, String> =
        definitions.keys().map(|name| (name.clone(), portable(name))).collect();
    if names.values().collect::<BTreeSet<_>>().len() != names.len() {
        return Err(SchemaError::new(
            "",
            "names of its definitions differ in punctuation only; rename one of them",
        ));
    }
    let mut lost = None;
    for schema in std::iter::once(root).chain(definitions.values_mut()) {
        each_reference(schema, &mut |reference| match names.get(reference.as_str()) {
            Some(name) => *reference = format!("#/$defs/{name}"),
            None => lost = Some(reference.clone()),
        });
    }
    if let Some(reference) = lost {
        return Err(SchemaError::new(
            "",
            format!("`{reference}` leads to no definition; put what it means there under `$defs`"),
        ));
    }
    *definitions =
        std::mem::take(definitions).into_iter().map(|(name, schema)| (portable(&name), schema)).collect();
    Ok(())
}

fn portable(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}

/// Keywords whose values are no schemas.
const DATA: [&str; 6] = ["enum", "const", "default", "examples", "required", "example"];

/// Shows every reference of a schema.
fn each_reference(schema: &mut Value, change: &mut dyn FnMut(&mut String)) {
    each_node(schema, &mut |node| {
        if let Some(Value::String(reference)) = node.get_mut("$ref") {
            change(reference);
        }
    });
}

/// Shows every node of a schema, from outside to inside.
pub(super) fn each_node(schema: &mut Value, change: &mut dyn FnMut(&mut Node)) {
    match schema {
        Value::Object(node) => {
            change(node);
            for (keyword, value) in node {
                match value {
                    _ if DATA.contains(&keyword.as_str()) => {}
                    Value::Object(named) if is_of_names(keyword) => {
                        named.values_mut().for_each(|schema| each_node(schema, change));
                    }
                    value => each_node(value, change),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|schema| each_node(schema, change)),
        _ => {}
    }
}

/// Whether a keyword holds schemas by name.
fn is_of_names(keyword: &str) -> bool {
    matches!(keyword, "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas")
}

/// The definitions that a schema names.
fn named(schema: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    each_reference(&mut schema.clone(), &mut |reference| names.extend(target(reference).map(str::to_owned)));
    names
}

/// The definitions that a schema names for the value itself, not for what is inside it.
fn places(schema: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        names.extend(schema.get("$ref").and_then(Value::as_str).and_then(target).map(str::to_owned));
        for keyword in ["anyOf", "oneOf", "allOf", "not", "if", "then", "else"] {
            match schema.get(keyword) {
                Some(Value::Array(branches)) => open.extend(branches),
                one => open.extend(one),
            }
        }
    }
    names
}

/// Which definitions a schema leads to in one step.
type Leads = fn(&Value) -> BTreeSet<String>;

/// For each definition those that it leads to, over any number of steps.
fn closure(definitions: &Node, leads: Leads) -> BTreeMap<String, BTreeSet<String>> {
    definitions
        .iter()
        .map(|(name, schema)| (name.clone(), reached_from(leads(schema), definitions, leads)))
        .collect()
}

/// A definition that leads to itself without holding anything.
pub(crate) fn only_itself(definitions: &Node) -> Option<String> {
    in_circles(&closure(definitions, places)).next().map(str::to_owned)
}

/// The definitions that lead to themselves.
fn in_circles(leads_to: &BTreeMap<String, BTreeSet<String>>) -> impl Iterator<Item = &str> {
    leads_to.iter().filter(|(name, reached)| reached.contains(*name)).map(|(name, _)| name.as_str())
}

/// The definitions that a root leads to.
fn reached(root: &Node, definitions: &Node) -> BTreeSet<String> {
    reached_from(named(&Value::Object(root.clone())), definitions, named)
}

fn reached_from(mut open: BTreeSet<String>, definitions: &Node, leads: Leads) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    while let Some(next) = open.pop_first() {
        if let Some(schema) = definitions.get(&next).filter(|_| !reached.contains(&next)) {
            open.extend(leads(schema));
        }
        reached.insert(next);
    }
    reached
}

/// How many nodes a schema may have when its definitions are put in place: one of another program may name a few
/// definitions very often.
pub(super) const MOST_NODES: usize = 50_000;
/// How deep they may be nested.
const DEEPEST: usize = 200;
pub(super) const TOO_LARGE: &str = "it is too large when its definitions are put in place; simplify it";

/// Puts definitions that do not lead to themselves in place of their references, and reads `nullable` as a type.
struct Inlining<'d> {
    definitions: &'d Node,
    recursive: BTreeSet<&'d str>,
    nodes: usize,
}

impl Inlining<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Result<Value, SchemaError> {
        self.nodes += 1;
        if self.nodes > MOST_NODES || depth > DEEPEST {
            return Err(SchemaError::new("", TOO_LARGE));
        }
        match schema {
            Value::Object(node) => self.node(node, depth + 1),
            Value::Array(list) => {
                let list = list.iter().map(|schema| self.schema(schema, depth + 1));
                list.collect::<Result<Vec<_>, _>>().map(Value::Array)
            }
            other => Ok(other.clone()),
        }
    }

    fn node(&mut self, node: &Node, depth: usize) -> Result<Value, SchemaError> {
        let definition = node.get("$ref").and_then(Value::as_str).and_then(target);
        let definition = definition.filter(|name| !self.recursive.contains(name));
        let mut out = match definition.and_then(|name| self.definitions.get(name)) {
            Some(definition) => match self.schema(definition, depth)? {
                Value::Object(definition) => definition,
                other => return Ok(other),
            },
            None => Map::new(),
        };
        let mut beside = Map::with_capacity(node.len());
        for (keyword, value) in node {
            let value = match value {
                _ if keyword == "$ref" && definition.is_some() => continue,
                value if DATA.contains(&keyword.as_str()) => value.clone(),
                Value::Object(named) if is_of_names(keyword) => {
                    let named =
                        named.iter().map(|(name, schema)| Ok((name.clone(), self.schema(schema, depth)?)));
                    Value::Object(named.collect::<Result<Map<_, _>, SchemaError>>()?)
                }
                value => self.schema(value, depth)?,
            };
            beside.insert(keyword.clone(), value);
        }
        // What stands beside a reference is said of this place, and holds as well.
        if !join(&mut beside, std::mem::take(&mut out)) {
            let name = definition.unwrap_or_default();
            let reason = format!(
                "what stands beside a reference to `{name}` differs from what that says; say it once"
            );
            return Err(SchemaError::new("", reason));
        }
        out = beside;
        if out.remove("nullable") == Some(Value::Bool(true)) {
            nullable(&mut out);
        }
        Ok(Value::Object(out))
    }
}

/// Adds `null` to what a node takes.
fn nullable(node: &mut Node) {
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        values.push(Value::Null);
    }
    if let Some(Value::String(kind)) = node.get("type") {
        let kinds = json!([kind, "null"]);
        node.insert("type".to_owned(), kinds);
    }
    if let Some(Value::Array(branches)) = node.get_mut("anyOf") {
        branches.push(json!({ "type": "null" }));
    }
}
