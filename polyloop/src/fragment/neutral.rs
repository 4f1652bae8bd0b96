//! Neutralising markers inside values, and undoing it.

use std::ops::Range;

use super::body::{Body, Trust};
use super::index::MarkerIndex;
use crate::error::RecordErrorKind;

/// A whole text: begin, body, end.
pub(crate) struct Whole {
    pub(crate) text: String,
    /// Whether a marker may stand in the body that no value has to do with.
    pub(crate) holds_markers: bool,
}

/// Writes `begin`, the body and `end` in one text, every marker that touches a value escaped in its first
/// character. `<` becomes `&lt;`; an already escaped marker is escaped once more, so that undoing is exact.
///
/// A marker that starts in the template's own text, or with a character that has no escape, is refused; so is one that
/// only an escape brings about.
pub(crate) fn neutralise(
    body: &mut Body,
    begin: &str,
    end: &str,
    index: &MarkerIndex,
) -> Result<Whole, RecordErrorKind> {
    let joined = body.take_between(begin, end);
    let inside = begin.len()..joined.len() - end.len();
    let mut escaped = String::new();
    let mut made = Vec::new();
    let mut holds_markers = false;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = index.next_marker(joined.as_bytes(), at) {
        at = found.at + 1;
        let touched = touches_value(body, inside.start, found.at, found.at + found.length);
        if !touched {
            holds_markers |= inside.contains(&found.at);
            continue;
        }
        let marker = || joined.get(found.at..found.at + found.length).unwrap_or_default().to_owned();
        if !inside.contains(&found.at) || body.trust_at(found.at - inside.start) != Some(Trust::Value) {
            return Err(RecordErrorKind::MarkerStartsInTemplate { marker: marker() });
        }
        let escape = match joined.as_bytes().get(found.at) {
            Some(b'<') => "&lt;",
            // A marker of its own that begins with `&` would read back as an escape of nothing.
            Some(b'&') if found.escaped => "&amp;",
            _ => return Err(RecordErrorKind::MarkerInValue { marker: marker() }),
        };
        if made.is_empty() {
            escaped.reserve(joined.len() + joined.len() / 8);
        }
        escaped.push_str(joined.get(copied..found.at).unwrap_or_default());
        made.push(escaped.len()..escaped.len() + escape.len());
        escaped.push_str(escape);
        copied = found.at + 1;
    }
    if made.is_empty() {
        return Ok(Whole { text: joined, holds_markers });
    }
    escaped.push_str(joined.get(copied..).unwrap_or_default());
    let overlaps = |marker: &Range<usize>| {
        // They stand in order, so the first that does not end before the marker decides.
        let first = made.get(made.partition_point(|made| made.end <= marker.start));
        first.is_some_and(|made| made.start < marker.end)
    };
    match first_marker(&escaped, index, overlaps) {
        Some(marker) => Err(RecordErrorKind::MarkerInValue { marker }),
        None => Ok(Whole { text: escaped, holds_markers }),
    }
}

/// Finds the first marker at a place that `matters`.
pub(crate) fn first_marker(
    text: &str,
    index: &MarkerIndex,
    matters: impl Fn(&Range<usize>) -> bool,
) -> Option<String> {
    let mut at = 0;
    while let Some(found) = index.next_marker(text.as_bytes(), at) {
        at = found.at + 1;
        let place = found.at..found.at + found.length;
        if !found.escaped && matters(&place) {
            return text.get(place).map(str::to_owned);
        }
    }
    None
}

/// Undoes one level of escaping in front of every marker.
pub(crate) fn restore(value: &str, index: &MarkerIndex) -> String {
    let mut restored = String::with_capacity(value.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = index.next_marker(value.as_bytes(), at) {
        at = found.at + 1;
        if !found.escaped {
            continue;
        }
        restored.push_str(value.get(copied..found.at).unwrap_or_default());
        let rest = value.get(found.at..).unwrap_or_default();
        let (plain, escape) = if rest.starts_with("&lt;") { ("<", "&lt;") } else { ("&", "&amp;") };
        restored.push_str(plain);
        copied = found.at + escape.len();
        at = copied;
    }
    restored.push_str(value.get(copied..).unwrap_or_default());
    restored
}

/// Whether some byte of `from..to` in the joined text, whose body begins at `offset`, belongs to a value.
fn touches_value(body: &Body, offset: usize, from: usize, to: usize) -> bool {
    let (from, to) = (from.saturating_sub(offset), to.saturating_sub(offset));
    let first = body.part_at(from);
    let starts = first.checked_sub(1).and_then(|before| body.parts().get(before)).map_or(0, |(end, _)| *end);
    let ends = body.parts().iter().skip(first);
    let starts = std::iter::once(starts).chain(ends.clone().map(|(end, _)| *end));
    ends.zip(starts).take_while(|(_, start)| *start < to).any(|((_, trust), _)| *trust == Trust::Value)
}
