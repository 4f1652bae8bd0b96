//! What the macros write passes the strictest lints, at every visibility that a program has.
//!
//! What other crates can see is held to the same in the crate `polyloop-tests-facade`.

use polyloop::{Registry, Render};
use polyloop_tests_facade::strict as public;

/// Private items, with private types in their heads.
#[deny(
    warnings,
    missing_docs,
    unreachable_pub,
    missing_debug_implementations,
    elided_lifetimes_in_paths,
    single_use_lifetimes,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    trivial_casts,
    let_underscore_drop,
    deprecated,
    private_interfaces,
    private_bounds,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::absolute_paths,
    clippy::missing_docs_in_private_items,
    clippy::allow_attributes_without_reason,
    clippy::min_ident_chars,
    clippy::shadow_unrelated,
    clippy::question_mark_used,
    clippy::as_conversions,
    clippy::default_numeric_fallback
)]
mod private {
    use futures_util::FutureExt as _;
    use polyloop::schemars::JsonSchema;
    use polyloop::serde::Deserialize;
    use polyloop::{ContextFragment, Registry as _, State, registry, tool, toolbox};

    /// An argument.
    #[derive(Deserialize, JsonSchema)]
    #[serde(crate = "polyloop::serde")]
    #[schemars(crate = "polyloop::schemars")]
    struct Query {
        /// For what.
        text: String,
    }

    /// A fragment.
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<hint>", "</hint>"), max_chars = 100, body = "{text}{old}")]
    struct Hint {
        /// What is said.
        text: String,
        /// What was said.
        #[deprecated = "nobody reads it"]
        #[fragment(raw)]
        old: u8,
    }

    /// A state.
    #[derive(State)]
    struct Desk {
        /// How many drawers.
        drawers: u8,
        /// The drawer.
        drawer: Drawer,
    }

    /// A drawer.
    struct Drawer(u8);

    /// Searches.
    #[tool]
    async fn search(
        #[state] drawers: &u8,
        /// For what.
        query: Query,
    ) -> String {
        format!("{} in {drawers}", query.text)
    }

    /// Nobody registers it; who calls it is in the module.
    #[tool]
    async fn aside(
        /** A number. */
        number: u8,
    ) -> String {
        number.to_string()
    }

    /// Is old.
    #[tool]
    #[deprecated = "use `search`"]
    async fn look(#[arg(flatten)] query: Query) -> String {
        query.text
    }

    #[toolbox]
    impl Drawer {
        /// Opens it.
        #[tool]
        async fn open(&self, #[state] desk: &Desk) -> String {
            format!("{} of {}", self.0, desk.drawers)
        }
    }

    registry! {
        struct Private {
            state: Desk,
            fragments: [Hint],
            tools: [search, look, drawer_tools::open],
            max_chars: 5_000,
        }
    }

    /// What the tools answer, and what the function beside them returns.
    pub(super) fn answers() -> [String; 4] {
        let desk = || Desk { drawers: 3, drawer: Drawer(2) };
        [
            crate::observed::<Private>(desk(), "search", r#"{"query": {"text": "ink"}}"#),
            crate::observed::<Private>(desk(), "look", r#"{"text": "ink"}"#),
            crate::observed::<Private>(desk(), "open", "{}"),
            aside(7).now_or_never().unwrap_or_default(),
        ]
    }

    /// Which fragment a text is.
    pub(super) fn kind(text: &str) -> Option<&'static str> {
        Private::recognize(text).map(|found| match found.kind {
            PrivateKind::Hint => "hint",
        })
    }
}

/// Items of the whole crate, and of the module above.
#[deny(
    warnings,
    missing_docs,
    unreachable_pub,
    missing_debug_implementations,
    elided_lifetimes_in_paths,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    deprecated,
    private_interfaces,
    private_bounds,
    clippy::all,
    clippy::pedantic,
    clippy::absolute_paths,
    clippy::missing_docs_in_private_items,
    clippy::allow_attributes_without_reason
)]
mod crate_wide {
    use polyloop::{ContextFragment, State, registry, tool, toolbox};

