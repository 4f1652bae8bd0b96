//! What a refusal says: the path, what was wanted, what came, and how much of it.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use polyloop::{CallError, registry, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{call, refusal, takes, told, wrong_paths};

static BODIES: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, Deserialize, JsonSchema)]
struct Place {
    lat: f64,
    lon: f64,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Corner {
    x: i32,
    y: i32,
}

/// Weather at a place.
#[tool]
async fn weather(
    /// Where.
    city: String,
    /// How many days.
    days: u32,
) -> String {
    format!("{city} {days}")
}

/// Draws.
#[tool]
async fn draw(
    /// Where.
    place: Place,
    /// The corners.
    points: Vec<Corner>,
    /// Colours by name.
    #[arg(default)]
    colours: BTreeMap<String, u8>,
) -> String {
    format!("{place:?} {points:?} {colours:?}")
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Bounded {
    #[schemars(range(min = 1, max = 7))]
    first: u8,
    #[schemars(regex(pattern = "^[a-z]+$"), length(max = 4))]
    word: String,
    #[serde(default)]
    #[schemars(length(max = 2))]
    list: Vec<u8>,
}

/// Has limits.
#[tool]
async fn limited(
    /// Days.
    #[arg(range(1..=7))]
    days: u8,
    /// Code.
    #[arg(pattern = "^[a-z]+$", length(..=20))]
    code: String,
    /// Inside.
    inside: Option<Bounded>,
    /// Several.
    several: Option<Vec<Bounded>>,
) -> String {
    BODIES.fetch_add(1, Ordering::SeqCst);
    format!("{days} {code} {inside:?} {several:?}")
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// What.
    query: String,
    /// How many.
    limit: Option<u8>,
}

/// Searches.
#[tool]
async fn search(#[arg(flatten)] query: Query) -> String {
    format!("{query:?}")
}

/// Takes whatever else comes.
#[tool(lenient)]
async fn relaxed(
    /// A text.
    text: String,
) -> String {
    text
}

/// Takes anything.
#[tool]
async fn anything(
    /// Anything.
    any: Value,
) -> String {
    any.to_string()
}

registry! { struct App { tools: [weather, draw, limited, search, relaxed, anything] } }

#[tokio::test]
async fn a_wrong_argument_gives_a_failed_result_that_names_it_what_came_and_what_was_wanted() {
    let called = call::<App>("weather", r#"{"city":"Oslo","days":"three"}"#).await;
    assert_eq!(
        called.shown,
        "not executed: invalid arguments for `weather`: argument `days`: invalid type: string \"three\", expected u32"
    );
    assert!(called.outcome.is_error);
    assert_eq!(called.report.answer.as_deref(), Some("done"), "the loop goes on");
}

#[test]
fn every_wrong_argument_is_listed() {
    let refused = refusal::<App>("weather", r#"{"city":3,"days":-1,"dayz":1}"#);
    let CallError::InvalidArguments { errors, .. } = &refused else { panic!("{refused}") };
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    for expected in [
        "unknown argument `dayz`; did you mean `days`?",
        "argument `city`: invalid type: integer `3`, expected a string",
        "argument `days`: invalid value: integer `-1`, expected u32",
    ] {
        assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
    }
    assert_eq!(wrong_paths::<App>("weather", "{}"), ["city", "days"]);
}

#[test]
fn a_mistake_inside_has_a_path() {
    let paths = |arguments: &str| wrong_paths::<App>("draw", arguments);
    assert_eq!(paths(r#"{"place":{"lat":"north","lon":1},"points":[]}"#), ["place.lat"]);
    assert_eq!(paths(r#"{"place":{"lat":1,"lon":1},"points":[{"x":"a","y":1}]}"#), ["points[0].x"]);
    assert_eq!(
        paths(r#"{"place":{"lat":1,"lon":1},"points":[{"x":1,"y":1},{"x":1,"y":[]}]}"#),
        ["points[1].y"]
    );
    assert_eq!(paths(r#"{"place":{"lat":1,"lon":1},"points":[],"colours":{"red":-1}}"#), ["colours.red"]);
    let refused = refusal::<App>("draw", r#"{"place":{"lat":"north","lon":1},"points":[]}"#).to_string();
    assert!(
        refused.contains("argument `place.lat`: invalid type: string \"north\", expected f64"),
        "{refused}"
    );
    let refused = refusal::<App>("draw", r#"{"place":{"lat":1},"points":[]}"#).to_string();
    assert!(refused.contains("argument `place.lon` is missing"), "{refused}");
}

#[test]
fn every_mistake_inside_one_argument_is_listed() {
    let paths = |arguments: &str| wrong_paths::<App>("draw", arguments);
    assert_eq!(paths(r#"{"place":{"lat":"a","lon":"b"},"points":[]}"#), ["place.lat", "place.lon"]);
    assert_eq!(paths(r#"{"place":{},"points":[]}"#), ["place.lat", "place.lon"]);
    let points = r#"{"place":{"lat":1,"lon":1},"points":[{"x":"a","y":1},{"y":1},{"x":1,"y":2.5}]}"#;
    assert_eq!(paths(points), ["points[0].x", "points[1].x", "points[2].y"]);
    assert_eq!(wrong_paths::<App>("search", r#"{"query":1,"limit":-1}"#), ["query", "limit"]);
    assert_eq!(wrong_paths::<App>("search", "{}"), ["query"]);
    assert_eq!(wrong_paths::<App>("search", "[]"), [""]);
}

#[tokio::test]
async fn near_misses_of_a_flattened_structs_scalars_are_taken() {
    let told = told::<App>("search", r#"{"query":"a","limit":"7"}"#).await;
    assert_eq!(told, r#"Query { query: "a", limit: Some(7) }"#);
    assert!(!takes::<App>("search", r#"{"query":"a","limit":"7","limit":"8"}"#));
    assert!(!takes::<App>("search", r#"{"query":7,"limit":"7"}"#));
}

#[test]
fn wrong_places_in_several_arguments_are_all_listed() {
    let arguments = r#"{"place":{"lat":"a","lon":1},"points":[{"x":"a","y":1}],"colours":[]}"#;
    assert_eq!(wrong_paths::<App>("draw", arguments), ["place.lat", "points[0].x", "colours"]);
}

#[test]
fn an_unknown_argument_is_refused_with_the_nearest_name() {
    let refused = refusal::<App>("weather", r#"{"city":"Oslo","days":3,"dayz":1}"#).to_string();
    assert_eq!(refused, "invalid arguments for `weather`: unknown argument `dayz`; did you mean `days`?");
    let refused = refusal::<App>("weather", r#"{"city":"Oslo","days":3,"zzzzzzzz":1}"#).to_string();
    assert!(refused.ends_with("unknown argument `zzzzzzzz`"), "{refused}");
    let refused = refusal::<App>("search", r#"{"query":"a","limt":1}"#).to_string();
    assert!(refused.contains("unknown argument `limt`; did you mean `limit`?"), "{refused}");
    assert!(takes::<App>("relaxed", r#"{"text":"a","more":[1,{}]}"#));
}

#[test]
fn an_unknown_tool_is_refused_with_the_nearest_name() {
    assert_eq!(
        refusal::<App>("wether", "{}").to_string(),
        "there is no tool `wether`; did you mean `weather`?"
    );
    assert_eq!(refusal::<App>("nope", "{}").to_string(), "there is no tool `nope`");
    assert_eq!(refusal::<App>("", "{}").to_string(), "there is no tool ``");
}

#[test]
fn an_argument_given_twice_is_refused() {
    let refused = refusal::<App>("weather", r#"{"city":"Oslo","days":1,"days":2}"#).to_string();
    assert_eq!(refused, "invalid arguments for `weather`: argument `days` is given twice");
    assert!(!takes::<App>("search", r#"{"query":"a","query":"b"}"#));
    assert!(!takes::<App>("draw", r#"{"place":{"lat":1,"lat":2,"lon":1},"points":[]}"#));
}

#[tokio::test]
async fn limits_are_enforced_before_the_body() {
    let before = BODIES.load(Ordering::SeqCst);
    let wrong = [
        (r#"{"days":99,"code":"a"}"#, "days"),
        (r#"{"days":0,"code":"a"}"#, "days"),
        (r#"{"days":1,"code":"A1"}"#, "code"),
        (r#"{"days":1,"code":"aaaaaaaaaaaaaaaaaaaaa"}"#, "code"),
        (r#"{"days":"99","code":"a"}"#, "days"),
        (r#"{"days":1,"code":"a","inside":{"first":8,"word":"a"}}"#, "inside.first"),
        (r#"{"days":1,"code":"a","inside":{"first":1,"word":"A"}}"#, "inside.word"),
        (r#"{"days":1,"code":"a","inside":{"first":1,"word":"aaaaa"}}"#, "inside.word"),
        (r#"{"days":1,"code":"a","inside":{"first":1,"word":"a","list":[1,2,3]}}"#, "inside.list"),
        (
            r#"{"days":1,"code":"a","several":[{"first":1,"word":"a"},{"first":0,"word":"a"}]}"#,
            "several[1].first",
        ),
    ];
    for (arguments, path) in wrong {
        let shown = told::<App>("limited", arguments).await;
        assert!(shown.starts_with("not executed: invalid arguments for `limited`: "), "{shown}");
        assert!(shown.contains(&format!("argument `{path}`: ")), "{arguments}: {shown}");
        assert_eq!(wrong_paths::<App>("limited", arguments), [path], "{arguments}");
    }
    assert_eq!(BODIES.load(Ordering::SeqCst), before, "no body ran");
    assert!(refusal::<App>("limited", r#"{"days":99,"code":"a"}"#).to_string().contains("maximum of 7"));
    let right = r#"{"days":7,"code":"abc","inside":{"first":1,"word":"abcd","list":[1,2]},"several":[]}"#;
    assert!(told::<App>("limited", right).await.starts_with("7 abc"));
    assert_eq!(BODIES.load(Ordering::SeqCst), before + 1);
}

#[test]
fn several_limits_broken_at_once_are_all_listed() {
    let arguments = r#"{"days":99,"code":"A","inside":{"first":9,"word":"B"}}"#;
    assert_eq!(wrong_paths::<App>("limited", arguments), ["days", "code", "inside.first", "inside.word"]);
}

#[test]
fn broken_escapes_and_text_that_is_no_unicode_are_refused() {
    for escape in [r"\ud800", r"\udc00\ud800", r"\u12", r"\x41", r"\ud83d\u0041"] {
        let arguments = format!(r#"{{"city":"{escape}","days":1}}"#);
        assert!(!takes::<App>("weather", &arguments), "{arguments}");
        let in_a_name = format!(r#"{{"{escape}":1,"city":"Oslo","days":1}}"#);
        assert!(!takes::<App>("weather", &in_a_name), "{in_a_name}");
    }
    assert!(takes::<App>("weather", r#"{"city":"\ud83d\ude00","days":1}"#));
    assert!(takes::<App>("weather", r#"{"c\u0069ty":"Oslo","days":1}"#), "an escaped name is the same name");
    assert!(!takes::<App>("weather", "{\"city\":\"a\u{1}b\",\"days\":1}"), "a control character is not JSON");
}
