//! Names that collide with ours, and names that are keywords.

/// Types that are called like the library's.
mod like_ours {
    use polyloop::{ContextFragment, State, registry, tool};

    pub(super) struct Body;
    pub(super) struct S;

    impl std::fmt::Display for Body {
        fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("body")
        }
    }

    #[derive(Clone, polyloop::serde::Deserialize, polyloop::schemars::JsonSchema)]
    #[serde(crate = "polyloop::serde")]
    #[schemars(crate = "polyloop::schemars")]
    pub(super) struct Param(i32);

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<spec>", "</spec>"), max_chars = 100, body = "{role}{body}")]
    pub(super) struct FragmentSpec {
        pub(super) role: Role,
        pub(super) body: Body,
    }

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<role>", "</role>"), max_chars = 100)]
    pub(super) enum Role {
        #[fragment(body = "user")]
        User,
    }

    impl std::fmt::Display for Role {
        fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("role ")
        }
    }

    #[derive(ContextFragment)]
    #[fragment(role = user, unmarked = "why", max_chars = 100, body = "{0}")]
    pub(super) struct Registry<S: std::fmt::Display>(pub(super) S);

    #[derive(State)]
    pub(super) struct Tool<S> {
        pub(super) s: S,
    }

    /// Counts.
    #[tool]
    pub(super) async fn prepare(
        #[state] _: &S,
        /// A number.
        param: Param,
    ) -> String {
        format!("{}", param.0)
    }

    registry! {
        pub(super) struct Registered {
            state: Tool<S>,
            fragments: [FragmentSpec, Role, Registry<String> as Built],
            tools: [prepare],
        }
    }
}

use like_ours::{Body, FragmentSpec, Registered, RegisteredKind, Registry as Fragment, Role, S, Tool};
use polyloop::{ContextFragment, ParseFragment, Registry, Render, registry, tool};

#[test]
fn types_may_be_called_like_the_librarys() {
    let text = FragmentSpec { role: Role::User, body: Body }.render().unwrap();
    assert_eq!(text.text(), "<spec>role body</spec>");
    assert_eq!(Registered::recognize(text.text()).unwrap().kind, RegisteredKind::FragmentSpec);
    assert_eq!(Fragment("x".to_owned()).render().unwrap().text(), "x");
    assert_eq!(crate::observed::<Registered>(Tool { s: S }, "prepare", r#"{"param": 3}"#), "3");
}

/// Finds lines.
#[tool]
async fn r#match(
    /// The kind of line.
    r#type: String,
    /// Whether it is exact.
    #[arg(default = true)]
    r#fn: bool,
    /// Where to start.
    #[arg(rename = "in", default)]
    r#in: Option<u32>,
) -> String {
    format!("{type} {fn} {in:?}")
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<raw_{move}>", "</raw_{move}>"), max_chars = 100)]
#[fragment(lifetime = latest, absent = "Gone.", body = "{type}")]
struct r#Raw {
    r#move: polyloop::Key,
    #[fragment(id)]
    r#type: String,
}

#[derive(ContextFragment)]
#[fragment(role = user, markers("<loop>", "</loop>"), max_chars = 100)]
#[expect(non_camel_case_types, reason = "the type is named by a keyword")]
enum r#loop {
    #[fragment(body = "{while}{as}")]
    r#for {
        r#while: u8,
        #[fragment(raw)]
        r#as: char,
    },
}

registry! {
    struct r#RawApp {
        fragments: [r#Raw, r#loop],
        tools: [r#match],
    }
}

#[test]
fn a_tool_and_its_arguments_lose_the_raw_mark() {
    assert_eq!(<r#match as polyloop::Tool<()>>::SPEC.name, "match");
    assert_eq!(RawApp::SPEC.name, "RawApp");
    assert_eq!(crate::arguments::<RawApp>("match"), ["type", "fn", "in"]);
    assert_eq!(crate::observed::<RawApp>((), "match", r#"{"type": "x", "in": 2}"#), "x true Some(2)");
}

#[test]
fn a_fragment_and_its_fields_lose_the_raw_mark() {
    let raw = Raw { r#move: polyloop::Key::new("k").unwrap(), r#type: "t".to_owned() };
    let rendered = raw.render().unwrap();
    assert_eq!((rendered.text(), rendered.id()), ("<raw_k>t</raw_k>", Some("t")));
    assert_eq!(Raw::parse(rendered.text()).unwrap(), raw);
    assert_eq!(<r#loop as ContextFragment>::SPEC.kind, "loop");
    assert_eq!(r#loop::r#for { r#while: 1, r#as: 'x' }.render().unwrap().text(), "<loop>1x</loop>");
    assert_eq!(RawApp::recognize("<loop>1x</loop>").unwrap().kind, RawAppKind::r#loop);
}

/// Adds up.
#[tool]
#[expect(clippy::too_many_arguments, reason = "one name each")]
async fn sum(
    /// First.
    args: u8,
    /// Second.
    state: u8,
    /// Third.
    cx: u8,
    /// Fourth.
    self_: u8,
    /// Fifth.
    __x: u8,
    /// Sixth.
    __state: u8,
    /// Seventh.
    __arguments: u8,
    /// Eighth.
    __call: u8,
    /// Ninth: the function's own name.
    #[arg(default = sum_of_none())]
    sum: u8,
) -> String {
    let all = [args, state, cx, self_, __x, __state, __arguments, __call, sum];
    all.iter().map(|one| u32::from(*one)).sum::<u32>().to_string()
}

const fn sum_of_none() -> u8 {
    0
}

registry! {
    struct Sum {
        tools: [sum],
    }
}

#[test]
fn parameters_may_have_any_name() {
    let given = r#"{"args": 1, "state": 2, "cx": 4, "self_": 8, "__x": 16, "__state": 32,
        "__arguments": 64, "__call": 128}"#;
    assert_eq!(crate::observed::<Sum>((), "sum", given), "255");
}

/// Constants with the names of fields and parameters stand where the types are declared.
mod constants {
    #![allow(non_upper_case_globals, dead_code, reason = "the constants are there to be in the way")]

    use polyloop::{ContextFragment, ParseFragment, Render};

    const text: u8 = 1;
    const a: u8 = 2;
    const self_: u8 = 3;
    const spec: u8 = 4;

    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<c>", "</c>"), max_chars = 100)]
    enum Constants {
        #[fragment(body = "{text} {a} {self_} {spec}")]
        All { text: u8, a: u8, self_: u8, spec: u8 },
    }

    #[test]
    fn a_constant_is_never_taken_for_a_field() {
        let all = Constants::All { text: 9, a: 8, self_: 7, spec: 6 }.render().unwrap();
        assert_eq!(all.text(), "<c>9 8 7 6</c>");
        let Constants::All { text: first, .. } = Constants::parse(all.text()).unwrap();
        assert_eq!(first, 9);
    }
}
