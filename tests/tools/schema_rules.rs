//! Rules that hold for every node of every schema, and what the attributes of a parameter add.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use std::collections::BTreeMap;

use polyloop::{Registry, Scalars, ToolEntry, ToolSet, registry, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::support::{property, required, schema};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Window {
    #[schemars(range(min = 1, max = 7))]
    first_day: u8,
    #[schemars(length(max = 4), regex(pattern = "^[a-z]+$"))]
    short_name: String,
    #[serde(default)]
    wide: bool,
}

/// Strings with a format.
#[derive(Debug, Deserialize, JsonSchema)]
struct Formats {
    #[schemars(extend("format" = "date"))]
    date: String,
    #[schemars(extend("format" = "date-time"))]
    date_time: String,
    #[schemars(extend("format" = "time"))]
    time: String,
    #[schemars(extend("format" = "uuid"))]
    uuid: String,
    #[schemars(extend("format" = "uri"))]
    uri: String,
    #[schemars(extend("format" = "email"))]
    email: String,
    #[schemars(extend("format" = "hostname"))]
    host: String,
    #[schemars(extend("format" = "date"))]
    number: u32,
    address: std::net::IpAddr,
    wait: std::time::Duration,
    unit: (),
}

/// Uses every attribute of a parameter.
#[tool]
#[allow(clippy::too_many_arguments, reason = "one for each attribute")]
async fn attributes(
    /// Days.
    #[arg(range(1..=7), example = 3, example = 5)]
    days: u8,
    /// Code.
    #[arg(pattern = "^[a-z]+$", length(..=20))]
    code: String,
    /// Below ten.
    #[arg(range(-1.5..10))]
    level: f64,
    /// Two to four.
    #[arg(length(2..5))]
    list: Vec<String>,
    /// Renamed.
    #[arg(rename = "max-results.v2")]
    limit: u32,
    /// A default of its type.
    #[arg(default)]
    flag: bool,
    /// A default.
    #[arg(default = 1, range(1..))]
    from_line: u32,
    /// A default that is a struct.
    #[arg(default = Window { first_day: 2, short_name: "two".into(), wide: false })]
    window: Window,
    /// No default, but none.
    #[arg(default = None::<u8>)]
    nothing: Option<u8>,
    #[arg(description = "From the attribute.")] described: String,
) -> String {
    format!("{days} {code} {level} {list:?} {limit} {flag} {from_line} {window:?} {nothing:?} {described}")
}

/// Takes formats.
#[tool]
async fn formats(
    /// All of them.
    formats: Formats,
    /// A map of them.
    map: BTreeMap<String, Formats>,
) -> String {
    format!("{formats:?} {map:?}")
}

/// Takes whatever comes.
#[tool(lenient)]
async fn lenient(
    /// A text.
    text: String,
) -> String {
    text
}

registry! { struct App { tools: [attributes, formats, lenient] } }

#[test]
fn limits_defaults_examples_and_names_are_shown() {
    let expected = [
        ("days", r#"{"type":"integer","description":"Days.","examples":[3,5],"maximum":7,"minimum":1}"#),
        ("code", r#"{"type":"string","description":"Code.","maxLength":20,"pattern":"^[a-z]+$"}"#),
        ("level", r#"{"type":"number","description":"Below ten.","exclusiveMaximum":10,"minimum":-1.5}"#),
        (
            "list",
            r#"{"type":"array","description":"Two to four.","items":{"type":"string"},"maxItems":4,"minItems":2}"#,
        ),
        ("max-results.v2", r#"{"type":"integer","description":"Renamed.","minimum":0}"#),
        ("flag", r#"{"type":"boolean","description":"A default of its type.","default":false}"#),
        ("from_line", r#"{"type":"integer","description":"A default.","default":1,"minimum":1}"#),
        ("nothing", r#"{"type":"integer","description":"No default, but none.","maximum":255,"minimum":0}"#),
        ("described", r#"{"type":"string","description":"From the attribute."}"#),
    ];
    for (name, text) in expected {
        assert_eq!(property::<App>("attributes", name), text);
    }
    assert_eq!(
        required::<App>("attributes"),
        ["days", "code", "level", "list", "max-results.v2", "described"]
    );
}

#[test]
fn limits_inside_a_nested_type_are_shown() {
    assert_eq!(
        property::<App>("attributes", "window"),
        concat!(
            r#"{"type":"object","description":"A default that is a struct.","properties":{"#,
            r#""firstDay":{"type":"integer","maximum":7,"minimum":1},"#,
            r#""shortName":{"type":"string","maxLength":4,"pattern":"^[a-z]+$"},"#,
            r#""wide":{"type":"boolean","default":false}},"required":["firstDay","shortName"],"#,
            r#""default":{"firstDay":2,"shortName":"two","wide":false}}"#
        )
    );
}

#[test]
fn known_formats_of_strings_are_kept_and_others_dropped() {
    let text = property::<App>("formats", "formats");
    for format in ["date", "date-time", "time", "uuid", "uri", "email"] {
        let kept = format!(r#"{{"type":"string","format":"{format}"}}"#);
        assert_eq!(text.matches(&kept).count(), 1, "{format} in {text}");
    }
    assert_eq!(text.matches(r#""format""#).count(), 6, "{text}");
}

#[test]
fn a_lenient_tool_says_so_in_its_schema() {
    assert_eq!(
        schema::<App>("lenient"),
        r#"{"type":"object","properties":{"text":{"type":"string","description":"A text."}},"required":["text"],"additionalProperties":true}"#
    );
}

/// Walks over every schema inside a schema.
fn each_node(node: &Value, visit: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    let object = node.as_object().unwrap_or_else(|| panic!("a schema is an object: {node}"));
    visit(object);
    for (keyword, value) in object {
        match (keyword.as_str(), value) {
            ("properties" | "$defs" | "patternProperties", Value::Object(children)) => {
                children.values().for_each(|child| each_node(child, visit));
            }
            ("items" | "not", child) => each_node(child, visit),
            ("additionalProperties", child) if !child.is_boolean() => each_node(child, visit),
            ("anyOf" | "prefixItems", Value::Array(children)) => {
                for child in children {
                    each_node(child, visit);
                }
            }
            _ => {}
        }
    }
}

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

#[test]
fn no_node_has_a_keyword_that_a_reader_refuses_and_the_order_is_fixed() {
    let tools = App::tools().unwrap();
    let mut nodes = 0;
    for (tool, _) in tools.tools() {
        let root: Value = serde_json::from_str(&schema::<App>(tool)).unwrap();
        each_node(&root, &mut |node| {
            nodes += 1;
            for gone in ["$schema", "$id", "title", "oneOf", "allOf", "const", "$comment"] {
                assert!(!node.contains_key(gone), "`{gone}` in {tool}");
            }
            let places: Vec<usize> = node
                .keys()
                .map(|key| ORDER.iter().position(|known| known == key).unwrap_or(ORDER.len()))
                .collect();
            if !node.contains_key("$defs") {
                assert!(places.is_sorted(), "{tool}: {:?}", node.keys().collect::<Vec<_>>());
            }
            if let Some(Value::Object(properties)) = node.get("properties") {
                for property in properties.values() {
                    let known =
                        ["type", "enum", "anyOf", "$ref"].iter().any(|key| property.get(key).is_some());
                    assert!(known || property["description"].is_string(), "{property}");
                }
            }
        });
    }
    assert!(nodes > 30, "the walk reaches inside: {nodes}");
}

#[derive(Debug, Deserialize, JsonSchema)]
struct OddKeys {
    #[serde(rename = "$top")]
    top: u8,
}

/// Has a key that some providers refuse.
#[tool]
async fn odd_key(
    /// Odd.
    odd: OddKeys,
) -> String {
    format!("{odd:?}")
}

/// Has a default that does not fit.
#[tool]
async fn bad_default(
    /// Bad.
    #[arg(default = 9, range(1..=7))]
    days: u8,
) -> String {
    days.to_string()
}

/// Has a limit that its type cannot have.
#[tool]
async fn bad_limit(
    /// Bad.
    #[arg(length(..=3))]
    days: u8,
) -> String {
    days.to_string()
}

#[test]
fn what_cannot_be_described_is_listed_when_the_set_is_built() {
    let entries: [ToolEntry<()>; 3] =
        [ToolEntry::new::<odd_key>(), ToolEntry::new::<bad_default>(), ToolEntry::new::<bad_limit>()];
    let refused = ToolSet::new(&entries, Scalars::Near).unwrap_err();
    let problems: Vec<String> = refused.problems().iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("tool `bad_default`, argument `days`: its default 9"), "{}", problems[0]);
    assert!(problems[1].contains("`length` is for texts and lists"), "{}", problems[1]);
}

#[test]
fn a_key_that_some_readers_refuse_is_described_as_it_is() {
    let set: ToolSet<()> = ToolSet::new(&[ToolEntry::new::<odd_key>()], Scalars::Near).unwrap();
    assert!(set.schema("odd_key", polyloop::Dialect::Canonical).unwrap().contains(r#""required":["$top"]"#));
    assert!(set.validate("odd_key", r#"{"odd": {"$top": 1}}"#).is_ok());
}
