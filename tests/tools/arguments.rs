//! Arguments as models really send them.

use std::collections::BTreeMap;

use polyloop::{registry, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{call, refusal, takes, told, wrong_paths};

/// Needs nothing.
#[tool]
async fn nothing() -> &'static str {
    "ran"
}

/// Needs a city.
#[tool]
async fn weather(
    /// Where.
    city: String,
    /// How many days.
    #[arg(default = 3)]
    days: u32,
) -> String {
    format!("{city} {days}")
}

/// May take a note.
#[tool]
async fn remark(
    /// What to remember.
    note: Option<String>,
) -> String {
    format!("{note:?}")
}

/// Adds two numbers.
#[tool]
async fn add(
    /// One.
    a: i32,
    /// The other.
    b: i32,
) -> String {
    (a + b).to_string()
}

/// Takes scalars.
#[tool]
async fn scalars(
    /// Unsigned.
    unsigned: Option<u8>,
    /// Signed.
    signed: Option<i64>,
    /// Number.
    number: Option<f64>,
    /// Boolean.
    boolean: Option<bool>,
    /// Text.
    text: Option<String>,
    /// Big.
    big: Option<i128>,
) -> String {
    format!("{unsigned:?} {signed:?} {number:?} {boolean:?} {text:?} {big:?}")
}

/// A point.
#[derive(Debug, Deserialize, JsonSchema)]
struct Point {
    x: i32,
    label: Option<String>,
}

/// Takes everything else.
#[tool]
async fn others(
    /// A point.
    point: Point,
    /// Anything.
    any: Value,
    /// A map.
    map: BTreeMap<String, i32>,
) -> String {
    format!("{} {:?} {any} {map:?}", point.x, point.label)
}

registry! { struct App { tools: [nothing, weather, remark, add, scalars, others] } }
registry! { struct Exactly { tools: [nothing, weather, remark, add, scalars], scalars: exact } }

#[tokio::test]
async fn empty_text_white_space_null_and_an_empty_object_mean_no_arguments() {
    for none in ["", "  ", "\n\t", "null", " null ", "{}", " { } "] {
        assert_eq!(told::<App>("nothing", none).await, "ran", "{none:?}");
        assert_eq!(told::<App>("remark", none).await, "None", "{none:?}");
        let refused = refusal::<App>("weather", none).to_string();
        assert_eq!(refused, "invalid arguments for `weather`: argument `city` is missing", "{none:?}");
    }
}

#[test]
fn anything_but_an_object_is_refused() {
    for wrong in [r#"["Oslo",3]"#, r#""Oslo""#, "3", "true", "[]", r#""{\"city\":\"Oslo\"}""#] {
        let refused = refusal::<App>("weather", wrong).to_string();
        assert_eq!(refused, "invalid arguments for `weather`: arguments must be a JSON object", "{wrong}");
        assert!(!takes::<App>("nothing", wrong), "{wrong}");
    }
    for broken in ["{", r#"{"city":"Oslo""#, r#"{"city":"Oslo"} x"#, "{city: 1}", r#"{"city":"Oslo",}"#] {
        let refused = refusal::<App>("weather", broken).to_string();
        assert!(refused.contains("not valid JSON"), "{broken}: {refused}");
        assert_eq!(wrong_paths::<App>("weather", broken), [""], "one mistake, not several: {broken}");
    }
    let refused = refusal::<App>("weather", "Oslo").to_string();
    assert!(refused.ends_with("arguments must be a JSON object, and these are not JSON"), "{refused}");
}

