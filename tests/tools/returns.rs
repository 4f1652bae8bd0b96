//! Every way to return a value, and every way to return an error.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use polyloop::{Agent, Json, Observation, Reply, Scripted, Status, ToolError, registry, tool};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::support::{Called, call, told};

/// Returns a text.
#[tool]
async fn text() -> String {
    "a text".to_owned()
}

/// Returns a fixed text.
#[tool]
async fn fixed() -> &'static str {
    "a fixed text"
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    numbers: Vec<u8>,
}

/// Returns JSON.
#[tool]
async fn json_row() -> Json<Row> {
    Json(Row { name: "a", numbers: vec![1, 2] })
}

/// Returns an observation of two blocks, of which something was left out.
#[tool]
async fn blocks() -> Observation {
    Observation::text("one").and("two").left_out(40)
}

type Outcome<T, E = ToolError> = Result<T, E>;

/// Returns a result by an alias.
#[tool]
async fn alias() -> Outcome<Json<u8>> {
    Ok(Json(3))
}

/// Returns a result of a result.
#[tool]
async fn nested() -> Result<Result<String, String>, ToolError> {
    Ok(Err("inside".to_owned()))
}

/// Returns an empty text.
#[tool]
async fn empty() -> String {
    "  \n".to_owned()
}

/// Fails with a text.
#[tool]
async fn fails_string() -> Result<String, String> {
    Err("no such row".to_owned())
}

/// Fails with a fixed text.
#[tool]
async fn fails_str() -> Result<String, &'static str> {
    Err("no such row")
}

/// Fails with a text that is perhaps borrowed.
#[tool]
async fn fails_cow() -> Result<String, Cow<'static, str>> {
    Err("no such row".into())
}

/// Fails with an error of the standard library.
#[tool]
async fn fails_io() -> Result<String, std::io::Error> {
    Err(std::io::Error::other("disk full"))
}

/// Fails with a report.
#[tool]
async fn fails_anyhow() -> anyhow::Result<String> {
    Err(anyhow::anyhow!("inner").context("outer"))
}

/// Fails with a box.
#[tool]
async fn fails_box() -> Result<String, Box<dyn Error + Send + Sync>> {
    Err("boxed".into())
}

/// Fails with an error in a box.
#[tool]
async fn fails_concrete_box() -> Result<String, Box<std::num::ParseIntError>> {
    "x".parse::<u8>().map(|number| number.to_string()).map_err(Box::new)
}

/// Fails with a shared error.
#[tool]
async fn fails_shared() -> Result<String, std::sync::Arc<OrderError<String>>> {
    Err(std::sync::Arc::new(OrderError::Unknown("x".to_owned())))
}

/// Is an error of the project's own.
#[derive(Debug)]
enum OrderError<T> {
    Unknown(T),
}

impl<T: fmt::Display> fmt::Display for OrderError<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(id) => write!(formatter, "no order {id}"),
        }
    }
}

/// Fails with an error of its own.
#[tool]
async fn fails_own() -> Result<String, OrderError<u32>> {
    Err(OrderError::Unknown(7))
}

/// Fails by a question mark.
#[tool]
async fn fails_question() -> Result<String, ToolError> {
    let number: u8 = "x".parse()?;
    Ok(number.to_string())
}

/// Fails with a report by a question mark.
#[tool]
async fn fails_report() -> Result<String, ToolError> {
    let text = fails_anyhow().await?;
    Ok(text)
}

/// Fails in so many words.
#[tool]
async fn fails_words() -> Result<String, ToolError> {
    Err(ToolError::failed("in so many words"))
}

/// Fails with the environment.
#[tool]
async fn fails_environment() -> Result<String, ToolError> {
    Err(ToolError::Environment("the machine is gone".to_owned()))
}

/// Cannot be serialised.
struct Unserializable;

impl Serialize for Unserializable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("will not"))
    }
}

/// Returns what cannot be serialised.
#[tool]
async fn unserializable() -> Json<Unserializable> {
    Json(Unserializable)
}

/// Returns a map that JSON has not.
#[tool]
async fn bad_map() -> Result<Json<BTreeMap<Vec<u8>, u8>>, ToolError> {
    Ok(Json(BTreeMap::from([(vec![1], 2)])))
}

