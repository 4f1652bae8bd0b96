//! Bodies and fields: each placeholder is a field, each field has a use.

use super::super::ast::{Case, Field, Form, Fragment};
use super::super::value::{Body, Marker, Pair, Slot, Template};
use super::in_key;
use super::markers::{no_such_field, remedy};
use crate::common::nearest::nearest;
use crate::common::sink::Sink;

pub(super) fn check(fragment: &Fragment, sink: &Sink) {
    let enum_body = fragment.options.reading.key("body").filter(|_| fragment.form == Form::Enum);
    if let Some(body) = enum_body {
        sink.error(body, "an enum has no body of its own; give each variant its own body");
    }
    for case in &fragment.cases {
        if let Some(Body::Template(template)) = &case.body {
            body(fragment, case, template, sink);
        }
        if case.lacks_body && enum_body.is_none() {
            let remedy =
                "add `#[fragment(body = \"…\")]`, a template over its fields or the path of a function";
            sink.error(&case.ident, format!("`{}` has no body; {remedy}", case.ident));
        }
        for field in &case.fields {
            check_field(fragment, case, field, sink);
        }
        one_of_each(case, sink);
        channel(fragment, case, sink);
    }
}

fn body(fragment: &Fragment, case: &Case, template: &Template, sink: &Sink) {
    let is_unmarked = fragment.options.is_injection() || fragment.options.reading.has("unmarked");
    if is_unmarked && template.is_sound && template.segments.is_empty() {
        let message = "an empty body without markers would never be recorded; write its text";
        sink.error(&template.literal, message);
    }
    for name in template.placeholders().filter(|name| case.field(name).is_none()) {
        let message = format!("{}; {}", no_such_field(fragment, case, name), remedy(case, name));
        sink.error(&template.literal, message);
    }
    let markers = fragment.options.markers.iter().flat_map(Pair::both);
    for marker in markers.filter(|marker| template.texts().any(|text| occurs(marker, text))) {
        let message = format!(
            "the body contains the marker `{}`, so the text would not be recognised; remove it from the body",
            marker.literal.value()
        );
        sink.error(&template.literal, message);
    }
}

/// Whether the text contains the marker, with any key; ASCII letters are compared without case.
fn occurs(marker: &Marker, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let lowered: Vec<String> = marker.texts().map(str::to_ascii_lowercase).collect();
    match (lowered.as_slice(), marker.key()) {
        ([whole], None) => text.contains(whole.as_str()),
        ([before, after], Some(_)) => text.match_indices(before.as_str()).any(|(at, found)| {
            let rest = text.get(at + found.len()..).unwrap_or_default();
            let behind = rest.trim_start_matches(in_key);
            behind.len() < rest.len() && behind.starts_with(after.as_str())
        }),
        // Refused by the checks of the markers.
        _ => false,
    }
}

fn check_field(fragment: &Fragment, case: &Case, field: &Field, sink: &Sink) {
    let name = &field.name;
    let is_key = fragment.key() == Some(name);
    let is_placed = case.placed().any(|placed| placed.name == *name);
    let flag = |flag| field.reading.key(flag);
    if let Some(skip) = flag("skip")
        && (is_key || is_placed)
    {
        let place = if is_placed { "the body names" } else { "the markers name" };
        sink.error(skip, format!("`{name}` is skipped, yet {place} it; remove one of the two"));
    }
    if let Some(raw) = flag("raw")
        && !is_placed
        && !is_unreadable(case)
    {
        let message =
            format!("`raw` is about a value in the body, and `{name}` is not put there; remove `raw`");
        sink.error(raw, message);
    }
    // Markers that name more than their key have been refused already; so has a flag that says what the field is for.
    let markers = fragment.options.markers.iter().flat_map(Pair::both);
    let is_marked = markers.flat_map(Marker::placeholders).any(|marked| marked == name);
    let has_use =
        is_marked || is_placed || ["id", "channel", "skip"].iter().any(|flag| !field.reading.lacks(flag));
    let is_templated = matches!(&case.body, Some(Body::Template(template)) if template.is_sound);
    if is_templated && !has_use && !is_misspelled(case, name) {
        let message = format!(
            "`{name}` is used nowhere; put `{{{name}}}` into the body or mark it `#[fragment(skip)]`"
        );
        sink.error(field.tokens(), message);
    }
}

/// Whether a placeholder that is no field was told to be this one.
fn is_misspelled(case: &Case, name: &str) -> bool {
    let names = || case.fields.iter().map(|field| field.name.as_str());
    let Some(Body::Template(template)) = &case.body else {
        return false;
    };
    template
        .placeholders()
        .filter(|placeholder| case.field(placeholder).is_none())
        .any(|placeholder| nearest(placeholder, names()) == Some(name))
}

/// Whether the body has a mistake already, so that nobody knows what it was to hold.
fn is_unreadable(case: &Case) -> bool {
    match &case.body {
        Some(Body::Template(template)) => {
            let is_unknown = |name: &str| case.field(name).is_none();
            !template.is_sound || template.placeholders().any(is_unknown)
        }
        Some(Body::Function(_)) => false,
        None => true,
    }
}

fn one_of_each(case: &Case, sink: &Sink) {
    for (flag, message) in [
        ("id", "an item has one id; keep one `id`"),
        ("channel", "an injection has one channel; keep one `channel`"),
    ] {
        for second in case.fields.iter().filter_map(|field| field.reading.key(flag)).skip(1) {
            sink.error(second, message);
        }
    }
}

fn channel(fragment: &Fragment, case: &Case, sink: &Sink) {
    let field = case.flagged("channel").and_then(|field| field.reading.key("channel"));
    match (&fragment.options.slot, field) {
        (Some(Slot::ByField(slot)), None) => {
            let message = "nothing names the channel; write `injection(\"channel\")` or mark a field \
                           `#[fragment(channel)]`";
            match fragment.form {
                Form::Enum => sink.error(&case.ident, message),
                Form::Struct | Form::Union => sink.error(slot, message),
            }
        }
        (Some(Slot::Named(_)), Some(field)) => {
            sink.error(
                field,
                "the slot names the channel already; write `slot = injection` or remove `channel`",
            );
        }
        (Some(Slot::Run | Slot::Goal | Slot::Turn), Some(field)) => not_an_injection(field, sink),
        (None, Some(field)) if fragment.options.reading.lacks("slot") => not_an_injection(field, sink),
        _ => {}
    }
}

fn not_an_injection(field: &syn::Ident, sink: &Sink) {
    sink.error(field, "only an injection has a channel; add `slot = injection` or remove `channel`");
}
