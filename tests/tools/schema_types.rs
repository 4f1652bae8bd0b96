//! The canonical schema of a project's own types: exact texts.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use polyloop::{registry, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{property, required, schema};

/// A place on earth.
#[derive(Debug, Deserialize, JsonSchema)]
struct Place {
    /// Degrees north.
    lat: f64,
    lon: f64,
    note: Option<String>,
    /// What is there.
    inner: Inner,
    maybe: Option<Inner>,
}

/// The inside.
#[derive(Debug, Deserialize, JsonSchema)]
struct Inner {
    /// A property with the name of a keyword.
    format: String,
    title: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Plain {
    x: i32,
}

/// A tree.
#[derive(Debug, Deserialize, JsonSchema)]
struct Tree {
    value: i64,
    /// The branches.
    children: Vec<Tree>,
    left: Option<Box<Tree>>,
}

/// Takes structs.
#[tool]
async fn structs(
    /// Where to.
    place: Place,
    /// A plain one.
    plain: Plain,
    /// Perhaps a documented one.
    perhaps: Option<Inner>,
) -> String {
    format!("{place:?} {plain:?} {perhaps:?}")
}

/// Takes what holds itself.
#[tool]
async fn recursion(
    /// The first tree.
    tree: Tree,
    /// More trees.
    trees: Option<Vec<Tree>>,
) -> String {
    format!("{tree:?} {trees:?}")
}

/// All that a search needs.
#[derive(Debug, Deserialize, JsonSchema)]
struct Search {
    /// What to look for.
    query: String,
    /// How many at most.
    #[serde(default)]
    limit: Option<u8>,
    /// Where.
    place: Option<Plain>,
}

/// Takes one struct as all of its arguments.
#[tool]
async fn flattened(#[arg(flatten)] search: Search) -> String {
    format!("{search:?}")
}

/// Takes a tree as all of its arguments.
#[tool]
async fn flat_tree(#[arg(flatten)] tree: Tree) -> String {
    format!("{tree:?}")
}

registry! { struct App { tools: [structs, recursion, flattened, flat_tree] } }

#[test]
fn definitions_are_inlined_and_the_types_doc_stands_behind_the_parameters() {
    const INNER: &str = concat!(
        r#""properties":{"format":{"type":"string","description":"A property with the name of a keyword."},"#,
        r#""title":{"type":"integer","minimum":0}},"required":["format","title"]}"#
    );
    let place = [
        r#"{"type":"object","description":"Where to.\nA place on earth.","properties":{"#,
        r#""lat":{"type":"number","description":"Degrees north."},"lon":{"type":"number"},"#,
        r#""note":{"type":"string"},"inner":{"type":"object","description":"What is there.","#,
        INNER,
        r#","maybe":{"type":"object","description":"The inside.","#,
        INNER,
        r#"},"required":["lat","lon","inner"]}"#,
    ]
    .concat();
    assert_eq!(property::<App>("structs", "place"), place);
    assert_eq!(
        property::<App>("structs", "plain"),
        r#"{"type":"object","description":"A plain one.","properties":{"x":{"type":"integer"}},"required":["x"]}"#
    );
    let perhaps =
        [r#"{"type":"object","description":"Perhaps a documented one.\nThe inside.","#, INNER].concat();
    assert_eq!(property::<App>("structs", "perhaps"), perhaps);
    assert_eq!(required::<App>("structs"), ["place", "plain"]);
}

#[test]
fn definitions_are_there_for_recursion_alone() {
    const INSIDE: &str = concat!(
        r##""properties":{"value":{"type":"integer"},"children":{"type":"array","description":"The branches.","##,
        r##""items":{"$ref":"#/$defs/Tree"}},"left":{"$ref":"#/$defs/Tree"}},"required":["value","children"]"##
    );
    let expected = [
        r#"{"type":"object","properties":{"tree":{"type":"object","description":"The first tree.\nA tree.","#,
        INSIDE,
        r#"},"trees":{"type":"array","description":"More trees.","items":{"type":"object","description":"A tree.","#,
        INSIDE,
        r#"}}},"required":["tree"],"additionalProperties":false,"$defs":{"Tree":{"type":"object","description":"A tree.","#,
        INSIDE,
        r"}}}",
    ]
    .concat();
    assert_eq!(schema::<App>("recursion"), expected);
    assert!(!schema::<App>("structs").contains("$ref"));
}

#[test]
fn a_flattened_struct_is_the_root() {
    assert_eq!(
        schema::<App>("flattened"),
        concat!(
            r#"{"type":"object","properties":{"query":{"type":"string","description":"What to look for."},"#,
            r#""limit":{"type":"integer","description":"How many at most.","maximum":255,"minimum":0},"#,
            r#""place":{"type":"object","description":"Where.","properties":{"x":{"type":"integer"}},"required":["x"]}},"#,
            r#""required":["query"],"additionalProperties":false}"#
        )
    );
}

/// Every `$ref` of a schema, and whether it stands alone.
fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(node) => {
            if let Some(reference) = node.get("$ref") {
                assert_eq!(node.len(), 1, "a reference stands alone: {schema}");
                found.push(reference.as_str().unwrap().to_owned());
            }
            node.values().for_each(|value| references(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_reference_is_bare_and_resolves_from_the_root() {
    for (tool, _) in <App as polyloop::Registry>::tools().unwrap().tools() {
        let root: Value = serde_json::from_str(&schema::<App>(tool)).unwrap();
        let mut found = Vec::new();
        references(&root, &mut found);
        assert_eq!(found.is_empty(), !tool.contains("tree") && tool != "recursion", "{tool}");
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(root.pointer(pointer).is_some_and(Value::is_object), "{reference}");
        }
    }
}
