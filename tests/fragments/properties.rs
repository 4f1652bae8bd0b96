//! What holds for every text: no panic, agreement with the plain reference, and no foreign marker.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::any_bytes::{self, World};
use crate::reference::Reference;
use crate::support::App;

static APP: LazyLock<World<App>> = LazyLock::new(World::new);

/// So many cases, and no file of failures beside the source.
pub(crate) fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// Pieces that markers are made of, and what disturbs them.
const PIECES: [&str; 46] = [
    "<environment_context>",
    "</environment_context>",
    "<skill>",
    "</skill>",
    "<SKILL>",
    "</Skill>",
    "<subagent_notification>",
    "</subagent_notification>",
    "# AGENTS.md instructions",
    "</INSTRUCTIONS>",
    "</instructions>",
    "<external_",
    "</external_",
    "<external_a>",
    "</external_a>",
    "<external_b>",
    "</external_b>",
    "<internal source=\"",
    "<internal source=\"a\">",
    "</internal>",
    "<rules>",
    "</rules>",
    "<house_rules for=\"a\">",
    "</house_rules>",
    "# House rules:",
    "<a>",
    "</a>",
    "<process>",
    "</process>",
    "<permissions instructions>",
    "<",
    "/",
    ">",
    "a",
    "b>",
    "&",
    "&lt;",
    "&amp;",
    "amp;",
    "lt;",
    " ",
    "\n",
    "ä",
    "日",
    "\u{a0}",
    "x",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => (proptest::sample::select(&PIECES[..]), any::<proptest::sample::Index>()).prop_map(|(piece, at)| {
            let ends: Vec<usize> = piece.char_indices().map(|(at, _)| at).collect();
            piece[..ends[at.index(ends.len())]].to_owned()
        }),
    ]
}

/// A text that is likely to hold markers.
pub(crate) fn nasty(most: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..=most).prop_map(|pieces| pieces.concat())
}

/// A text between a begin and an end.
fn enclosed() -> impl Strategy<Value = String> {
    let markers: Vec<String> = Reference::of::<App>()
        .markers()
        .flat_map(|marker| ["a", "b", "ab"].map(|key| marker.with_key(key)))
        .collect();
    let marker = || proptest::sample::select(markers.clone());
    ("[ \n]{0,2}", marker(), nasty(6), marker(), "[ \n]{0,2}")
        .prop_map(|(before, begin, body, end, after)| [before, begin, body, end, after].concat())
}

proptest! {
    #![proptest_config(config(1_024))]

    #[test]
    fn recognising_agrees_with_the_reference(text in nasty(10)) {
        APP.says_what_the_rules_say(&text);
    }

    #[test]
    fn recognising_what_stands_between_markers_agrees_with_the_reference(text in enclosed()) {
        APP.says_what_the_rules_say(&text);
    }

    #[test]
    fn recognising_arbitrary_text_never_panics(text in "\\PC{0,40}|(?s).{0,40}") {
        APP.says_what_the_rules_say(&text);
    }

    /// What the fuzz target looks for with more patience.
    #[test]
    fn any_bytes_are_recognised_neutralised_and_read_back_as_the_rules_say(
        bytes in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        any_bytes::check(&bytes);
    }
}
