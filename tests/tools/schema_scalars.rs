//! The canonical schema of scalars, lists, maps and options: exact texts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroI32;

use polyloop::{registry, tool};
use serde_json::Value;

use crate::support::{property, required, schema};

/// Needs nothing.
#[tool]
async fn nothing() -> &'static str {
    "ran"
}

/// Takes every scalar.
#[tool]
#[allow(
    clippy::many_single_char_names,
    clippy::too_many_arguments,
    reason = "what is looked at is the types"
)]
async fn scalars(
    /// An a.
    a: u8,
    /// A b.
    b: u32,
    /// A c.
    c: usize,
    /// A d.
    d: i128,
    /// An e.
    e: f32,
    /// An f.
    f: f64,
    /// A g.
    g: bool,
    /// An h.
    h: String,
    /// An i.
    i: i64,
    /// A j.
    j: char,
    /// A k.
    k: NonZeroI32,
) -> String {
    format!("{a} {b} {c} {d} {e} {f} {g} {h} {i} {j} {k}")
}

/// Takes every container.
#[tool]
#[allow(clippy::too_many_arguments, reason = "what is looked at is the types")]
async fn containers(
    /// A list.
    list: Vec<u64>,
    /// A map.
    map: BTreeMap<String, Vec<String>>,
    /// A map with numbers as keys.
    keys: HashMap<u32, bool>,
    /// A set.
    set: BTreeSet<u8>,
    /// A pair.
    pair: (i32, String),
    /// Three.
    three: [i8; 3],
    /// Some may be null.
    holes: Vec<Option<String>>,
    /// Anything.
    any: Value,
    /// A list of anything.
    anys: Vec<Value>,
) -> String {
    format!("{list:?} {map:?} {keys:?} {set:?} {pair:?} {three:?} {holes:?} {any} {anys:?}")
}

type Maybe<T> = Option<T>;

/// Takes options.
#[tool]
async fn options(
    /// A text.
    text: Option<String>,
    /// A number.
    number: Option<u32>,
    /// A list.
    list: Option<Vec<bool>>,
    /// A value.
    value: Option<Value>,
    /// An alias of an option.
    alias: Maybe<f64>,
    /// A box around an option.
    boxed: Box<Option<u8>>,
) -> String {
    format!("{text:?} {number:?} {list:?} {value:?} {alias:?} {boxed:?}")
}

registry! { struct App { tools: [nothing, scalars, containers, options] } }

#[test]
fn a_tool_without_parameters_has_a_closed_object_without_properties() {
    assert_eq!(
        schema::<App>("nothing"),
        r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
    );
}

#[test]
fn scalars_have_a_type_and_their_bounds_and_no_numeric_format() {
    let expected = [
        ("a", r#"{"type":"integer","description":"An a.","maximum":255,"minimum":0}"#),
        ("b", r#"{"type":"integer","description":"A b.","minimum":0}"#),
        ("c", r#"{"type":"integer","description":"A c.","minimum":0}"#),
        ("d", r#"{"type":"integer","description":"A d."}"#),
        ("e", r#"{"type":"number","description":"An e."}"#),
        ("f", r#"{"type":"number","description":"An f."}"#),
        ("g", r#"{"type":"boolean","description":"A g."}"#),
        ("h", r#"{"type":"string","description":"An h."}"#),
        ("i", r#"{"type":"integer","description":"An i."}"#),
        ("j", r#"{"type":"string","description":"A j.","maxLength":1,"minLength":1}"#),
        ("k", r#"{"type":"integer","description":"A k.","not":{"enum":[0]}}"#),
    ];
    for (name, text) in expected {
        assert_eq!(property::<App>("scalars", name), text);
    }
    assert!(!schema::<App>("scalars").contains("format"));
}

#[test]
fn containers_keep_what_they_state() {
    let expected = [
        ("list", r#"{"type":"array","description":"A list.","items":{"type":"integer","minimum":0}}"#),
        (
            "map",
            r#"{"type":"object","description":"A map.","additionalProperties":{"type":"array","items":{"type":"string"}}}"#,
        ),
        (
            "keys",
            r#"{"type":"object","description":"A map with numbers as keys.","additionalProperties":false,"patternProperties":{"^\\d+$":{"type":"boolean"}}}"#,
        ),
        (
            "set",
            r#"{"type":"array","description":"A set.","items":{"type":"integer","maximum":255,"minimum":0},"uniqueItems":true}"#,
        ),
        (
            "pair",
            r#"{"type":"array","description":"A pair.","prefixItems":[{"type":"integer"},{"type":"string"}],"maxItems":2,"minItems":2}"#,
        ),
        (
            "three",
            r#"{"type":"array","description":"Three.","items":{"type":"integer","maximum":127,"minimum":-128},"maxItems":3,"minItems":3}"#,
        ),
        ("holes", r#"{"type":"array","description":"Some may be null.","items":{"type":["string","null"]}}"#),
        ("any", r#"{"description":"Anything.\nany JSON value"}"#),
        (
            "anys",
            r#"{"type":"array","description":"A list of anything.","items":{"description":"any JSON value"}}"#,
        ),
    ];
    for (name, text) in expected {
        assert_eq!(property::<App>("containers", name), text);
    }
}

#[test]
fn an_optional_parameter_keeps_its_plain_type_and_is_not_required() {
    let expected = [
        ("text", r#"{"type":"string","description":"A text."}"#),
        ("number", r#"{"type":"integer","description":"A number.","minimum":0}"#),
        ("list", r#"{"type":"array","description":"A list.","items":{"type":"boolean"}}"#),
        ("value", r#"{"description":"A value.\nany JSON value"}"#),
        ("alias", r#"{"type":"number","description":"An alias of an option."}"#),
        ("boxed", r#"{"type":"integer","description":"A box around an option.","maximum":255,"minimum":0}"#),
    ];
    for (name, text) in expected {
        assert_eq!(property::<App>("options", name), text);
    }
    assert!(required::<App>("options").is_empty());
}

#[test]
fn what_is_not_optional_is_required_in_the_order_of_the_source() {
    let names = ["list", "map", "keys", "set", "pair", "three", "holes", "any", "anys"];
    assert_eq!(required::<App>("containers"), names);
    let schema: Value = serde_json::from_str(&schema::<App>("containers")).unwrap();
    let properties: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(properties, names);
}