    /// What happened.
    #[derive(Debug, ContextFragment)]
    #[fragment(role = developer, unmarked = "short", slot = turn, lifetime = once, max_chars = 100)]
    pub(crate) enum Event {
        /// Something began.
        #[fragment(body = "{what} began")]
        Began {
            /// What.
            what: String,
        },
        /// Something ended.
        #[deprecated = "nothing ends"]
        #[fragment(body = "{0} ended")]
        Ended(String),
    }

    /// What the tools borrow.
    #[derive(Debug, State)]
    #[deprecated = "states last"]
    pub(crate) struct Old {
        /// How long.
        #[deprecated = "it is not counted any more"]
        pub(crate) years: u32,
    }

    /// What the tools borrow now.
    #[derive(Debug, State)]
    pub(crate) struct Now {
        /// How long.
        #[deprecated = "it is not counted any more"]
        pub(crate) years: u32,
        /// Where.
        pub(crate) place: Place,
    }

    /// A place.
    #[derive(Debug)]
    pub(crate) struct Place(pub(crate) &'static str);

    /// Tells how long.
    #[tool]
    pub(in crate::lints) async fn years(#[state] years: &u32) -> String {
        years.to_string()
    }

    #[toolbox]
    impl Place {
        /// Tells where.
        #[tool]
        pub(crate) async fn tell(&self) -> &'static str {
            self.0
        }

        /// Tells how far.
        #[deprecated = "use `tell`"]
        #[tool]
        pub(super) async fn far(
            &self,
            /** From where. */
            from: String,
        ) -> String {
            format!("{from} to {}", self.0)
        }

        /// Tells nobody but this module.
        #[tool]
        async fn hide(&self) -> String {
            String::new()
        }
    }

    registry! {
        /// All of it.
        pub(crate) struct CrateWide {
            state: Now,
            fragments: [Event],
            tools: [years, place_tools::tell, place_tools::far, place_tools::hide],
            max_chars: 5_000,
        }
    }
}

#[test]
fn private_tools_with_private_types_pass_strict_lints() {
    assert_eq!(private::answers(), ["ink in 3", "ink", "2 of 3", "7"]);
    assert_eq!(private::kind("<hint>x1</hint>"), Some("hint"));
}

#[test]
#[expect(deprecated, reason = "who uses what is deprecated is warned")]
fn items_of_the_whole_crate_pass_strict_lints() {
    use crate_wide::{CrateWide, Event, Now, Old, Place};

    let now = || Now { years: 3, place: Place("here") };
    assert_eq!(crate::observed::<CrateWide>(now(), "years", "{}"), "3");
    assert_eq!(crate::observed::<CrateWide>(now(), "far", r#"{"from": "there"}"#), "there to here");
    assert_eq!(Event::Began { what: "it".to_owned() }.render().unwrap().text(), "it began");
    assert_eq!(Event::Ended("it".to_owned()).render().unwrap().text(), "it ended");
    assert_eq!(polyloop::Provide::<u32>::provide(&Old { years: 1 }), &1);
}

#[test]
#[expect(deprecated, reason = "who uses what is deprecated is warned")]
fn public_items_pass_strict_lints() {
    use public::{Desk, Office, Strict, StrictKind};

    let office = || Office { desk: Desk { drawers: 4 }, room: 7 };
    let opened = crate::observed::<Strict>(office(), "open", r#"{"drawer": 2, "colour": "red"}"#);
    assert_eq!(opened, "7 None red");
    assert_eq!(crate::observed::<Strict>(office(), "look_below", r#"{"depth": 5}"#), "floor");
    assert_eq!(Strict::recognize("<standing_one>1 of 2</standing_one>").unwrap().kind, StrictKind::Standing);
    assert_eq!(crate::arguments::<public::Searching>("search"), ["query"]);
}
