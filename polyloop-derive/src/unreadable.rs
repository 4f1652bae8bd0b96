//! Whatever stands behind an option or a part, the message is one of ours and says what to write.

use std::str::FromStr;

use proc_macro2::TokenStream;

use crate::common::testing::messages;
use crate::{fragment, registry, state, tool, toolbox};

/// What may stand behind a key by mistake.
const BEHIND: &[&str] = &[
    "= ", "= struct", "= static", "= 1 2", "== 1", "=> 1", ": ", ": struct", ": 'a'", ":: a", "{ 1 }", "[1]",
    "\"1\"", "1", "(1 2)", "(= 1)",
];

/// Expands an item in which something is written.
type Place = fn(&str) -> TokenStream;

/// Where something is written, with `HERE` in its place.
const PLACES: &[(&str, Place)] = &[
    ("#[tool]", |written| tool::attribute(tokens(written), tokens("/** A. */ async fn a() -> String { a }"))),
    ("#[arg]", |written| {
        let item = "/** A. */ async fn a(/** B. */ #[arg(HERE)] b: u8) -> String { a }";
        tool::attribute(TokenStream::new(), filled(item, written))
    }),
    ("#[toolbox]", |written| {
        let item = "impl A { /** A. */ #[tool] async fn a(&self) -> String { a } }";
        toolbox::attribute(tokens(written), tokens(item))
    }),
    ("#[fragment]", |written| fragment::derive(filled("#[fragment(HERE)] struct A;", written))),
    ("#[fragment]", |written| fragment::derive(filled("enum A { #[fragment(HERE)] B }", written))),
    ("#[fragment]", |written| fragment::derive(filled("struct A { #[fragment(HERE)] b: String }", written))),
    ("#[state]", |written| state::derive(filled("#[state(HERE)] struct A { b: u8 }", written))),
    ("#[state]", |written| state::derive(filled("struct A { #[state(HERE)] b: u8, c: u16 }", written))),
    #[cfg(feature = "mcp")]
    ("mcp_tools!", |written| {
        crate::mcp_tools::declare(filled("\"src/mcp_tools/tests/notes.lock.json\", HERE", written))
    }),
    ("a registry", |written| registry::declare(filled("struct A { HERE }", written))),
];

fn tokens(text: &str) -> TokenStream {
    TokenStream::from_str(text).unwrap_or_default()
}

fn filled(item: &str, written: &str) -> TokenStream {
    tokens(&item.replace("HERE", written))
}

/// The keys that may stand at a place, as the message for an unknown one lists them.
fn keys(place: Place) -> Vec<String> {
    let said = messages(place("unheard_of: 1"));
    let list = said.iter().find_map(|message| message.split_once(" are ").map(|(_, list)| list));
    list.into_iter().flat_map(|list| list.split(", ")).map(|key| key.replace('`', "")).collect()
}

/// The parser's own words say what it expected, not what to write.
fn is_of_the_parser(message: &str) -> bool {
    !message.contains("; ") || message.starts_with("expected") || message.starts_with("unexpected")
}

#[test]
fn no_message_is_the_parsers() {
    let mut wrong = Vec::new();
    for (name, place) in PLACES {
        let keys = keys(*place);
        assert!(!keys.is_empty(), "{name} has no options");
        let behind_key =
            keys.iter().flat_map(|key| BEHIND.iter().map(move |behind| format!("{key} {behind}")));
        let without_key = [", ,", "\"a\"", "1", "= 1", ": 1", "(1)", "[a]"].map(str::to_owned);
        for written in behind_key.chain(without_key) {
            let said = messages(place(&written));
            let of_the_parser = said.iter().filter(|message| is_of_the_parser(message));
            wrong.extend(of_the_parser.map(|message| format!("{name} `{written}`: {message}")));
            if said.is_empty() {
                wrong.push(format!("{name} `{written}`: nothing"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
