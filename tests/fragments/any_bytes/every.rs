//! A registry with each form of markers, kept well apart.

use std::sync::LazyLock;

use polyloop::Key;
use polyloop::prelude::*;

use super::{World, key_in, parts};

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<note>", "</note>"), max_chars = 9_000, body = "{text}")]
struct Note {
    text: String,
}

/// Written in mixed case.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<PAIR>", "</Pair>"), max_chars = 9_000, body = "\n{left} | {right}\n")]
struct Pair {
    left: String,
    right: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<from_{source}>", "</from_{source}>"), max_chars = 9_000, body = "{text}")]
struct From {
    source: Key,
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<inner source=\"{key}\">", "</inner>"), max_chars = 9_000, body = "{text}")]
struct Inner {
    key: Key,
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<{{set}} {key}>", "</{{set}}>"), max_chars = 9_000, body = "{{{text}}}")]
struct Braces {
    key: Key,
    text: String,
}

/// Has two old forms.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<rules>", "</rules>"), max_chars = 9_000, body = "- {first}\n- {second}")]
#[fragment(legacy("<house for=\"{key}\">", "</house>"), legacy_prefix = "# House rules:")]
struct Rules {
    first: String,
    second: String,
}

/// Its markers have no escape.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("# Guide", "</GUIDE>"), max_chars = 9_000, body = " of {name}\n{text}\n")]
struct Guide {
    name: String,
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, unmarked = "short", max_chars = 9_000, body = "{text}")]
struct Hint {
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, unmarked = "had none", legacy_prefix = "<plan>", max_chars = 9_000, body = "<plan>{text}")]
struct Plan {
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<verbatim>", "</verbatim>"), max_chars = 9_000, body = "{data}={kept}")]
struct Verbatim {
    data: String,
    #[fragment(raw)]
    kept: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<whole>", "</whole>"), max_chars = 9_000, raw, body = "{kept}")]
struct Whole {
    kept: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(slot = injection("pasted"), max_chars = 9_000, body = "{text}")]
struct Pasted {
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<first>", "</first>"), max_chars = 70, overflow = cut(tail), body = "{text}")]
struct First {
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, unmarked = "long", max_chars = 60, overflow = cut(head), body = "{text}")]
struct Last {
    text: String,
}

/// Its notice can stand for a part of a key.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<ends>", "</ends>"), max_chars = 50, overflow = cut(middle), body = "{text}")]
#[fragment(notice = "{left_out}")]
struct Ends {
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<event>", "</event>"), max_chars = 9_000)]
enum Happening {
    #[fragment(body = "started {name} as {number}")]
    Started { name: String, number: u8 },
    #[fragment(body = "gone")]
    Gone,
    #[fragment(body = "{0}")]
    Said(String),
}

registry! {
    struct Every {
        fragments: [
            Note, Pair, From, Inner, Braces, Rules, Guide, Hint, Plan, Verbatim, Whole, Pasted, First, Last, Ends,
            Happening,
        ],
    }
}

static WORLD: LazyLock<World<Every>> = LazyLock::new(World::new);

pub(super) fn check(which: u8, bytes: &[u8]) {
    let text = &WORLD.text(bytes);
    WORLD.says_what_the_rules_say(text);
    let mut parts = parts(text);
    let mut part = || parts.next().unwrap_or_default();
    let key = key_in(text);
    let known = Some(&key);
    let _rendered = match which % 16 {
        0 => return comes_back_however_often_it_is_escaped(text),
        1 => WORLD.reads_back(&Pair { left: part(), right: part() }, text, None),
        2 => WORLD.reads_back(&From { source: key.clone(), text: part() }, text, known),
        3 => WORLD.reads_back(&Inner { key: key.clone(), text: part() }, text, known),
        4 => WORLD.reads_back(&Braces { key: key.clone(), text: part() }, text, known),
        5 => WORLD.reads_back(&Rules { first: part(), second: part() }, text, None),
        6 => WORLD.reads_back(&Guide { name: part(), text: part() }, text, None),
        7 => WORLD.reads_back(&Hint { text: part() }, text, None),
        8 => WORLD.reads_back(&Plan { text: part() }, text, None),
        9 => WORLD.reads_back(&Verbatim { data: part(), kept: part() }, text, None),
        10 => WORLD.reads_back(&Whole { kept: part() }, text, None),
        11 => WORLD.reads_back(&Pasted { text: part() }, text, None),
        12 => WORLD.reads_back(&First { text: part() }, text, None),
        13 => WORLD.reads_back(&Last { text: part() }, text, None),
        14 => WORLD.reads_back(&Ends { text: part() }, text, None),
        _ => WORLD.reads_back(&happening(&part(), part()), text, None),
    };
}

fn happening(number: &str, name: String) -> Happening {
    match number.parse() {
        Ok(number) => Happening::Started { name, number },
        Err(_) if number == "gone" => Happening::Gone,
        Err(_) => Happening::Said(name),
    }
}

/// Puts a text in as a value, and what comes of it, and what comes of that; then undoes all of it.
fn comes_back_however_often_it_is_escaped(text: &str) {
    let mut values = vec![text.to_owned()];
    for level in 0..3 {
        let value = Note { text: values[level].clone() };
        let Some(rendered) = WORLD.reads_back(&value, &values[level], None) else { return };
        let inside = rendered.text().strip_prefix("<note>").and_then(|rest| rest.strip_suffix("</note>"));
        values.push(inside.expect("it stands between its markers").to_owned());
    }
    for level in (0..3).rev() {
        let read = Every::parse::<Note>(&format!("<note>{}</note>", values[level + 1]));
        assert_eq!(read, Ok(Note { text: values[level].clone() }));
    }
}
