//! What a type is, is decided by the type and never by how it is renamed.

use polyloop::schemars::JsonSchema;
use polyloop::serde::{Deserialize, Serialize};
use polyloop::{Json, Observation, ToolError, registry, tool};

type Maybe<T> = Option<T>;
type MaybeNumber = Maybe<u32>;
type Outcome<T> = Result<T, Failure>;
type Told = outer::Either<String, ToolError>;

/// The originals by other names.
mod outer {
    pub(super) use std::option::Option as Perhaps;
    pub(super) use std::result::Result as Either;
}

#[derive(Debug)]
struct Failure;

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("it failed")
    }
}

/// A newtype around an option.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "polyloop::serde")]
#[schemars(crate = "polyloop::schemars")]
struct Limit(Option<u32>);

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "polyloop::serde", transparent)]
#[schemars(crate = "polyloop::schemars")]
struct Nested {
    limit: Limit,
}

/// The name says option, the type does not.
mod fake {
    use super::{Deserialize, JsonSchema};

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(crate = "polyloop::serde")]
    #[schemars(crate = "polyloop::schemars")]
    pub(super) struct Option<T>(pub(super) T);
}

/// Takes options of every spelling.
#[tool]
async fn options(
    /// Plain.
    plain: Option<u32>,
    /// Renamed.
    renamed: outer::Perhaps<u32>,
    /// An alias.
    alias: Maybe<u32>,
    /// An alias of an alias.
    number: MaybeNumber,
    /// A newtype.
    limit: Limit,
    /// A transparent struct around a newtype.
    nested: Nested,
    /// No option at all.
    fake: fake::Option<u32>,
) -> Json<[Option<u32>; 7]> {
    Json([plain, renamed, alias, number, limit.0, nested.limit.0, Some(fake.0)])
}

/// Takes what the defaults say.
#[tool]
async fn defaults(
    /// An option with a default.
    #[arg(default = Some(7))]
    option: Option<u32>,
    /// Wider than what the compiler takes for a bare number.
    #[arg(default = 5_000_000_000, example = 0xff_ffff_ffff)]
    wide: u64,
    /// As wide, and below zero.
    #[arg(default = -5_000_000_000)]
    negative: i64,
    /// As narrow as can be.
    #[arg(default = 255)]
    narrow: u8,
    /// A whole number for a broken one.
    #[arg(default = 1)]
    broken: f64,
) -> String {
    format!("{option:?} {wide} {negative} {narrow} {broken:?}")
}

/// Fails by an alias of the result.
#[tool]
async fn aliased(
    /** Whether it fails. */
    fails: bool,
) -> Outcome<Json<u8>> {
    if fails { Err(Failure) } else { Ok(Json(1)) }
}

/// Fails by an alias of the renamed result.
#[tool]
async fn told(
    /** Whether it fails. */
    fails: bool,
) -> Told {
    if fails { Err(ToolError::failed("no")) } else { Ok("yes".to_owned()) }
}

/// Fails by a generic alias, with a body of blocks.
#[tool]
async fn nested_alias() -> Outcome<Observation> {
    Err(Failure)
}

registry! {
    struct Decided {
        tools: [options, defaults, aliased, told, nested_alias],
    }
}

#[test]
fn only_what_is_no_option_is_required() {
    let schema = crate::schema::<Decided>("options");
    assert_eq!(schema["required"], serde_json::json!(["fake"]));
    for optional in ["plain", "renamed", "alias", "number", "limit", "nested"] {
        assert_eq!(schema["properties"][optional]["type"], "integer", "{optional}");
    }
}

#[test]
fn an_absent_option_is_none_however_it_is_renamed() {
    let absent = crate::observed::<Decided>((), "options", r#"{"fake": 1}"#);
    assert_eq!(absent, "[null,null,null,null,null,null,1]");
    let given = r#"{"plain": 1, "renamed": 2, "alias": 3, "number": 4, "limit": 5, "nested": 6, "fake": 7}"#;
    assert_eq!(crate::observed::<Decided>((), "options", given), "[1,2,3,4,5,6,7]");
}

#[test]
fn a_default_has_the_width_of_its_parameter() {
    let absent = crate::observed::<Decided>((), "defaults", "{}");
    assert_eq!(absent, "Some(7) 5000000000 -5000000000 255 1.0");
    let null = crate::observed::<Decided>((), "defaults", r#"{"option": null}"#);
    assert_eq!(null, absent);
    let properties = &crate::schema::<Decided>("defaults")["properties"];
    assert_eq!(properties["wide"]["default"], 5_000_000_000_u64);
    assert_eq!(properties["wide"]["examples"], serde_json::json!([0xff_ffff_ffff_u64]));
    assert_eq!(properties["negative"]["default"], -5_000_000_000_i64);
}

#[test]
fn an_alias_of_a_result_is_a_result() {
    assert_eq!(crate::observed::<Decided>((), "aliased", r#"{"fails": false}"#), "1");
    assert_eq!(crate::observed::<Decided>((), "aliased", r#"{"fails": true}"#), "Failure: it failed");
    assert_eq!(crate::observed::<Decided>((), "told", r#"{"fails": false}"#), "yes");
    assert_eq!(crate::observed::<Decided>((), "told", r#"{"fails": true}"#), "error: no");
    assert_eq!(crate::observed::<Decided>((), "nested_alias", "{}"), "Failure: it failed");
}
