//! Names, receivers, shadowed names and other traps of the language.

use polyloop::{registry, tool};

use crate::support::{property, schema, told};

/// Raw words.
mod raw {
    use polyloop::tool;

    /// Matches.
    #[tool]
    pub(super) async fn r#match(
        /// What kind.
        r#type: String,
        /// What is changed.
        mut text: String,
    ) -> String {
        text.push_str(&r#type);
        text
    }
}

/// Names that an expansion might use itself.
mod shadows {
    #![allow(
        dead_code,
        non_snake_case,
        non_upper_case_globals,
        reason = "these names are here to be in the way"
    )]

    type Result<T> = ::core::result::Result<T, ()>;
    type Option<T> = ::core::result::Result<T, ()>;
    struct String;
    struct Box;
    struct Vec;
    mod serde {}
    mod schemars {}
    mod std {}
    mod core {}

    fn Some() {}
    fn None() {}
    fn Ok() {}
    fn Err() {}

    const a: u8 = 3;
    const b: &str = "b";

    /// Adds in a hostile place.
    #[polyloop::tool(replay = safe)]
    pub(super) async fn hostile(
        /// One.
        #[arg(default = 2, range(..=9))]
        one: u32,
        /// A word.
        word: ::core::option::Option<::std::string::String>,
    ) -> ::std::string::String {
        ::std::format!("{one} {word:?}")
    }
}

/// Made by a macro of the project.
macro_rules! reader {
    ($name:ident, $argument:ident, $kind:ty) => {
        /// Made by a macro.
        #[tool]
        async fn $name(
            /// Made by a macro too.
            $argument: $kind,
        ) -> String {
            format!("{:?}", $argument)
        }
    };
}

reader!(made, item, Vec<u8>);

/// Has another type and another name.
#[tool(type = WeatherTool, name = "current-weather")]
async fn weather(
    /// Where.
    city: String,
) -> String {
    city
}

/// Names that the expansion of a tool has.
#[tool]
async fn locals(
    /// One.
    state: u8,
    /// Two.
    call: u8,
    /// Three.
    arguments: u8,
    /// Four.
    self_: u8,
) -> String {
    format!("{state}{call}{arguments}{self_}")
}

use raw::r#match as matcher;
use shadows::hostile;

registry! { struct App { tools: [matcher, hostile, made, WeatherTool, locals] } }

#[tokio::test]
async fn raw_words_lose_their_prefix() {
    assert_eq!(property::<App>("match", "type"), r#"{"type":"string","description":"What kind."}"#);
    assert_eq!(told::<App>("match", r#"{"type":"b","text":"a"}"#).await, "ab", "`mut` is fine");
}

#[tokio::test]
async fn names_in_scope_are_not_in_the_way() {
    assert_eq!(told::<App>("hostile", "{}").await, "2 None");
    assert_eq!(told::<App>("hostile", r#"{"one":9,"word":"x"}"#).await, r#"9 Some("x")"#);
    assert_eq!(told::<App>("locals", r#"{"state":1,"call":2,"arguments":3,"self_":4}"#).await, "1234");
}

#[tokio::test]
async fn a_macro_of_the_project_may_make_a_tool() {
    assert_eq!(told::<App>("made", r#"{"item":[1,2]}"#).await, "[1, 2]");
    assert!(schema::<App>("made").contains("Made by a macro too."));
}

#[tokio::test]
async fn a_tool_may_have_another_type_and_another_name() {
    assert_eq!(told::<App>("current-weather", r#"{"city":"Oslo"}"#).await, "Oslo");
    assert_eq!(weather("Rome".to_owned()).await, "Rome", "the function stays callable");
}
