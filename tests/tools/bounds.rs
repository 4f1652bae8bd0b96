//! However large what came is, a refusal is of bounded size, and nothing overflows.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use polyloop::{registry, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{refusal, takes, told};

#[derive(Debug, Deserialize, JsonSchema)]
struct Cell {
    #[schemars(range(max = 7))]
    value: u8,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Side {
    Left,
    Right,
}

/// Takes a number.
#[tool]
async fn number(
    /// A number.
    n: u32,
) -> String {
    n.to_string()
}

/// Takes a short text.
#[tool]
async fn short(
    /// A text.
    #[arg(length(..=5))]
    text: String,
) -> String {
    text
}

/// Takes cells.
#[tool]
async fn cells(
    /// Cells.
    cells: Vec<Cell>,
) -> String {
    format!("{cells:?}")
}

/// Takes a side.
#[tool]
async fn side(
    /// A side.
    side: Side,
) -> String {
    format!("{side:?}")
}

/// Takes anything.
#[tool(lenient)]
async fn anything(
    /// Anything.
    any: Option<Value>,
) -> String {
    any.unwrap_or_default().to_string()
}

registry! { struct App { tools: [number, short, cells, side, anything] } }

/// No refusal may be longer, in characters.
const LONGEST: usize = 8_000;

fn bounded(tool: &str, arguments: &str) -> String {
    let refused = refusal::<App>(tool, arguments).to_string();
    assert!(refused.chars().count() <= LONGEST, "{} characters", refused.chars().count());
    refused
}

#[test]
fn a_huge_value_is_shortened_and_what_was_wanted_stays() {
    let huge = "ä".repeat(1_000_000);
    let refused = bounded("number", &format!(r#"{{"n":"{huge}"}}"#));
    assert!(refused.contains("argument `n`: invalid type: string \"ä"), "{refused}");
    assert!(refused.contains("expected u32"), "{refused}");
    let refused = bounded("short", &format!(r#"{{"text":"{huge}"}}"#));
    assert!(refused.contains("longer than 5 characters"), "{refused}");
    let refused = bounded("side", &format!(r#"{{"side":"{huge}"}}"#));
    assert!(refused.contains("expected `left` or `right`"), "{refused}");
}

#[test]
fn a_huge_name_is_shortened() {
    let huge = "n".repeat(2_000_000);
    assert!(bounded("number", &format!(r#"{{"n":1,"{huge}":1}}"#)).contains("unknown argument `nnn"));
    assert!(bounded(&huge, "{}").starts_with("there is no tool `nnn"));
}

#[test]
fn many_mistakes_are_counted_behind_the_first_ones() {
    let many: Vec<String> = (0..5_000).map(|at| format!(r#""wrong_{at}":1"#)).collect();
    let refused = bounded("number", &format!("{{{}}}", many.join(",")));
    assert!(refused.contains("unknown argument `wrong_0`"), "{refused}");
    assert!(refused.contains("more"), "{refused}");
    let wrong = vec![r#"{"value":9}"#; 5_000].join(",");
    let refused = bounded("cells", &format!(r#"{{"cells":[{wrong}]}}"#));
    assert!(refused.contains("argument `cells[0].value`: "), "{refused}");
    assert!(refused.contains("more"), "{refused}");
}

#[test]
fn deep_nesting_is_refused_and_overflows_nothing() {
    for depth in [200, 10_000, 300_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        for tool in ["number", "short", "cells", "anything"] {
            let name = match tool {
                "number" => "n",
                "short" => "text",
                "cells" => "cells",
                _ => "any",
            };
            let refused = bounded(tool, &format!(r#"{{"{name}":{open}{close}}}"#));
            assert!(refused.contains(&format!("argument `{name}")), "{refused}");
        }
        bounded("number", &format!("{open}{close}"));
        bounded("number", &open);
        let objects = format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        bounded("number", &objects);
        let unknown = format!(r#"{{"other":{open}{close}}}"#);
        assert!(takes::<App>("anything", &unknown), "what is not read may be as deep as it likes");
    }
}

#[tokio::test]
async fn a_large_value_that_is_right_is_taken() {
    let large = "x".repeat(1_000_000);
    let told = told::<App>("anything", &format!(r#"{{"any":"{large}"}}"#)).await;
    // What is shown of the result is bounded; the call itself was taken whole.
    assert!(told.contains("xxx") && told.chars().count() <= 50_000, "{} characters", told.chars().count());
}
