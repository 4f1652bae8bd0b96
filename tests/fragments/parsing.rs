//! Reading back gives what was rendered, or an error; never another value.

use std::fmt::Debug;
use std::str::FromStr;

use polyloop::prelude::*;
use polyloop::{Key, MarkerKey, ParseErrorKind, Registered};
use proptest::prelude::*;

use crate::properties::{config, nasty};
use crate::reference::Reference;
use crate::support::key;

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<room>", "</room>"), max_chars = 4_000, body = "{left} of {total}")]
struct Room {
    left: u32,
    total: i64,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<pair>", "</pair>"), max_chars = 4_000, body = "\n{0} | {1}\n")]
struct Pair(String, String);

/// Its template is made to run together with values.
#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<trap>", "</trap>"), max_chars = 4_000, body = "<{name}>{content}/pair>&lt;{rest}")]
struct Trap {
    name: String,
    content: String,
    rest: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<from_{source}>", "</from_{source}>"), max_chars = 4_000, body = "{content}")]
struct From {
    source: Source,
    content: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<step>", "</step>"), max_chars = 4_000)]
enum Step {
    #[fragment(body = "read {path}")]
    Read { path: String },
    #[fragment(body = "read {path} from {line}")]
    ReadFrom { path: String, line: u32 },
    #[fragment(body = "done")]
    Done,
    #[fragment(body = "{0}")]
    Other(String),
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, unmarked = "short", max_chars = 4_000, body = "{content}")]
struct Plain {
    content: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<verbatim>", "</verbatim>"), max_chars = 4_000, body = "{a}={b}")]
struct Verbatim {
    a: String,
    #[fragment(raw)]
    b: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<bounded>", "</bounded>"), max_chars = 80, overflow = cut(middle), body = "{text}")]
struct Bounded {
    text: String,
}

/// A marker that begins with `&`, which is what escapes begin with.
#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("&begin;", "&end;"), max_chars = 4_000, body = "{text}")]
struct Entity {
    text: String,
}

/// Markers that hold one another and the escape itself.
#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<outer><pair>", "</pair></outer>"), max_chars = 4_000, body = "{text}")]
#[fragment(legacy("lt;room", "</old>"))]
struct Nested {
    text: String,
}

/// A closed set of keys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Browser,
    Shell,
}

impl MarkerKey for Source {
    fn as_key(&self) -> &str {
        match self {
            Self::Browser => "browser",
            Self::Shell => "shell",
        }
    }
}

impl FromStr for Source {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Browser, Self::Shell].into_iter().find(|source| source.as_key() == text).ok_or(())
    }
}

registry! {
    struct App { fragments: [Room, Pair, Trap, From, Step, Plain, Verbatim, Bounded] }
}
registry! {
    /// Markers that are hard to keep apart.
    struct Odd { fragments: [Pair, Room, Plain, Entity, Nested] }
}

/// Whether the value came back, through a registry.
fn back<R: Registry, F>(value: &F) -> Result<bool, TestCaseError>
where
    F: Registered<R> + ParseFragment + PartialEq + Debug,
{
    let Ok(rendered) = R::render(value) else { return Ok(false) };
    let Ok(read) = R::parse::<F>(rendered.text()) else { return Ok(false) };
    prop_assert_eq!(&read, value, "{}", rendered.text());
    Ok(true)
}

/// Whether the value came back, through its type alone.
fn back_alone<F: ParseFragment + PartialEq + Debug>(value: &F) -> Result<bool, TestCaseError> {
    let Ok(rendered) = value.render() else { return Ok(false) };
    let Ok(read) = F::parse(rendered.text()) else { return Ok(false) };
    prop_assert_eq!(&read, value, "{}", rendered.text());
    Ok(true)
}

fn check<F: Registered<App> + ParseFragment + PartialEq + Debug>(value: &F) -> Result<(), TestCaseError> {
    back::<App, F>(value)?;
    back_alone(value)?;
    Ok(())
}

/// Texts that markers, escapes, templates and notices are made of.
fn value() -> impl Strategy<Value = String> {
    let pieces = [
        "<pair>",
        "</pair>",
        "<PAIR>",
        "</trap>",
        "<trap>",
        "<room>",
        "<from_shell>",
        "</from_browser>",
        "<step>",
        "</step>",
        "&lt;pair>",
        "&amp;lt;pair>",
        "&amp;amp;lt;/PAIR>",
        "&lt;",
        "&amp;",
        "lt;",
        "amp;",
        "&begin;",
        "&end;",
        "<outer>",
        "<outer><pair>",
        "</pair></outer>",
        "</outer>",
        "lt;room",
        "&lt;room",
        "</old>",
        " | ",
        "\n",
        " of ",
        "read ",
        " from ",
        "done",
        "=",
        "/pair>",
        "<",
        ">",
        "/",
        "&",
        "pair>",
        "ä",
        "\u{0}",
        "\u{7f}",
        "\r",
        "\u{2028}",
        "🦀",
        "7",
        "[… 7 characters left out …]",
        "\n[… ",
        " characters left out …]\n",
    ];
    let piece = prop_oneof![
        9 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop_oneof![
        6 => proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
        1 => nasty(4),
    ]
}

proptest! {
    #![proptest_config(config(384))]

    #[test]
    fn a_value_read_back_is_the_one_that_was_rendered(a in value(), b in value(), c in value(), n in any::<u32>()) {
        check(&Pair(a.clone(), b.clone()))?;
        check(&Trap { name: a.clone(), content: b.clone(), rest: c })?;
        check(&From { source: Source::Shell, content: a.clone() })?;
        check(&Step::Read { path: a.clone() })?;
        check(&Step::ReadFrom { path: a.clone(), line: n })?;
        check(&Step::Other(a.clone()))?;
        check(&Plain { content: a.clone() })?;
        check(&Bounded { text: a.clone() })?;
        check(&Bounded { text: [a.as_str(), &b].concat().repeat(4) })?;
        check(&Verbatim { a, b })?;
    }

    #[test]
    fn markers_that_overlap_escapes_or_each_other_lead_to_no_other_value(a in value(), b in value()) {
        back::<Odd, _>(&Pair(a.clone(), b.clone()))?;
        back::<Odd, _>(&Entity { text: a.clone() })?;
        back::<Odd, _>(&Nested { text: a.clone() })?;
        back::<Odd, _>(&Plain { content: a.clone() })?;
        back_alone(&Entity { text: a.clone() })?;
        back_alone(&Nested { text: a })?;
    }

    #[test]
    fn a_rendering_holds_no_foreign_marker_even_where_markers_are_odd(a in value()) {
        let places = |text: &str| Reference::of::<Odd>().places(text);
        if let Ok(rendered) = Odd::render(&Entity { text: a.clone() }) {
            let inside = "&begin;".len()..rendered.text().len() - "&end;".len();
            let touches = |place: &std::ops::Range<usize>| place.start < inside.end && inside.start < place.end;
            prop_assert!(!places(rendered.text()).iter().any(touches), "{}", rendered.text());
        }
        if let Ok(rendered) = Odd::render(&Plain { content: a }) {
            prop_assert!(places(rendered.text()).is_empty(), "{}", rendered.text());
        }
    }

    #[test]
    fn numbers_and_plain_words_come_back(left in any::<u32>(), total in any::<i64>(), word in "[a-z äé.,\n]{0,30}") {
        let returned = [
            back::<App, _>(&Room { left, total })?,
            back_alone(&Room { left, total })?,
            back::<App, _>(&Pair(word.clone(), word.clone()))?,
            back::<App, _>(&From { source: Source::Browser, content: word.clone() })?,
            back::<App, _>(&Plain { content: word })?,
        ];
        prop_assert_eq!(returned, [true; 5]);
    }
}

#[test]
fn a_marker_in_a_value_comes_back_exactly_escaped_or_not() {
    for text in [
        "<pair>",
        "</PAIR>",
        "&lt;pair>",
        "&amp;lt;pair>",
        "&amp;amp;lt;/pair>",
        "<room><trap></from_x>",
        "&lt;b>",
        "&amp;",
    ] {
        let value = Pair(text.to_owned(), text.repeat(2));
        assert!(back::<App, _>(&value).unwrap(), "{text}");
        assert!(back_alone(&value).unwrap(), "{text}");
        assert!(back::<App, _>(&From { source: Source::Shell, content: text.to_owned() }).unwrap(), "{text}");
    }
}

#[test]
fn a_split_that_is_not_the_only_one_is_refused() {
    for (left, right) in [("a | b", "c"), ("a", "b | c"), (" | ", ""), ("", " | ")] {
        let rendered = App::render(&Pair(left.into(), right.into())).unwrap();
        let refused = App::parse::<Pair>(rendered.text()).unwrap_err();
        assert_eq!(*refused.reason(), ParseErrorKind::Ambiguous, "{left:?} {right:?}");
    }
    assert!(back::<App, _>(&Pair("a |b".into(), "|c".into())).unwrap());
}

#[test]
fn a_text_that_two_variants_could_have_rendered_is_refused() {
    for value in [Step::Other("done".into()), Step::Done, Step::Read { path: "x from 3".into() }] {
        let rendered = App::render(&value).unwrap();
        assert_eq!(*App::parse::<Step>(rendered.text()).unwrap_err().reason(), ParseErrorKind::Ambiguous);
    }
}

#[test]
fn a_variant_that_alone_fits_is_read() {
    #[derive(ContextFragment, Debug, PartialEq)]
    #[fragment(role = user, markers("<ps>", "</ps>"), max_chars = 80)]
    enum Process {
        #[fragment(body = "as {id}")]
        Started { id: u32 },
        #[fragment(body = "gone")]
        Gone,
    }
    assert!(back::<App, _>(&Step::Other("wait".into())).unwrap());
    assert_eq!(Process::parse("<ps>as 7</ps>").unwrap(), Process::Started { id: 7 });
    assert_eq!(Process::parse("<ps>gone</ps>").unwrap(), Process::Gone);
}

#[test]
fn keys_are_read_back() {
    #[derive(ContextFragment, Debug, PartialEq)]
    #[fragment(role = user, markers("<k {key}>", "</k>"), max_chars = 80, body = "{text}")]
    struct Keyed {
        key: Key,
        text: String,
    }
    let value = Keyed { key: key("a_1"), text: "x</k>".into() };
    assert_eq!(Keyed::parse(value.render().unwrap().text()).unwrap(), value);
    let unknown = From::parse("<from_mail>x</from_mail>").unwrap_err();
    assert!(matches!(unknown.reason(), ParseErrorKind::Field { field, .. } if field == "key"), "{unknown}");
}

#[test]
fn what_is_not_of_the_form_is_refused_with_the_reason() {
    type Wanted = fn(&ParseErrorKind) -> bool;
    let rows: [(&str, Wanted); 8] = [
        ("3 of 9", |kind| *kind == ParseErrorKind::Markers),
        ("<room>3 of 9", |kind| *kind == ParseErrorKind::Markers),
        (" <room>3 of 9</room>", |kind| *kind == ParseErrorKind::Markers),
        ("<room>3 from 9</room>", |kind| *kind == ParseErrorKind::Body),
        ("<ROOM>3 of 9</ROOM>", |kind| *kind == ParseErrorKind::Body),
        ("<room>03 of 9</room>", |kind| *kind == ParseErrorKind::Body),
        (
            "<room>x of 9</room>",
            |kind| matches!(kind, ParseErrorKind::Field { field, .. } if field == "left"),
        ),
        (
            "<room>3 of </room>",
            |kind| matches!(kind, ParseErrorKind::Field { field, .. } if field == "total"),
        ),
    ];
    for (text, wanted) in rows {
        for refused in [Room::parse(text).unwrap_err(), App::parse::<Room>(text).unwrap_err()] {
            assert!(wanted(refused.reason()), "{text}: {refused:?}");
            assert!(refused.to_string().contains("`room`"), "{refused}");
        }
    }
}

#[test]
fn a_text_that_would_be_rendered_otherwise_is_refused() {
    // The marker inside is not escaped, so no value has this text.
    let refused = App::parse::<Pair>("<pair>\na<room> | b\n</pair>").unwrap_err();
    assert_eq!(*refused.reason(), ParseErrorKind::Body);
}

#[test]
fn a_text_that_was_cut_is_never_read_as_a_value() {
    let value = Bounded { text: "x".repeat(200) };
    let rendered = App::render(&value).unwrap();
    assert!(rendered.chars() <= 80);
    for refused in
        [App::parse::<Bounded>(rendered.text()).unwrap_err(), Bounded::parse(rendered.text()).unwrap_err()]
    {
        assert_eq!(*refused.reason(), ParseErrorKind::Cut);
    }
    assert!(back::<App, _>(&Bounded { text: "[… many characters left out …]".into() }).unwrap());
}
