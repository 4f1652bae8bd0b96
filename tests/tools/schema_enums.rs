//! The canonical schema of enums: exact texts.

#![allow(dead_code, reason = "the fields are there to be described and filled, not to be read")]

use polyloop::{Registry, Scalars, ToolEntry};
use polyloop::{SetError, ToolSet, registry, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::support::property;

/// A unit of temperature.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /** Degrees C */
    Celsius,
    /** Degrees F */
    Fahrenheit,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Bare {
    First,
    SecondOne,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Mixed {
    Zero,
    /// The middle.
    One,
    Two,
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
enum External {
    Only(u32),
    Named { a: String },
    Unit,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
}

/// A named shape.
#[derive(Debug, Deserialize, JsonSchema)]
struct Beside {
    /// Before the kind.
    name: String,
    #[serde(flatten)]
    shape: Shape,
}

/// Holds a mixed one.
#[derive(Debug, Deserialize, JsonSchema)]
struct Holder {
    mixed: Mixed,
    list: Vec<Mixed>,
    perhaps: Option<Mixed>,
}

/// Takes enums.
#[tool]
async fn enums(
    /// Which unit.
    unit: Unit,
    /// Which bare one.
    bare: Bare,
    /// Perhaps a unit.
    perhaps: Option<Unit>,
    /// Which shape.
    shape: Shape,
    /// Which external one.
    external: External,
    /// Which untagged one.
    untagged: Untagged,
    /// Which shape, and its name.
    beside: Beside,
) -> String {
    format!("{unit:?} {bare:?} {perhaps:?} {shape:?} {external:?} {untagged:?} {beside:?}")
}

/// Takes enums of which some variants are documented.
#[tool]
async fn mixed(
    /// Which one.
    one: Mixed,
    /// Perhaps one.
    perhaps: Option<Mixed>,
    /// Several.
    several: Vec<Mixed>,
    /// Inside.
    holder: Holder,
) -> String {
    format!("{one:?} {perhaps:?} {several:?} {holder:?}")
}

registry! { struct App { tools: [enums, mixed] } }

#[test]
fn a_unit_enum_is_one_enum_with_the_docs_of_its_variants_in_the_description() {
    assert_eq!(
        property::<App>("enums", "unit"),
        r#"{"type":"string","description":"Which unit.\nA unit of temperature.\n`celsius`: Degrees C\n`fahrenheit`: Degrees F","enum":["celsius","fahrenheit"]}"#
    );
    assert_eq!(
        property::<App>("enums", "perhaps"),
        r#"{"type":"string","description":"Perhaps a unit.\nA unit of temperature.\n`celsius`: Degrees C\n`fahrenheit`: Degrees F","enum":["celsius","fahrenheit"]}"#
    );
    assert_eq!(
        property::<App>("enums", "bare"),
        r#"{"type":"string","description":"Which bare one.","enum":["first","second_one"]}"#
    );
}

#[test]
fn variants_stand_in_the_order_of_the_source_also_where_some_are_documented() {
    let words = r#""enum":["Zero","One","Two"]"#;
    for name in ["one", "perhaps", "several"] {
        let text = property::<App>("mixed", name);
        assert!(text.contains(words), "{text}");
    }
    let holder = property::<App>("mixed", "holder");
    assert_eq!(holder.matches(words).count(), 3, "{holder}");
}

#[test]
fn a_tagged_enum_is_any_of_its_objects_and_a_constant_is_an_enum_of_one() {
    assert_eq!(
        property::<App>("enums", "shape"),
        concat!(
            r#"{"description":"Which shape.\nWhat to draw.","anyOf":[{"type":"object","description":"A circle.","#,
            r#""properties":{"kind":{"type":"string","enum":["circle"]},"radius":{"type":"number"}},"#,
            r#""required":["kind","radius"]},{"type":"object","properties":{"kind":{"type":"string","enum":["point"]}},"#,
            r#""required":["kind"]}]}"#
        )
    );
    assert_eq!(
        property::<App>("enums", "external"),
        concat!(
            r#"{"description":"Which external one.","anyOf":[{"type":"string","enum":["Unit"]},"#,
            r#"{"type":"object","properties":{"Only":{"type":"integer","minimum":0}},"required":["Only"],"#,
            r#""additionalProperties":false},{"type":"object","properties":{"Named":{"type":"object","#,
            r#""properties":{"a":{"type":"string"}},"required":["a"]}},"required":["Named"],"#,
            r#""additionalProperties":false}]}"#
        )
    );
    assert_eq!(
        property::<App>("enums", "untagged"),
        r#"{"description":"Which untagged one.","anyOf":[{"type":"integer"},{"type":"string"}]}"#
    );
}

#[test]
fn properties_beside_a_flattened_enum_go_into_each_branch() {
    let text = property::<App>("enums", "beside");
    assert!(
        text.ends_with(concat!(
            r#""anyOf":[{"type":"object","description":"A circle.","#,
            r#""properties":{"name":{"type":"string","description":"Before the kind."},"#,
            r#""kind":{"type":"string","enum":["circle"]},"radius":{"type":"number"}},"#,
            r#""required":["name","kind","radius"]},{"type":"object","properties":{"name":{"type":"string","#,
            r#""description":"Before the kind."},"kind":{"type":"string","enum":["point"]}},"#,
            r#""required":["name","kind"]}]}"#
        )),
        "{text}"
    );
    assert!(text.starts_with(r#"{"description":"Which shape, and its name."#), "{text}");
}

/// Takes a union as all of its arguments.
#[tool]
async fn union_root(#[arg(flatten)] shape: Shape) -> String {
    format!("{shape:?}")
}

/// Takes a struct with a union inside as all of its arguments.
#[tool]
async fn beside_root(#[arg(flatten)] beside: Beside) -> String {
    format!("{beside:?}")
}

/// Takes a text as all of its arguments.
#[tool]
async fn text_root(#[arg(flatten)] text: String) -> String {
    text
}

#[test]
fn the_root_is_never_a_union() {
    let entries: [ToolEntry<()>; 3] =
        [ToolEntry::new::<union_root>(), ToolEntry::new::<beside_root>(), ToolEntry::new::<text_root>()];
    let refused: SetError = ToolSet::new(&entries, Scalars::Near).unwrap_err();
    assert_eq!(refused.problems().len(), 3, "every problem is listed: {refused}");
    let text = refused.to_string();
    for name in ["union_root", "beside_root", "text_root"] {
        assert!(text.contains(&format!("tool `{name}`")), "{text}");
    }
    assert!(App::tools().is_ok());
}
