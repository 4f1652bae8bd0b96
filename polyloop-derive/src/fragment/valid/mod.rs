//! Every check of a fragment that can be made from the item alone.

mod case;
mod markers;
mod policy;
mod size;

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{GenericParam, LitStr};

use super::ast::{Form, Fragment};
use crate::common::sink::Sink;

pub(crate) fn check(fragment: &Fragment, sink: &Sink) {
    if !form(fragment, sink) {
        return;
    }
    lifetimes(fragment, sink);
    kind(fragment, sink);
    policy::check(fragment, sink);
    size::check(fragment, sink);
    markers::check(fragment, sink);
    case::check(fragment, sink);
}

/// Whether the item can be a fragment at all.
fn form(fragment: &Fragment, sink: &Sink) -> bool {
    match fragment.form {
        Form::Union => sink.error(&fragment.ident, "a union cannot be a fragment; use a struct or an enum"),
        Form::Enum if fragment.cases.is_empty() => {
            sink.error(&fragment.ident, "an enum without variants says nothing; add a variant with a body");
        }
        Form::Enum | Form::Struct => return true,
    }
    false
}

fn lifetimes(fragment: &Fragment, sink: &Sink) {
    for parameter in &fragment.generics.params {
        if let GenericParam::Lifetime(parameter) = parameter {
            let message = "a fragment owns its text; use `String` instead of a reference";
            sink.error(&parameter.lifetime, message);
        }
    }
}

fn kind(fragment: &Fragment, sink: &Sink) {
    let kind = fragment.kind();
    match &fragment.options.kind {
        Some(literal) => kind_text(literal, sink),
        None if !fragment.options.reading.lacks("kind") => {}
        None if !is_kind(&kind) => {
            let message = format!("`{kind}` is no kind; name it with `kind = \"feature.name\"`");
            sink.error(&fragment.ident, message);
        }
        None => {}
    }
    let mut seen = BTreeSet::new();
    for was in &fragment.options.was {
        let former = was.value();
        kind_text(was, sink);
        if former == kind {
            sink.error(was, format!("`{former}` is the kind itself; `was` names only former ones"));
        } else if !seen.insert(former.clone()) {
            sink.error(was, format!("`{former}` is already a former kind; remove one of the two"));
        }
    }
}

fn kind_text(literal: &LitStr, sink: &Sink) {
    let kind = literal.value();
    if is_reserved(&kind) {
        sink.error(
            literal,
            format!("`{kind}` is reserved, like all that begins with `polyloop.`; choose another"),
        );
    } else if !is_kind(&kind) {
        let message =
            "is no kind; write words of `a-z`, `0-9` and `_` that begin with a letter, joined by `.`";
        sink.error(literal, format!("`{kind}` {message}"));
    }
}

/// Whether the kind could be taken for a built-in one.
pub(super) fn is_reserved(kind: &str) -> bool {
    kind.starts_with("polyloop.")
}

/// `[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*`
pub(super) fn is_kind(kind: &str) -> bool {
    kind.split('.')
        .all(|word| word.starts_with(|first: char| first.is_ascii_lowercase()) && word.chars().all(in_key))
}

/// Whether a kind or a marker's key may hold the character.
fn in_key(character: char) -> bool {
    matches!(character, 'a'..='z' | '0'..='9' | '_')
}

/// The fragment's own name, as a message shows it.
fn name(fragment: &Fragment) -> String {
    fragment.ident.unraw().to_string()
}

/// Reports the message at the option's key, if the option is given.
fn refuse(fragment: &Fragment, option: &str, sink: &Sink, message: &str) {
    if let Some(key) = fragment.options.reading.key(option) {
        sink.error(key, message);
    }
}

/// Reports an option that is neither given nor misspelled; there is nothing but the type's name to underline.
fn require(fragment: &Fragment, option: &str, sink: &Sink, message: &str) {
    if fragment.options.reading.lacks(option) {
        sink.error(&fragment.ident, message);
    }
}

/// The value of an option as written, else its key, else the type's name.
fn written(fragment: &Fragment, option: &str) -> TokenStream {
    match fragment.options.reading.get(option) {
        Some(setting) => crate::common::options::given_tokens(setting),
        None => fragment.ident.to_token_stream(),
    }
}
