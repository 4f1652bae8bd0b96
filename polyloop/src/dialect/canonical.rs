//! The one form of a schema, independent of any provider.
//!
//! No `$schema`, `$id` or `title`; no numeric `format`; definitions inlined, but for recursion; unit enums as one
//! `enum`; unions as `anyOf`; no boolean schema but as `additionalProperties`. The order of the keywords is ours.

use serde_json::{Map, Value, json};

use super::form::{NOTHING, well_formed};

/// A node of a schema.
pub(crate) type Node = Map<String, Value>;

/// What cannot be described, by path.
pub(crate) type Refusal = (String, String);

/// Keywords in the order in which they are written; others follow, sorted.
const ORDER: [&str; 12] = [
    "type",
    "description",
    "enum",
    "anyOf",
    "$ref",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "default",
    "examples",
];

/// The formats of strings that readers know.
const STRING_FORMATS: [&str; 6] = ["date", "date-time", "time", "uuid", "uri", "email"];

/// Whether `null` stays in the types of optional properties: not in what a model is shown, but in what is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    Stripped,
    Kept,
}

/// Brings a schema, and everything in it, into the canonical form.
pub(crate) fn canonical(schema: &Value, path: &str, nulls: Nulls) -> Result<Node, Refusal> {
    let node = match schema {
        Value::Bool(true) => return Ok(described("any JSON value")),
        Value::Object(node) if node.is_empty() => return Ok(described("any JSON value")),
        Value::Object(node) => node.clone(),
        _ => return refused(path, NOTHING),
    };
    let mut node = merged_single(node);
    if node.contains_key("allOf") {
        return refused(
            path,
            "its schema combines several with `allOf`; flatten at most one enum into a struct",
        );
    }
    if node.contains_key("oneOf") && node.contains_key("anyOf") {
        return refused(path, "its schema has both `oneOf` and `anyOf`; keep one of them");
    }
    well_formed(&node, path)?;
    for dropped in ["$schema", "$id", "title", "$comment"] {
        node.remove(dropped);
    }
    if let Some(value) = node.remove("const") {
        node.insert("enum".to_owned(), json!([value]));
    }
    let is_text = node.get("type").is_none_or(|kind| names(kind).any(|name| name == "string"));
    if node.get("format").is_some_and(|format| {
        !is_text || format.as_str().is_none_or(|format| !STRING_FORMATS.contains(&format))
    }) {
        node.remove("format");
    }
    if let Some(reference) = node.remove("$ref") {
        if let Some(keyword) = node.keys().find(|keyword| !is_said(keyword)) {
            let reason = format!("`{keyword}` stands beside a type that holds itself; say it in that type");
            return refused(path, &reason);
        }
        return Ok(Node::from_iter([("$ref".to_owned(), reference)]));
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(Value::Array(branches)) = node.remove(keyword) {
            node = union(node, &branches, path, nulls)?;
        }
    }
    children(&mut node, path, nulls)?;
    Ok(ordered(node))
}

pub(super) fn refused<T>(path: &str, reason: &str) -> Result<T, Refusal> {
    Err((path.to_owned(), reason.to_owned()))
}