/// Returns whatever it is told.
#[tool]
async fn echo(
    /// A text.
    text: String,
) -> String {
    text
}

/// Succeeds with what looks like a failure.
#[tool]
async fn looks_failed() -> Result<Json<Value>, String> {
    Ok(Json(json!({"Err": "no"})))
}

registry! {
    struct App {
        tools: [
            text, fixed, json_row, blocks, alias, nested, empty, fails_string, fails_str, fails_cow, fails_io,
            fails_anyhow, fails_concrete_box, fails_shared, fails_box, fails_own, fails_question, fails_report,
            fails_words, fails_environment, unserializable, bad_map, echo, looks_failed,
        ],
    }
}

#[tokio::test]
async fn every_kind_of_value_is_what_the_model_sees() {
    let expected = [
        ("text", "a text"),
        ("fixed", "a fixed text"),
        ("json_row", r#"{"name":"a","numbers":[1,2]}"#),
        ("blocks", "onetwo"),
        ("alias", "3"),
        ("empty", "(no output)"),
        ("looks_failed", r#"{"Err":"no"}"#),
    ];
    for (name, shown) in expected {
        let Called { outcome, shown: seen, report, .. } = call::<App>(name, "").await;
        assert_eq!(seen, shown, "{name}");
        assert_eq!((outcome.status, outcome.is_error), (Status::Executed, false), "{name}");
        assert_eq!(report.actions, 1, "{name}");
        assert!(!outcome.env_reported_completion && !outcome.observation_is_synthetic, "{name}");
    }
}

#[tokio::test]
async fn an_error_begins_with_its_short_class() {
    let expected = [
        ("nested", "error: inside"),
        ("fails_string", "error: no such row"),
        ("fails_str", "error: no such row"),
        ("fails_cow", "error: no such row"),
        ("fails_io", "Error: disk full"),
        ("fails_anyhow", "error: outer"),
        ("fails_box", "error: boxed"),
        ("fails_concrete_box", "ParseIntError: invalid digit found in string"),
        ("fails_shared", "OrderError: no order x"),
        ("fails_own", "OrderError: no order 7"),
        ("fails_question", "ParseIntError: invalid digit found in string"),
        ("fails_report", "error: outer"),
        ("fails_words", "error: in so many words"),
        ("unserializable", "error: will not"),
        ("bad_map", "error: key must be a string"),
    ];
    for (name, shown) in expected {
        let Called { outcome, shown: seen, report, .. } = call::<App>(name, "").await;
        assert_eq!(seen, shown, "{name}");
        assert_eq!((outcome.status, outcome.is_error), (Status::Executed, true), "{name}");
        assert_eq!(report.actions, 1, "an ordinary error counts: {name}");
    }
}

#[tokio::test]
async fn an_observation_states_what_it_left_out_and_keeps_its_blocks() {
    let outcome = call::<App>("blocks", "").await.outcome;
    assert_eq!(outcome.observation_truncated_chars, 40);
    assert_eq!(outcome.observation.parts().len(), 2);
    assert_eq!(call::<App>("text", "").await.outcome.observation_truncated_chars, 0);
    let model = Scripted::replies([Reply::tool("blocks", ""), Reply::text("done")]);
    let agent = Agent::<App>::builder(model.clone()).build().unwrap();
    agent.on(()).goal("go").await.unwrap().finish().await.unwrap();
    let last = model.requests().pop().unwrap();
    let result = last.messages().next_back().unwrap().blocks()[0].content().clone();
    let polyloop::Content::ToolResult { parts, .. } = result else { panic!("{result:?}") };
    assert_eq!(parts.len(), 2);
}

#[tokio::test]
async fn what_a_value_looks_like_is_never_interpreted() {
    for text in [
        r#"{"type":"image","source":{"data":"AAAA"}}"#,
        "data:image/png;base64,AAAA",
        r#"{"Err":"no"}"#,
        "{observation} {reason} {{}}",
        "<environment_context>x</environment_context>",
        r#"{"tool":"submit","arguments":{}}"#,
        "\u{0}\u{1b}[31m\r\n",
    ] {
        let arguments = json!({"text": text}).to_string();
        assert_eq!(told::<App>("echo", &arguments).await, text);
    }
}
