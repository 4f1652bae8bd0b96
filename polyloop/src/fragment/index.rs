//! The markers of a closed set, made ready: one table for recognising, one for neutralising.

use std::collections::BTreeSet;
use std::ops::Range;

use super::first_bytes::FirstBytes;
use super::marker::Marker;
use super::pattern::Pattern;
use super::spec::FragmentSpec;
use super::trie::Trie;
use super::vocabulary::{Legacy, Marking};

/// One form of one kind, present or old.
#[derive(Debug)]
struct Form {
    kind: usize,
    begin: Pattern,
    /// None for a legacy prefix, which has no end.
    end: Option<Pattern>,
    legacy: bool,
}

/// What a text was recognised as, by the position of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) kind: usize,
    pub(crate) key: Option<Range<usize>>,
    pub(crate) body: Range<usize>,
    pub(crate) legacy: bool,
}

/// The end markers of one kind, of its present form and its old ones.
#[derive(Debug)]
struct Ends {
    patterns: Vec<Pattern>,
    first: FirstBytes,
}

/// All markers of a set of kinds.
#[derive(Debug)]
pub(crate) struct MarkerIndex {
    forms: Vec<Form>,
    /// The heads of the forms' begins, in the order of the forms.
    begins: Trie,
    first_of_begin: FirstBytes,
    /// By the position of the kind.
    ends: Vec<Ends>,
    /// Every begin and end, for neutralising.
    markers: Vec<Pattern>,
    marker_heads: Trie,
    first_of_marker: FirstBytes,
}

