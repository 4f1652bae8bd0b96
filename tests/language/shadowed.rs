//! A module in which nothing of the prelude means what it usually means.

/// Types, functions, constants, traits, modules and macros with the names that an expansion could write.
mod hidden {
    #![allow(
        dead_code,
        non_snake_case,
        non_upper_case_globals,
        non_camel_case_types,
        unused_macros,
        reason = "the names are there to be in the way"
    )]

    use ::polyloop::{ContextFragment, State, registry, tool, toolbox};

    type Result = ();
    type Option = ();
    struct String;
    struct Vec;
    struct Box;
    struct Pin;
    struct S;
    struct T;
    struct Sized;
    struct Send;
    struct Sync;
    struct usize;
    struct str;
    struct u8;
    struct bool;
    trait Display {}
    trait Default {}
    trait Clone {}
    trait Into {}
    trait Iterator {}
    fn Some() {}
    const None: () = ();
    fn Ok() {}
    fn Err() {}
    const a: () = ();
    const text: () = ();
    mod serde {}
    mod serde_json {}
    mod schemars {}
    mod tokio {}
    mod std {}
    mod core {}
    mod alloc {}
    mod polyloop {}
    mod __private {}
    mod diagnostic {}
    mod clippy {}
    macro_rules! derive { () => { !!! } }
    macro_rules! automatically_derived { () => { !!! } }
    macro_rules! panic { () => { !!! } }
    macro_rules! file { () => { !!! } }
    macro_rules! line { () => { !!! } }
    macro_rules! unreachable { () => { !!! } }
    macro_rules! vec { () => { !!! } }

    /// A type whose own items have the names of the trait's.
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<note>", "</note>"), max_chars = 200, body = "{a}: {text}")]
    pub(super) struct Note {
        pub(super) a: ::std::string::String,
        pub(super) text: ::std::string::String,
    }

    impl Note {
        const SPEC: () = ();
        const KIND: () = ();
        fn body() {}
        fn parse() {}
        fn from_fields() {}
    }

    /// Variants and fields with the names of constants.
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<both>", "</both>"), max_chars = 200)]
    pub(super) enum Both {
        #[fragment(body = "{a} and {text}")]
        Some { a: i32, text: char },
        #[fragment(body = "{0}{{}}")]
        Ok(#[fragment(raw)] i64),
        #[fragment(body = "nothing")]
        None,
    }

    #[derive(State)]
    pub(super) struct State_ {
        pub(super) state: Workspace,
        #[state(skip)]
        args: S,
    }

    impl State_ {
        pub(super) fn new() -> Self {
            Self { state: Workspace(3), args: S }
        }

        fn provide() {}
    }

    pub(super) struct Workspace(pub(super) i32);

    /// Adds.
    #[tool]
    pub(super) async fn add(
        #[state] state: &Workspace,
        /// First.
        args: i32,
        /// Second.
        #[arg(default = 40, range(0..), example = 1)]
        self_: i64,
        /// Third.
        __x: ::core::option::Option<i32>,
        /// Fourth.
        #[arg(default)]
        __state: i32,
    ) -> ::std::string::String {
        ::std::format!("{} {args} {self_} {__x:?} {__state}", state.0)
    }

    impl add {
        const SPEC: () = ();
        fn prepare() {}
    }

    #[toolbox]
    impl Workspace {
        /// Looks.
        #[tool]
        pub(super) async fn provide(
            &self,
            /// Where.
            cx: i32,
        ) -> ::core::result::Result<::std::string::String, ::std::string::String> {
            ::core::result::Result::Err(::std::format!("{} {cx}", self.0))
        }
    }

    registry! {
        pub(super) struct App {
            state: State_,
            fragments: [Note, Both],
            tools: [add, workspace_tools::provide],
            max_chars: 10_000,
        }
    }

    impl App {
        const SPEC: () = ();
        fn built() {}
    }
}

use hidden::{App, AppKind, Both, Note, State_};
use polyloop::{ParseFragment, Registry, Render};

#[test]
fn a_fragment_renders_and_reads_back_among_shadowed_names() {
    let rendered = Note { a: "A".to_owned(), text: "b".to_owned() }.render().unwrap();
    assert_eq!(rendered.text(), "<note>A: b</note>");
    assert_eq!(<Note as ParseFragment>::parse(rendered.text()).unwrap().text, "b");
    assert_eq!(App::recognize(rendered.text()).unwrap().kind, AppKind::Note);
}

#[test]
fn variants_may_have_the_names_of_the_prelude() {
    for (both, text) in [
        (Both::Some { a: 1, text: 'x' }, "<both>1 and x</both>"),
        (Both::Ok(-1), "<both>-1{}</both>"),
        (Both::None, "<both>nothing</both>"),
    ] {
        assert_eq!(both.render().unwrap().text(), text);
        assert_eq!(<Both as ParseFragment>::parse(text).unwrap().render().unwrap().text(), text);
    }
}

#[test]
fn tools_run_among_shadowed_names() {
    let added = crate::observed::<App>(State_::new(), "add", r#"{"args": 1, "self_": 2}"#);
    assert_eq!(added, "3 1 2 None 0");
    let looked = crate::observed::<App>(State_::new(), "provide", r#"{"cx": 5}"#);
    assert_eq!(looked, "error: 3 5");
}
