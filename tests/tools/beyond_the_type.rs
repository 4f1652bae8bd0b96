//! What a schema states beyond its type is enforced; what a type does wrong on its own is refused.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use polyloop::{CallError, registry, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use crate::support::{refusal, takes};

#[derive(Debug, Deserialize, JsonSchema)]
struct Paint {
    #[schemars(extend("enum" = ["red", "blue"]))]
    colour: String,
    #[schemars(with = "u8")]
    layers: u32,
    #[schemars(inner(length(max = 3)))]
    tags: Vec<String>,
}

/// Paints.
#[tool]
async fn paint(
    /// With what.
    paint: Paint,
) -> String {
    format!("{paint:?}")
}

/// Cannot be read without harm.
#[derive(Debug, JsonSchema)]
struct Fragile(String);

impl<'de> Deserialize<'de> for Fragile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        assert!(text != "drop", "it fell");
        Ok(Self(text))
    }
}

/// Carries something.
#[tool]
async fn carry(
    /// What.
    what: Fragile,
) -> String {
    what.0
}

registry! { struct App { tools: [paint, carry] } }

#[test]
fn what_only_the_schema_states_is_enforced() {
    let paint = |colour: &str, layers: u32, tag: &str| {
        format!(r#"{{"paint":{{"colour":"{colour}","layers":{layers},"tags":["{tag}"]}}}}"#)
    };
    assert!(takes::<App>("paint", &paint("red", 255, "abc")));
    for wrong in [paint("green", 1, "a"), paint("red", 256, "a"), paint("red", 1, "abcd")] {
        assert!(!takes::<App>("paint", &wrong), "{wrong}");
    }
}

#[test]
fn a_type_that_panics_when_it_reads_is_a_refusal() {
    assert!(takes::<App>("carry", r#"{"what":"hold"}"#));
    let refused = refusal::<App>("carry", r#"{"what":"drop"}"#);
    assert!(matches!(&refused, CallError::InvalidArguments { tool, .. } if tool == "carry"));
    assert_eq!(
        refused.to_string(),
        "invalid arguments for `carry`: a type panicked when it read its argument"
    );
}

#[test]
fn what_no_json_value_holds_does_not_switch_the_check_off() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for junk in [r#""\ud800""#, "1e999", deep.as_str()] {
        let arguments = format!(r#"{{"paint":{{"colour":"green","layers":1,"tags":[],"x":{junk}}}}}"#);
        assert!(!takes::<App>("paint", &arguments), "{junk}");
        let arguments = format!(r#"{{"paint":{{"colour":"red","layers":1,"tags":[],"x":{junk}}}}}"#);
        let refused = refusal::<App>("paint", &arguments).to_string();
        assert!(refused.contains("`paint`: it holds what cannot be checked"), "{refused}");
    }
}