impl MarkerIndex {
    pub(crate) fn new<'s>(specs: impl Iterator<Item = &'s FragmentSpec>) -> Self {
        Self::with_retired(specs, std::iter::empty())
    }

    /// Takes the kinds of a set, and those that are retired: their markers are neutralised, as the model was shown them, and
    /// their positions follow those of the set. A text of a registered kind is never taken for a retired one.
    pub(crate) fn with_retired<'s>(
        specs: impl Iterator<Item = &'s FragmentSpec>,
        retired: impl Iterator<Item = &'s FragmentSpec>,
    ) -> Self {
        let mut forms: Vec<Form> = Vec::new();
        let mut ends = Vec::new();
        let specs = specs.map(|spec| (spec, false)).chain(retired.map(|spec| (spec, true)));
        for (kind, (spec, is_retired)) in specs.enumerate() {
            let first = forms.len();
            if let Marking::Marked { begin, end } = &spec.marking {
                forms.push(Form::new(kind, begin, Some(end), is_retired));
            }
            for legacy in spec.legacy {
                forms.push(match legacy {
                    Legacy::Pair(begin, end) => {
                        Form::new(kind, &Marker::new(begin), Some(&Marker::new(end)), true)
                    }
                    Legacy::Prefix(begin) => {
                        Form::new(kind, &Marker::new(begin), None, !spec.begins_with(begin))
                    }
                });
            }
            ends.push(Ends::new(forms.iter().skip(first).filter_map(|form| form.end.clone()).collect()));
        }
        let begins = Trie::new(forms.iter().map(|form| form.begin.head()));
        let first_of_begin =
            FirstBytes::new(forms.iter().filter(|form| form.end.is_some()).map(|form| &form.begin));
        let markers: BTreeSet<&Pattern> =
            forms.iter().filter_map(|form| Some([&form.begin, form.end.as_ref()?])).flatten().collect();
        let markers: Vec<Pattern> = markers.into_iter().cloned().collect();
        let marker_heads = Trie::new(markers.iter().map(Pattern::head));
        let first_of_marker = FirstBytes::with_escapes(&markers);
        Self { forms, begins, first_of_begin, ends, markers, marker_heads, first_of_marker }
    }

    /// Recognises a whole text.
    pub(crate) fn recognize(&self, text: &str) -> Option<Hit> {
        self.recognize_made(text, true)
    }

    /// Recognises a whole text, of whose body it may be known that it `holds_markers` or not.
    pub(crate) fn recognize_made(&self, text: &str, holds_markers: bool) -> Option<Hit> {
        let trimmed = text.trim();
        let bytes = trimmed.as_bytes();
        let forms = self.begins.at_start(bytes.iter().copied()).filter_map(|form| self.forms.get(form));
        let hits = forms.filter_map(|form| self.hit(form, bytes, holds_markers));
        // A present form goes before an old one of the same kind.
        let hit = hits.min_by_key(|hit| hit.legacy)?;
        Some(hit.moved(text.len() - text.trim_start().len()))
    }

    fn hit(&self, form: &Form, text: &[u8], holds_markers: bool) -> Option<Hit> {
        let (begin, key) = form.begin.at_head(text)?;
        let body_end = match &form.end {
            Some(end) => text.len() - end.at_end(text, key)?,
            None => text.len(),
        };
        let may_be_sandwich = form.end.is_some() && holds_markers;
        if body_end < begin || may_be_sandwich && self.is_sandwich(form.kind, text, begin, body_end) {
            return None;
        }
        let head = form.begin.head().len();
        let key = key.map(|key| head..head + key.len());
        Some(Hit { kind: form.kind, key, body: begin..body_end, legacy: form.legacy })
    }

    /// Whether some begin marker occurs after an end marker of this kind, whatever its form and its key.
    fn is_sandwich(&self, kind: usize, text: &[u8], from: usize, last: usize) -> bool {
        let Some(ends) = self.ends.get(kind) else { return false };
        let mut after = None;
        let mut at = from;
        while at < after.unwrap_or(last) {
            let Some(found) = ends.first.find(text.get(at..last).unwrap_or_default()) else { break };
            at += found;
            let here = text.get(at..).unwrap_or_default();
            let lengths = ends.patterns.iter().filter_map(|end| end.at_any_key(here));
            if let Some(end) = lengths.map(|(length, _)| at + length).min() {
                after = Some(after.unwrap_or(end).min(end));
            }
            at += 1;
        }
        let Some(mut at) = after else { return false };
        while let Some(found) = self.first_of_begin.find(text.get(at..).unwrap_or_default()) {
            at += found;
            if self.begins_at(text.get(at..).unwrap_or_default()) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Whether the begin marker of any form with an end stands here.
    fn begins_at(&self, text: &[u8]) -> bool {
        self.begins
            .at_start(text.iter().copied())
            .filter_map(|form| self.forms.get(form))
            .any(|form| form.end.is_some() && form.begin.at_head(text).is_some())
    }

    /// Whether another kind than `own` has a tag of this name: `<name>` is its begin marker.
    pub(crate) fn is_foreign_tag(&self, name: &str, own: usize) -> bool {
        let tag = format!("<{name}>");
        self.begins.at_start(tag.bytes()).filter_map(|form| self.forms.get(form)).any(|form| {
            // A tag that is nothing but a key has every name.
            let is_named = form.begin.head() != "<";
            let length = form.begin.at_head(tag.as_bytes()).map(|(length, _)| length);
            form.kind != own && form.end.is_some() && is_named && length == Some(tag.len())
        })
    }

    /// Finds the next place, at or after `from`, where a marker or an escaped marker stands; gives every marker's
    /// length there, longest first.
    pub(crate) fn next_marker(&self, text: &[u8], from: usize) -> Option<Found> {
        let mut at = from;
        loop {
            at += self.first_of_marker.find(text.get(at..)?)?;
            let here = text.get(at..)?;
            if let Some(length) = self.longest_marker(here.first().copied(), here.get(1..)?) {
                return Some(Found { at, length, escaped: false });
            }
            if let Some(length) = self.escaped_marker(here) {
                return Some(Found { at, length, escaped: true });
            }
            at += 1;
        }
    }

    /// Whether a marker stands somewhere, or an old prefix at the start.
    pub(crate) fn contains_marker(&self, text: &str) -> bool {
        if self.recognize(text).is_some() {
            return true;
        }
        let mut at = 0;
        while let Some(found) = self.next_marker(text.as_bytes(), at) {
            if !found.escaped {
                return true;
            }
            at = found.at + 1;
        }
        false
    }

    /// The length of the longest marker that is this byte and what stands behind it.
    fn longest_marker(&self, first: Option<u8>, behind: &[u8]) -> Option<usize> {
        self.marker_heads
            .at_start(first.into_iter().chain(behind.iter().copied()))
            .filter_map(|marker| {
                let marker = self.markers.get(marker)?;
                let head = marker.head().len();
                let (length, _) = marker.behind_head(behind.get(head.checked_sub(1)?..)?)?;
                Some(head + length)
            })
            .max()
    }

    /// Matches `&lt;`, `&amp;lt;`, … before the rest of a marker that begins with `<`.
    fn escaped_marker(&self, text: &[u8]) -> Option<usize> {
        let mut rest = text.strip_prefix(b"&")?;
        while let Some(more) = rest.strip_prefix(b"amp;") {
            rest = more;
        }
        rest = rest.strip_prefix(b"lt;")?;
        let escape = text.len() - rest.len();
        self.longest_marker(Some(b'<'), rest).map(|length| escape + length - 1)
    }
}

/// A marker, or an escaped one, in a text; positions in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) at: usize,
    pub(crate) length: usize,
    pub(crate) escaped: bool,
}

impl Form {
    fn new(kind: usize, begin: &Marker, end: Option<&Marker>, legacy: bool) -> Self {
        Self { kind, begin: Pattern::new(begin), end: end.map(Pattern::new), legacy }
    }
}

impl Ends {
    fn new(patterns: Vec<Pattern>) -> Self {
        let first = FirstBytes::new(&patterns);
        Self { patterns, first }
    }
}

impl Hit {
    fn moved(mut self, offset: usize) -> Self {
        self.body = self.body.start + offset..self.body.end + offset;
        self.key = self.key.map(|key| key.start + offset..key.end + offset);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::FragmentSpec;
    use super::MarkerIndex;
    use crate::message::Role;

    fn spec(begin: &'static str, end: &'static str) -> FragmentSpec {
        FragmentSpec::new("kind", Role::User, 1_000).markers(begin, end)
    }

    #[test]
    fn a_text_shorter_than_both_markers_never_matches() {
        let index = MarkerIndex::new([spec("<a>", "</a>")].iter());
        for text in ["<a>", "<a></", "<a></a", "", "<", "<a>ä"] {
            assert_eq!(index.recognize(text), None, "{text}");
        }
        assert_eq!(index.recognize("<a></a>").map(|hit| hit.body), Some(3..3));
    }

    #[test]
    fn markers_may_not_overlap() {
        let index = MarkerIndex::new([spec("##", "##")].iter());
        assert_eq!(index.recognize("###"), None);
        assert!(index.recognize("####").is_some());
    }
}
