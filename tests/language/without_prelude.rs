//! A module without the prelude: every name in an expansion is absolute.

/// Everything that the macros can write, where not even `Some` and `derive` have a meaning.
#[no_implicit_prelude]
mod bare {
    use ::polyloop::{ContextFragment, State, registry, tool, toolbox};

    #[::core::prelude::v1::derive(
        ContextFragment,
        ::polyloop::serde::Serialize,
        ::polyloop::serde::Deserialize
    )]
    #[serde(crate = "::polyloop::serde")]
    #[fragment(role = user, markers("<bare_{area}>", "</bare_{area}>"), max_chars = 200)]
    #[fragment(lifetime = latest, absent = "Gone.", state, change = changed, body = "{left} of {all}")]
    pub(super) struct Bare {
        #[serde(skip, default = "area")]
        pub(super) area: Area,
        pub(super) left: u32,
        pub(super) all: u32,
    }

    fn changed(earlier: &Bare, now: &Bare) -> ::core::option::Option<::polyloop::Body> {
        if earlier.left == now.left {
            return ::core::option::Option::None;
        }
        ::core::option::Option::Some(::polyloop::Body::new().value(now.left))
    }

    fn area() -> Area {
        Area
    }

    pub(super) struct Area;

    impl ::polyloop::MarkerKey for Area {
        fn as_key(&self) -> &'static str {
            "area"
        }
    }

    impl ::core::str::FromStr for Area {
        type Err = ();

        fn from_str(_: &str) -> ::core::result::Result<Self, ()> {
            ::core::result::Result::Ok(Self)
        }
    }

    #[::core::prelude::v1::derive(ContextFragment)]
    #[fragment(role = developer, unmarked = "short", slot = turn, lifetime = once, max_chars = 200)]
    pub(super) enum News {
        #[fragment(body = "{0} came.")]
        Came(::std::string::String),
        #[fragment(body = gone)]
        Gone,
    }

    fn gone(_: &News) -> &'static str {
        "All are gone."
    }

    #[::core::prelude::v1::derive(State)]
    pub(super) struct Shelf {
        pub(super) books: Books,
        pub(super) limit: u64,
    }

    pub(super) struct Books(pub(super) ::std::vec::Vec<&'static str>);

    /// Finds a book.
    #[tool(replay = safe, timeout = "5s")]
    pub(super) async fn find(
        #[state] books: &Books,
        #[state] limit: &u64,
        #[call] call: &::polyloop::CallContext,
        /// A part of the title.
        #[arg(length(1..), example = "war")]
        title: ::std::string::String,
        /// How many.
        #[arg(default = 1, range(1..=9))]
        most: u8,
        /// The language.
        #[arg(default)]
        language: ::core::option::Option<::std::string::String>,
    ) -> ::core::result::Result<::std::string::String, ::std::string::String> {
        let found = books.0.first().filter(|book| book.contains(&*title));
        let language = language.as_deref().unwrap_or("any");
        let text = ::std::format!("{found:?} {most} {limit} {language} {}", call.attempt());
        ::core::result::Result::Ok(text)
    }

    #[toolbox]
    impl Books {
        /// Counts the books.
        #[tool]
        pub(super) async fn count(&self) -> ::std::string::String {
            ::std::string::ToString::to_string(&self.0.len())
        }
    }

    registry! {
        pub(super) struct App {
            state: Shelf,
            fragments: [Bare, News],
            tools: [find, books_tools::count],
            max_chars: 10_000,
            scalars: exact,
        }
    }
}

use bare::{App, AppKind, Area, Bare, Books, News, Shelf};
use polyloop::{ParseFragment, Registry, Render};

fn shelf() -> Shelf {
    Shelf { books: Books(vec!["war and peace"]), limit: 7 }
}

#[test]
fn a_fragment_renders_and_reads_back_without_the_prelude() {
    let rendered = Bare { area: Area, left: 1, all: 9 }.render().unwrap();
    assert_eq!(rendered.text(), "<bare_area>1 of 9</bare_area>");
    assert_eq!(Bare::parse(rendered.text()).unwrap().all, 9);
    assert_eq!(App::recognize(rendered.text()).unwrap().kind, AppKind::Bare);
}

#[test]
fn every_variant_renders_without_the_prelude() {
    assert_eq!(News::Came("Ada".to_owned()).render().unwrap().text(), "Ada came.");
    assert_eq!(News::Gone.render().unwrap().text(), "All are gone.");
}

#[test]
fn tools_run_without_the_prelude() {
    let found = crate::observed::<App>(shelf(), "find", r#"{"title": "war"}"#);
    assert_eq!(found, r#"Some("war and peace") 1 7 any 1"#);
    assert_eq!(crate::observed::<App>(shelf(), "count", "{}"), "1");
}