/// Whether a keyword says something of a place, and binds no value.
fn is_said(keyword: &str) -> bool {
    ["description", "title", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"]
        .contains(&keyword)
        || keyword.starts_with('$')
        || keyword.starts_with("x-")
}

/// Adds what another node says of the same values: all of both holds then. Returns whether that can be said in one node.
pub(crate) fn join(node: &mut Node, other: Node) -> bool {
    for (keyword, value) in other {
        let Some(there) = node.get_mut(&keyword) else {
            node.insert(keyword, value);
            continue;
        };
        match (keyword.as_str(), there, value) {
            ("required", Value::Array(names), Value::Array(more)) => {
                let more: Vec<Value> = more.into_iter().filter(|name| !names.contains(name)).collect();
                names.extend(more);
            }
            ("properties", Value::Object(properties), Value::Object(more)) => {
                let clash = |(name, schema): (&String, &Value)| {
                    properties.get(name).is_some_and(|there| there != schema)
                };
                if more.iter().any(clash) {
                    return false;
                }
                properties.extend(more);
            }
            (keyword, there, value) if *there != value && !is_said(keyword) => return false,
            _ => {}
        }
    }
    true
}

/// Takes `null` out of the type of what may be absent.
pub(crate) fn without_null(mut node: Node) -> Node {
    if let Some(Value::Array(kinds)) = node.get("type") {
        let kinds: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        let kind = match kinds.as_slice() {
            [one] => one.clone(),
            _ => Value::Array(kinds),
        };
        node.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(branches)) = node.get_mut("anyOf")
        && branches.iter().any(|branch| !is_null(branch))
    {
        let all = branches.len();
        branches.retain(|branch| !is_null(branch));
        if branches.len() < all
            && let [Value::Object(only)] = branches.as_slice()
        {
            let only = only.clone();
            return said_of(&node, only).unwrap_or_else(|| ordered(node));
        }
    }
    ordered(node)
}

/// The only alternative, with what is said of the place; none if that says another thing of the values.
pub(super) fn said_of(node: &Node, mut only: Node) -> Option<Node> {
    let mut node = node.clone();
    node.remove("anyOf");
    // What stands beside the union is said of the property and goes before what the type says.
    let inner = only.remove("description");
    let joined = join(&mut only, node);
    if let Some(inner) = inner {
        only.entry("description").or_insert(inner);
    }
    joined.then(|| ordered(only))
}

fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null")
}

/// Writes the keywords in the fixed order.
pub(crate) fn ordered(mut node: Node) -> Node {
    let mut out = Node::new();
    for keyword in ORDER {
        if let Some(value) = node.remove(keyword) {
            out.insert(keyword.to_owned(), value);
        }
    }
    let mut rest: Vec<(String, Value)> = node.into_iter().collect();
    rest.sort_by(|left, right| left.0.cmp(&right.0));
    out.extend(rest);
    out
}

fn described(text: &str) -> Node {
    Node::from_iter([("description".to_owned(), text.into())])
}

/// `allOf` with one entry is that entry.
fn merged_single(mut node: Node) -> Node {
    if let Some(Value::Array(parts)) = node.get("allOf")
        && let [Value::Object(only)] = parts.as_slice()
    {
        let mut merged = node.clone();
        merged.remove("allOf");
        if join(&mut merged, only.clone()) {
            node = merged;
        }
    }
    node
}

/// A union: one `enum` where all branches are fixed strings, else `anyOf`.
fn union(mut base: Node, branches: &[Value], path: &str, nulls: Nulls) -> Result<Node, Refusal> {
    if let Some(words) = words(&base, branches) {
        return Ok(words);
    }
    let mut shared = Node::new();
    for keyword in ["properties", "required"] {
        shared.extend(base.remove(keyword).map(|value| (keyword.to_owned(), value)));
    }
    if !shared.is_empty() {
        base.remove("type");
        shared.insert("type".to_owned(), "object".into());
    }
    let branches: Result<Vec<Value>, Refusal> = branches
        .iter()
        .map(|branch| {
            let branch = with_shared(branch, &shared, path)?;
            canonical(&branch, path, nulls).map(Value::Object)
        })
        .collect();
    let branches = branches?;
    if let [Value::Object(only)] = branches.as_slice()
        && !only.contains_key("$ref")
        && let Some(only) = said_of(&base, only.clone())
    {
        return Ok(only);
    }
    base.insert("anyOf".to_owned(), Value::Array(branches));
    Ok(base)
}

/// One `enum`, where all branches are fixed strings.
pub(super) fn words(base: &Node, branches: &[Value]) -> Option<Node> {
    let (values, docs) = unit_variants(branches)?;
    let mut base = base.clone();
    let mut lines: Vec<String> =
        base.get("description").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    lines.extend(docs);
    base.insert("type".to_owned(), "string".into());
    base.insert("enum".to_owned(), Value::Array(values));
    if !lines.is_empty() {
        base.insert("description".to_owned(), lines.join("\n").into());
    }
    Some(base)
}

