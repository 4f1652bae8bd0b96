//! Where a description comes from.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use polyloop::{Agent, Registry, Reply, Scripted, registry, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::support::{property, schema};

/// Above, one.
#[allow(clippy::let_and_return, reason = "an attribute between the doc and the macro")]
#[tool]
async fn doc_allow_tool() -> String {
    let text = String::new();
    text
}

/// Above, two.
#[tool]
#[allow(clippy::let_and_return, reason = "an attribute behind the macro")]
async fn doc_tool_allow() -> String {
    let text = String::new();
    text
}

#[allow(clippy::let_and_return, reason = "an attribute in front of all")]
#[tool]
/// Above, three.
async fn allow_tool_doc() -> String {
    let text = String::new();
    text
}

#[tool]
/// Above, four.
#[allow(clippy::let_and_return, reason = "an attribute at the end")]
async fn tool_doc_allow() -> String {
    let text = String::new();
    text
}

#[tool]
#[allow(clippy::let_and_return, reason = "an attribute in the middle")]
/// Above, five.
async fn tool_allow_doc() -> String {
    let text = String::new();
    text
}

/// Not this.
#[tool(description = "From the attribute.")]
async fn by_attribute() -> String {
    String::new()
}

/// First line,
/// second line.
///
///   Indented behind an empty line.
#[tool]
async fn many_lines() -> String {
    String::new()
}

/// A city, as its inhabitants spell it.
#[derive(Debug, Deserialize, JsonSchema)]
struct City {
    name: String,
}

/// Current weather.
#[tool]
async fn weather(
    /// Where to look.
    city: City,
    #[arg(description = "How many days.")] days: u8,
    /** In a block. */
    note: Option<String>,
) -> String {
    format!("{city:?} {days} {note:?}")
}

registry! {
    struct App {
        tools: [
            doc_allow_tool, doc_tool_allow, allow_tool_doc, tool_doc_allow, tool_allow_doc, by_attribute, many_lines,
            weather,
        ],
    }
}

fn description(name: &str) -> &'static str {
    App::tools().unwrap().get(name).unwrap().description
}

#[test]
fn a_doc_comment_is_the_description_for_every_order_of_attributes() {
    assert_eq!(description("doc_allow_tool"), "Above, one.");
    assert_eq!(description("doc_tool_allow"), "Above, two.");
    assert_eq!(description("allow_tool_doc"), "Above, three.");
    assert_eq!(description("tool_doc_allow"), "Above, four.");
    assert_eq!(description("tool_allow_doc"), "Above, five.");
}

#[test]
fn a_description_in_the_attribute_goes_before_the_doc_comment() {
    assert_eq!(description("by_attribute"), "From the attribute.");
}

#[test]
fn a_doc_comment_keeps_its_lines() {
    assert_eq!(description("many_lines"), "First line,\nsecond line.\n\n  Indented behind an empty line.");
}

#[test]
fn no_text_is_made_up() {
    let all = App::tools().unwrap().schema_for_model(polyloop::Dialect::Canonical).unwrap();
    for filler in ["Function to", "Parameter ", "The tool `"] {
        assert!(!all.contains(filler), "{filler}");
    }
    assert_eq!(
        property::<App>("weather", "days"),
        r#"{"type":"integer","description":"How many days.","maximum":255,"minimum":0}"#
    );
    assert_eq!(property::<App>("weather", "note"), r#"{"type":"string","description":"In a block."}"#);
}

#[tokio::test]
async fn a_parameters_description_is_in_the_schema_that_the_model_gets() {
    let model = Scripted::replies([Reply::text("done")]);
    let agent = Agent::<App>::builder(model.clone()).build().unwrap();
    agent.on(()).goal("go").await.unwrap().finish().await.unwrap();
    let requests = model.requests();
    let shown = requests[0].tools().iter().find(|tool| tool.name() == "weather").unwrap();
    assert_eq!(shown.description(), "Current weather.");
    assert_eq!(shown.parameters(), schema::<App>("weather"));
    assert!(
        shown.parameters().contains(
            r#""city":{"type":"object","description":"Where to look.\nA city, as its inhabitants spell it.""#
        ),
        "{}",
        shown.parameters()
    );
}
