//! What holds for every text: no panic, agreement with the plain reference, and no foreign marker.

use polyloop::Registry;
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::reference::{marker_at, markers, places, recognise};
use crate::support::{App, each_rendered};

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
    let markers = markers::<App>();
    let marker = || {
        let marker = proptest::sample::select(markers.clone());
        (marker, "a|b|ab").prop_map(|(marker, key)| marker.replace("{key}", &key))
    };
    ("[ \n]{0,2}", marker(), nasty(6), marker(), "[ \n]{0,2}")
        .prop_map(|(before, begin, body, end, after)| [before, begin, body, end, after].concat())
}

fn agrees(text: &str) -> Result<(), TestCaseError> {
    let known = App::recognize(text);
    let expected = recognise::<App>(text);
    let found = known.as_ref().map(|known| {
        let position = App::SPEC.fragments.iter().position(|entry| entry.kind == known.kind).unwrap();
        (position, known.key, known.body.clone(), known.legacy)
    });
    let expected = expected.map(|known| (known.kind, known.key, known.body, known.legacy));
    prop_assert_eq!(found, expected, "{:?}", text);
    Ok(())
}

proptest! {
    #![proptest_config(config(1_024))]

    #[test]
    fn recognising_agrees_with_the_reference(text in nasty(10)) {
        agrees(&text)?;
    }

    #[test]
    fn recognising_what_stands_between_markers_agrees_with_the_reference(text in enclosed()) {
        agrees(&text)?;
    }

    #[test]
    fn recognising_arbitrary_text_never_panics(text in "\\PC{0,40}|(?s).{0,40}") {
        agrees(&text)?;
        prop_assert_eq!(App::holds_marker(&text), !places::<App>(&text).is_empty() || recognise::<App>(&text).is_some());
    }

    #[test]
    fn a_marker_is_found_wherever_it_stands(text in nasty(10)) {
        prop_assert_eq!(App::holds_marker(&text), !places::<App>(&text).is_empty() || recognise::<App>(&text).is_some());
    }
}

proptest! {
    #![proptest_config(config(192))]

    #[test]
    fn a_rendered_fragment_is_its_own_kind_and_holds_no_marker_but_its_own_pair(
        text in nasty(8),
        key in "[a-z][a-z0-9_]{0,12}",
    ) {
        prop_assume!(markers::<App>().iter().all(|marker| marker_at(marker, &format!("<{key}>"), 0).is_none()));
        for (kind, rendered) in each_rendered(&text, &key) {
            let Ok(rendered) = rendered else { continue };
            let text = rendered.text();
            let known = App::recognize(text).unwrap();
            prop_assert_eq!(known.kind, kind);
            prop_assert!(!known.legacy);
            let own = [0..known.body.start, known.body.end..text.len()];
            let found = places::<App>(text);
            prop_assert!(found.iter().all(|place| own.contains(place)), "{:?}: {:?}", text, found);
        }
    }

    #[test]
    fn only_a_value_with_a_marker_that_has_no_escape_is_refused(text in nasty(8)) {
        let has_no_escape = |marker: &&str| !marker.starts_with('<');
        let hopeless: Vec<&str> = markers::<App>().into_iter().filter(has_no_escape).collect();
        let lower = text.to_ascii_lowercase();
        let is_hopeless = hopeless.iter().any(|marker| lower.contains(&marker.to_ascii_lowercase()));
        let rendered = App::render(&crate::support::Skill { content: text });
        prop_assert_eq!(rendered.is_err(), is_hopeless, "{:?}", rendered);
    }
}