/// The values of a union of fixed strings, and a line for each that is documented.
fn unit_variants(branches: &[Value]) -> Option<(Vec<Value>, Vec<String>)> {
    let mut values = Vec::new();
    let mut docs = Vec::new();
    for branch in branches {
        let fixed: Vec<&Value> = match (branch.get("const"), branch.get("enum")) {
            (Some(value), _) => vec![value],
            (None, Some(Value::Array(list))) => list.iter().collect(),
            _ => return None,
        };
        if fixed.iter().any(|value| !value.is_string()) {
            return None;
        }
        if let (Some(text), [value]) = (branch.get("description").and_then(Value::as_str), fixed.as_slice()) {
            docs.push(format!("`{}`: {text}", value.as_str().unwrap_or_default()));
        }
        for value in fixed {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    Some((values, docs))
}

/// Puts the properties that stand beside a union into a branch of it.
fn with_shared(branch: &Value, shared: &Node, path: &str) -> Result<Value, Refusal> {
    if shared.is_empty() {
        return Ok(branch.clone());
    }
    let mut all = shared.clone();
    match branch {
        Value::Bool(true) => {}
        Value::Object(branch) if join(&mut all, branch.clone()) => {}
        Value::Object(_) => {
            return refused(
                path,
                "what stands beside its alternatives differs from what they say; say it once",
            );
        }
        other => return Ok(other.clone()),
    }
    Ok(Value::Object(all))
}

fn children(node: &mut Node, path: &str, nulls: Nulls) -> Result<(), Refusal> {
    let required: Vec<String> = node
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    show_required(node, &required);
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        for (name, schema) in properties.iter_mut() {
            let path = format!("{path}.{name}");
            let optional = !required.contains(name);
            let mut child = canonical(schema, &path, nulls)?;
            if optional && nulls == Nulls::Stripped {
                child = without_null(child);
                // In place: removing one would move another.
                child.retain(|keyword, value| keyword != "default" || !value.is_null());
            }
            *schema = Value::Object(child);
        }
    }
    for keyword in ["items", "additionalProperties", "contains", "propertyNames", "not"] {
        if let Some(schema) = node.get_mut(keyword)
            && !(keyword == "additionalProperties" && schema.is_boolean())
        {
            *schema = Value::Object(canonical(schema, &format!("{path}[]"), nulls)?);
        }
    }
    if let Some(Value::Array(items)) = node.get_mut("prefixItems") {
        for (at, schema) in items.iter_mut().enumerate() {
            *schema = Value::Object(canonical(schema, &format!("{path}[{at}]"), nulls)?);
        }
    }
    if let Some(Value::Object(patterns)) = node.get_mut("patternProperties") {
        for schema in patterns.values_mut() {
            *schema = Value::Object(canonical(schema, &format!("{path}{{}}"), nulls)?);
        }
    }
    Ok(())
}

/// Lists what is required and nowhere described, so that it can be sent.
fn show_required(node: &mut Node, required: &[String]) {
    if node.get("type").is_none_or(|kind| kind != "object") || node.contains_key("patternProperties") {
        return;
    }
    let further = node.get("additionalProperties").cloned().unwrap_or(Value::Bool(true));
    let known = |name: &&String| node.get("properties").is_some_and(|all| all.get(name.as_str()).is_some());
    let missing: Vec<String> = required.iter().filter(|name| !known(name)).cloned().collect();
    if missing.is_empty() {
        return;
    }
    let properties = node.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.extend(missing.into_iter().map(|name| (name, further.clone())));
    }
}

/// The names in a `type`.
pub(super) fn names(kind: &Value) -> impl Iterator<Item = &str> {
    let one = kind.as_str();
    let many = kind.as_array().into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(many)
}
