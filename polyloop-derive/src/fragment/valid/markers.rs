//! Whether the text can be recognised: markers, their key, and the old forms.

use super::super::ast::{Case, Field, Form, Fragment};
use super::super::template::Segment;
use super::super::value::{Marker, Pair};
use super::{in_key, refuse};
use crate::common::nearest::nearest;
use crate::common::sink::Sink;

pub(super) fn check(fragment: &Fragment, sink: &Sink) {
    recognition(fragment, sink);
    if let Some(markers) = &fragment.options.markers {
        pair(markers, sink);
        key(fragment, markers, sink);
    }
    for legacy in &fragment.options.legacy {
        pair(legacy, sink);
        legacy_key(fragment, legacy.both(), sink);
        if fragment.options.markers.as_ref().is_some_and(|markers| is_same(markers, legacy)) {
            sink.error(&legacy.tokens, "these are the markers of today; `legacy` names only former ones");
        }
    }
    for prefix in &fragment.options.legacy_prefix {
        begin(prefix, sink);
        one_key(prefix, sink);
        legacy_key(fragment, [prefix], sink);
    }
}

/// Exactly one of `markers` and `unmarked`.
fn recognition(fragment: &Fragment, sink: &Sink) {
    let reading = &fragment.options.reading;
    let is_injection =
        fragment.options.is_injection() || (fragment.options.slot.is_none() && !reading.lacks("slot"));
    if is_injection {
        return;
    }
    if reading.lacks("markers") && reading.lacks("unmarked") {
        let message = "nothing says how the text is recognised; add `markers(\"<begin>\", \"</end>\")`, or \
                       `unmarked = \"why\"` to give that up";
        sink.error(&fragment.ident, message);
    }
    if reading.has("markers") {
        let message = "`unmarked` and `markers` contradict each other; keep one of them";
        refuse(fragment, "unmarked", sink, message);
    }
}

fn pair(pair: &Pair, sink: &Sink) {
    begin(&pair.begin, sink);
    end(&pair.end, sink);
    for marker in pair.both() {
        one_key(marker, sink);
    }
    match (pair.begin.key(), pair.end.key()) {
        (None, Some(_)) if pair.begin.is_sound => {
            let message =
                "the end marker has a key that the begin marker lacks; put it into both, or only the first";
            sink.error(&pair.end.literal, message);
        }
        (Some(begin), Some(end)) if begin != end => {
            let message = format!("the end marker has another key; write `{{{begin}}}` in both");
            sink.error(&pair.end.literal, message);
        }
        _ => {}
    }
}

fn begin(marker: &Marker, sink: &Sink) {
    let text = marker.literal.value();
    if text.is_empty() {
        empty(marker, sink);
    } else if text.starts_with(char::is_whitespace) {
        let message = "a begin marker cannot start with white space, which is trimmed before it is looked for; \
                       remove it";
        sink.error(&marker.literal, message);
    }
}

fn end(marker: &Marker, sink: &Sink) {
    let text = marker.literal.value();
    if text.is_empty() {
        empty(marker, sink);
    } else if text.ends_with(char::is_whitespace) {
        let message = "an end marker cannot end with white space, which is trimmed before it is looked for; \
                       remove it";
        sink.error(&marker.literal, message);
    }
}

fn empty(marker: &Marker, sink: &Sink) {
    sink.error(&marker.literal, "an empty marker could never be recognised; write the text that marks it");
}

/// A key must be found by looking at the characters around it.
fn one_key(marker: &Marker, sink: &Sink) {
    let mut keys = marker.placeholders();
    let Some(key) = keys.next().filter(|_| marker.is_sound) else {
        return;
    };
    if keys.next().is_some() {
        sink.error(&marker.literal, "a marker has one key; keep one placeholder");
        return;
    }
    if matches!(marker.segments.first(), Some(Segment::Placeholder(_))) {
        let message = format!("a marker starts with text of its own; put some before `{{{key}}}`");
        sink.error(&marker.literal, message);
    }
    let after = marker.segments.iter().skip_while(|segment| matches!(segment, Segment::Text(_))).nth(1);
    let runs_on = match after {
        // The text of a marker is compared without case.
        Some(Segment::Text(text)) => text.starts_with(|next: char| in_key(next.to_ascii_lowercase())),
        _ => true,
    };
    if runs_on {
        let remedy = format!("put a character after `{{{key}}}` that is none of `a-z`, `0-9` and `_`");
        sink.error(&marker.literal, format!("nothing shows where the key ends; {remedy}"));
    }
}

/// The key is a field of every case.
fn key(fragment: &Fragment, markers: &Pair, sink: &Sink) {
    let Some(key) = markers.begin.key() else { return };
    for case in fragment.cases.iter().filter(|case| case.field(key).is_none()) {
        let message = format!("{}; {}", no_such_field(fragment, case, key), remedy(case, key));
        sink.error(&markers.begin.literal, message);
    }
}

pub(super) fn no_such_field(fragment: &Fragment, case: &Case, name: &str) -> String {
    let owner = match fragment.form {
        Form::Enum => format!("{}::{}", super::name(fragment), case.ident),
        Form::Struct | Form::Union => super::name(fragment),
    };
    format!("`{{{name}}}` is no field of `{owner}`")
}

/// The field that was meant, or all there are.
pub(super) fn remedy(case: &Case, name: &str) -> String {
    if case.fields.is_empty() {
        return "it has no fields".to_owned();
    }
    let names = || case.fields.iter().map(|field: &Field| field.name.as_str());
    if let Some(meant) = nearest(name, names()) {
        return format!("did you mean `{{{meant}}}`?");
    }
    let all: Vec<String> = names().map(|name| format!("`{{{name}}}`")).collect();
    format!("there is {}", all.join(", "))
}

/// An old form may hold a key as well: today's, or one that today's markers no longer have.
fn legacy_key<'a>(fragment: &Fragment, markers: impl IntoIterator<Item = &'a Marker>, sink: &Sink) {
    for marker in markers {
        if let Some(key) = marker.key()
            && key != "key"
            && fragment.key() != Some(key)
        {
            let message =
                format!("`{{{key}}}` is no key; write `{{key}}`, or `{{{{` for a brace in the text");
            sink.error(&marker.literal, message);
        }
    }
}

/// Whether two pairs recognise the same texts: markers are compared without case.
fn is_same(left: &Pair, right: &Pair) -> bool {
    let folded = |marker: &Marker| marker.normal().value().to_ascii_lowercase();
    folded(&left.begin) == folded(&right.begin) && folded(&left.end) == folded(&right.end)
}