#[tokio::test]
async fn absent_and_null_both_mean_none() {
    assert_eq!(told::<App>("remark", "{}").await, "None");
    assert_eq!(told::<App>("remark", r#"{"note":null}"#).await, "None");
    assert_eq!(told::<App>("remark", r#"{"note":"x"}"#).await, r#"Some("x")"#);
    assert_eq!(told::<App>("remark", r#"{"note":"null"}"#).await, r#"Some("null")"#);
    let others = r#"{"point":{"x":1,"label":null},"any":null,"map":{}}"#;
    assert_eq!(told::<App>("others", others).await, "1 None null {}");
}

#[tokio::test]
async fn a_default_stands_for_what_is_absent_or_null_and_for_nothing_else() {
    assert_eq!(told::<App>("weather", r#"{"city":"Oslo"}"#).await, "Oslo 3");
    assert_eq!(told::<App>("weather", r#"{"city":"Oslo","days":null}"#).await, "Oslo 3");
    assert_eq!(told::<App>("weather", r#"{"city":"Oslo","days":0}"#).await, "Oslo 0");
    assert_eq!(wrong_paths::<App>("weather", r#"{"city":"Oslo","days":"x"}"#), ["days"]);
    assert_eq!(wrong_paths::<App>("weather", r#"{"city":null}"#), ["city"], "null is no text");
}

#[tokio::test]
async fn near_misses_of_scalars_are_taken() {
    let near = r#"{"unsigned":"3","signed":3.0,"number":"0.5","boolean":"true","big":"-9"}"#;
    assert_eq!(told::<App>("scalars", near).await, "Some(3) Some(3) Some(0.5) Some(true) None Some(-9)");
    let more = r#"{"unsigned":255.00,"signed":"-3","number":"1e3","boolean":"false"}"#;
    assert_eq!(told::<App>("scalars", more).await, "Some(255) Some(-3) Some(1000.0) Some(false) None None");
    assert_eq!(told::<App>("add", r#"{"a":"1","b":2}"#).await, "3");
}

#[test]
fn what_is_no_near_miss_is_refused() {
    let wrong = [
        ("unsigned", "3.5"),
        ("unsigned", r#""3x""#),
        ("unsigned", "-1"),
        ("unsigned", r#""-1""#),
        ("unsigned", "-1.0"),
        ("unsigned", "256"),
        ("unsigned", r#""256""#),
        ("unsigned", "true"),
        ("unsigned", r#""""#),
        ("unsigned", "[3]"),
        ("signed", "9223372036854775808"),
        ("signed", r#""3.5""#),
        ("number", r#""NaN""#),
        ("number", r#""inf""#),
        ("number", "1e999"),
        ("number", r#""1e999""#),
        ("boolean", "1"),
        ("boolean", r#""yes""#),
        ("boolean", r#""True""#),
        ("text", "3"),
        ("text", "true"),
        ("text", "{}"),
    ];
    for (name, value) in wrong {
        let arguments = format!(r#"{{"{name}":{value}}}"#);
        assert_eq!(wrong_paths::<App>("scalars", &arguments), [name], "{arguments}");
    }
}

#[test]
fn near_misses_are_taken_at_the_top_level_only() {
    assert!(takes::<App>("others", r#"{"point":{"x":1},"any":1,"map":{"a":1}}"#));
    assert_eq!(wrong_paths::<App>("others", r#"{"point":{"x":"1"},"any":1,"map":{}}"#), ["point.x"]);
    assert_eq!(wrong_paths::<App>("others", r#"{"point":{"x":1},"any":1,"map":{"a":"1"}}"#), ["map.a"]);
}

#[test]
fn one_switch_turns_near_misses_off() {
    for (tool, near) in [
        ("add", r#"{"a":"1","b":2}"#),
        ("add", r#"{"a":1.0,"b":2}"#),
        ("scalars", r#"{"number":"0.5"}"#),
        ("scalars", r#"{"boolean":"true"}"#),
    ] {
        assert!(takes::<App>(tool, near), "{near}");
        assert!(!takes::<Exactly>(tool, near), "{near}");
    }
    assert!(takes::<Exactly>("add", r#"{"a":1,"b":2}"#));
    assert!(takes::<Exactly>("nothing", ""), "no arguments are no near miss");
}

#[tokio::test]
async fn a_missing_argument_is_never_a_zero() {
    let called = call::<App>("add", r#"{"a":1}"#).await;
    assert_eq!(called.shown, "not executed: invalid arguments for `add`: argument `b` is missing");
    assert_eq!(called.report.actions, 0);
}
