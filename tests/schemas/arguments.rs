//! A tool for each type that an argument may have.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU32;

use polyloop::{registry, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Declares a tool for each type, the registry of all, and a value for each.
macro_rules! arguments {
    ($($name:ident: $(#[$option:meta])* $of:ty = $value:literal;)+) => {
        $(
            /// Takes one argument.
            #[tool]
            async fn $name(
                /// The argument.
                $(#[$option])*
                value: $of,
            ) -> String {
                format!("{value:?}")
            }
        )+

        registry! {
            /// Every tool.
            pub(crate) struct Arguments { tools: [$($name),+] }
        }

        /// Name of the tool, type of its argument, a value of it as JSON text.
        pub(crate) const TYPES: &[(&str, &str, &str)] =
            &[$((stringify!($name), stringify!($(#[$option])* $of), $value)),+];
    };
}

arguments! {
    text: String = r#""a text""#;
    truth: bool = "true";
    letter: char = r#""x""#;
    byte: u8 = "255";
    natural: u64 = "18446744073709551615";
    large: u128 = "340282366920938463463374607431768211455";
    signed: i64 = "-5";
    float: f64 = "0.1";
    not_zero: NonZeroU32 = "1";
    optional_text: Option<String> = r#""x""#;
    optional_number: Option<u32> = "7";
    defaulted: #[arg(default = 5)] u32 = "6";
    ranged: #[arg(range(1..=10))] u32 = "3";
    lengthy: #[arg(length(1..=40))] String = r#""x""#;
    patterned: #[arg(pattern = "^[a-z]+$")] String = r#""abc""#;
    unit: () = "null";
    list: Vec<String> = r#"["a", "b"]"#;
    list_of_options: Vec<Option<u32>> = "[1, null]";
    nested_list: Vec<Vec<f64>> = "[[1.5], []]";
    array: [u8; 3] = "[1, 2, 3]";
    set: BTreeSet<String> = r#"["a", "b"]"#;
    pair: (String, u32) = r#"["a", 1]"#;
    list_of_pairs: Vec<(f64, f64)> = "[[1.5, 2.5]]";
    map: BTreeMap<String, Vec<String>> = r#"{"a": ["b"], "$c": []}"#;
    hash_map: HashMap<String, f64> = r#"{"a": 1.5}"#;
    numbered_map: BTreeMap<u32, String> = r#"{"7": "a"}"#;
    map_by_enum: BTreeMap<Unit, u32> = r#"{"celsius": 1}"#;
    map_of_maps: BTreeMap<String, BTreeMap<String, Place>> = r#"{"a": {"b": {"lat": 1.5, "lon": 2.5}}}"#;
    any: Value = r#"{"anything": [1, null]}"#;
    optional_any: Option<Value> = "[]";
    any_object: serde_json::Map<String, Value> = r#"{"anything": 1}"#;
    structure: Place = r#"{"lat": 1.5, "lon": 2.5, "note": "x"}"#;
    nested_structure: Trip = r#"{"from": {"lat": 1.5, "lon": 2.5}, "over": []}"#;
    optional_structure: Option<Place> = r#"{"lat": 1.5, "lon": 2.5}"#;
    empty_structure: Nothing = "{}";
    newtype: Kilometres = "1.5";
    tuple_structure: Corner = "[1, 2]";
    structure_with_defaults: Options = r#"{"depth": 4}"#;
    structure_with_renamed_fields: Window = r#"{"firstDay": 1, "type": "x"}"#;
    structure_with_odd_keys: Query = r#"{"$top": 1, "filter[id]": "a", "with space": "x",
        "a_key_of_more_than_sixty_four_characters_which_not_every_reader_takes_as_it_is": true}"#;
    structure_with_a_flattened_structure: Labelled = r#"{"label": "x", "lat": 1.5, "lon": 2.5}"#;
    structure_with_a_flattened_enum: Beside = r#"{"name": "x", "kind": "circle", "radius": 1.5}"#;
    structure_with_a_flattened_map: Headers = r#"{"method": "GET", "accept": "x"}"#;
    words: Unit = r#""celsius""#;
    documented_words: Level = r#""high""#;
    optional_word: Option<Level> = r#""low""#;
    numbers_by_name: Port = "443";
    externally_tagged: External = r#"{"Named": {"a": "x"}}"#;
    internally_tagged: Shape = r#"{"kind": "circle", "radius": 1.5}"#;
    adjacently_tagged: Adjacent = r#"{"t": "Number", "c": 5}"#;
    untagged: Untagged = r#"{"start": 1}"#;
    list_of_enums: Vec<Shape> = r#"[{"kind": "point"}]"#;
    tree: Tree = r#"{"value": 1, "children": [{"value": 2, "children": []}]}"#;
    chain: Chain = r#"{"value": 1, "next": {"value": 2}}"#;
    expression: Expression = r#"{"Sum": [{"Number": 1.5}, {"Negative": {"Number": 2.5}}]}"#;
    folder: Folder = r#"{"name": "a", "folders": {"b": {"name": "b", "folders": {}}}}"#;
}

/// A place on earth.
#[derive(Debug, Deserialize, JsonSchema)]
struct Place {
    /// Degrees north.
    lat: f64,
    /// Degrees east.
    lon: f64,
    note: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Trip {
    /// Where it begins.
    from: Place,
    over: Vec<Place>,
    /// Where it ends, if anywhere.
    to: Option<Place>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Debug, Deserialize, JsonSchema)]
struct Kilometres(f64);

#[derive(Debug, Deserialize, JsonSchema)]
struct Corner(i32, i32);

#[derive(Debug, Deserialize, JsonSchema)]
struct Options {
    /// How deep.
    #[serde(default)]
    depth: u8,
    #[serde(default = "yes")]
    recursive: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Window {
    #[schemars(range(min = 1, max = 7))]
    first_day: u8,
    r#type: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Query {
    #[serde(rename = "$top")]
    top: u32,
    #[serde(rename = "filter[id]")]
    id: String,
    #[serde(rename = "with space")]
    space: Option<String>,
    a_key_of_more_than_sixty_four_characters_which_not_every_reader_takes_as_it_is: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Labelled {
    label: String,
    #[serde(flatten)]
    place: Place,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Beside {
    /// Before the kind.
    name: String,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Headers {
    method: String,
    #[serde(flatten)]
    others: BTreeMap<String, String>,
}

/// A unit of temperature.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Low,
    /// Only if it burns.
    High,
}

/// A port, as a number.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "u16")]
struct Port(u16);

impl TryFrom<u16> for Port {
    type Error = &'static str;

    fn try_from(number: u16) -> Result<Self, Self::Error> {
        if [80, 443].contains(&number) { Ok(Self(number)) } else { Err("no port of the web") }
    }
}

impl JsonSchema for Port {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Port".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "enum": [80, 443] })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
enum External {
    Only(u32),
    Named { a: String },
    Unit,
}

/// What to draw.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// A circle.
    Circle {
        radius: f64,
    },
    Point,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Number(i64),
    Nothing,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    Range { start: i64, end: Option<i64> },
}

/// A tree.
#[derive(Debug, Deserialize, JsonSchema)]
struct Tree {
    value: i64,
    children: Vec<Tree>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Chain {
    value: i64,
    next: Option<Box<Chain>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Expression {
    Number(f64),
    Negative(Box<Expression>),
    Sum(Box<(Expression, Expression)>),
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Folder {
    name: String,
    folders: BTreeMap<String, Folder>,
}
