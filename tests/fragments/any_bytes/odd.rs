//! A registry whose markers hold one another, escapes, and what templates and values make together.

use std::sync::LazyLock;

use polyloop::Key;
use polyloop::prelude::*;

use super::{World, key_in, parts};

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<tag>", "</tag>"), max_chars = 9_000, body = "<{name}>{text}/tag>&lt;{rest}")]
struct Tag {
    name: String,
    text: String,
    rest: String,
}

/// Its values touch.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<joined>", "</joined>"), max_chars = 9_000, body = "{left}{right}tag>")]
struct Joined {
    left: String,
    right: String,
}

/// A marker that begins like an escape.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("&it;", "&it.;"), max_chars = 9_000, body = "{text}")]
struct Entity {
    text: String,
}

/// A marker that is what an escape makes of another.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("lt;tag>", "lt;/tag>"), max_chars = 9_000, body = "{text}")]
struct Escape {
    text: String,
}

/// Markers that hold those of another kind.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<outer><tag>", "</tag></outer>"), max_chars = 9_000, body = "{text}")]
struct Nested {
    text: String,
}

/// Markers that can overlap.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("==", "==="), max_chars = 9_000, body = "{text}")]
struct Fence {
    text: String,
}

/// A tag that is nothing but a key.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<{key}>", "</dynamic>"), max_chars = 9_000, body = "{text}")]
struct Dynamic {
    key: Key,
    text: String,
}

/// Its begin is open, so that a value can go on with it.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<open", "/close>"), max_chars = 9_000, body = "{text}")]
struct Open {
    text: String,
}

/// Its begin is that of another kind and something.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<opening", "!closing"), max_chars = 9_000, body = "{text}")]
#[fragment(legacy_prefix = "&lt;tag>")]
struct Opening {
    text: String,
}

/// What a cut leaves can make a marker with its notice.
#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, markers("<cut>", "</cut>"), max_chars = 40, overflow = cut(head), body = "{text}")]
#[fragment(notice = "{left_out}<")]
struct Cut {
    text: String,
}

#[derive(ContextFragment, Debug, PartialEq)]
#[fragment(role = user, unmarked = "short", max_chars = 30, overflow = cut(middle), body = "{text}")]
#[fragment(notice = "t{left_out}")]
struct Bare {
    text: String,
}

registry! {
    struct Odd {
        fragments: [Tag, Joined, Entity, Escape, Nested, Fence, Dynamic, Open, Opening, Cut, Bare],
    }
}

static WORLD: LazyLock<World<Odd>> = LazyLock::new(World::with_seams);

pub(super) fn check(which: u8, bytes: &[u8]) {
    let text = &WORLD.text(bytes);
    WORLD.says_what_the_rules_say(text);
    let mut parts = parts(text);
    let mut part = || parts.next().unwrap_or_default();
    let key = key_in(text);
    let _rendered = match which % 11 {
        0 => WORLD.reads_back(&Tag { name: part(), text: part(), rest: part() }, text, None),
        1 => WORLD.renders(&Joined { left: part(), right: part() }, text, None),
        2 => WORLD.reads_back(&Entity { text: part() }, text, None),
        3 => WORLD.reads_back(&Escape { text: part() }, text, None),
        4 => WORLD.reads_back(&Nested { text: part() }, text, None),
        5 => WORLD.reads_back(&Fence { text: part() }, text, None),
        6 => WORLD.reads_back(&Dynamic { key: key.clone(), text: part() }, text, Some(&key)),
        7 => WORLD.reads_back(&Open { text: part() }, text, None),
        8 => WORLD.reads_back(&Opening { text: part() }, text, None),
        9 => WORLD.reads_back(&Cut { text: part() }, text, None),
        _ => WORLD.reads_back(&Bare { text: part() }, text, None),
    };
}
