//! A marker made ready for matching: head, key, tail.

use super::key::{self, Key};
use super::marker::Marker;

/// A marker without its doubled braces, cut at the key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pattern {
    head: String,
    /// The text behind the key; `None` without a key.
    tail: Option<String>,
}

impl Pattern {
    pub(crate) fn new(marker: &Marker) -> Self {
        let text = marker.as_str();
        let head = text.get(..marker.head_len()).unwrap_or(text);
        let tail = marker.has_key().then(|| text.get(marker.tail_start()..).unwrap_or_default());
        Self { head: single_braces(head), tail: tail.map(single_braces) }
    }

    /// The text before the key; the whole marker without one.
    pub(crate) fn head(&self) -> &str {
        &self.head
    }

    /// Writes the marker out.
    pub(crate) fn with_key(&self, key: Option<&Key>) -> String {
        match &self.tail {
            None => self.head.clone(),
            Some(tail) => format!("{}{}{tail}", self.head, key.map_or("", Key::as_str)),
        }
    }

    /// Matches what stands behind the head; gives the length of that and the key.
    pub(crate) fn behind_head<'t>(&self, text: &'t [u8]) -> Option<(usize, Option<&'t str>)> {
        let Some(tail) = &self.tail else { return Some((0, None)) };
        let key = key::prefix(text)?;
        starts_with(text.get(key.len()..)?, tail).then(|| (key.len() + tail.len(), Some(key)))
    }

    /// Matches at the start of `text`, which is known to begin with the head; gives the length and the key.
    pub(crate) fn at_head<'t>(&self, text: &'t [u8]) -> Option<(usize, Option<&'t str>)> {
        let (length, key) = self.behind_head(text.get(self.head.len()..)?)?;
        Some((self.head.len() + length, key))
    }

    /// Matches at the start of `text`, with this key; gives the length.
    pub(crate) fn at_start(&self, text: &[u8], key: Option<&str>) -> Option<usize> {
        if !starts_with(text, &self.head) {
            return None;
        }
        let (length, found) = self.at_head(text)?;
        (found.is_none() || found == key).then_some(length)
    }

    /// Matches at the start of `text`, whatever the key; gives the length and the key.
    pub(crate) fn at_any_key<'t>(&self, text: &'t [u8]) -> Option<(usize, Option<&'t str>)> {
        if starts_with(text, &self.head) { self.at_head(text) } else { None }
    }

    /// Matches at the end of `text`, with this key; gives the length.
    pub(crate) fn at_end(&self, text: &[u8], key: Option<&str>) -> Option<usize> {
        let length =
            self.head.len() + self.tail.as_ref().map_or(0, |tail| tail.len() + key.map_or(0, str::len));
        let start = text.len().checked_sub(length)?;
        self.at_start(text.get(start..)?, key).filter(|found| *found == length)
    }
}

/// Whether a text begins with another, ASCII letters compared without case.
pub(crate) fn starts_with(text: &[u8], start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

fn single_braces(text: &str) -> String {
    text.replace("{{", "{").replace("}}", "}")
}
