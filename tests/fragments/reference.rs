//! A recogniser that is slow and plain: every form at every position, straight from the rules.

use std::ops::Range;

use polyloop::{FragmentSpec, Key, Legacy, Marking, Piece, Registry};

/// What a text is: the position of the kind, the key, the body, whether an old form matched.
#[derive(Debug, PartialEq)]
pub(crate) struct Known<'t> {
    pub(crate) kind: usize,
    pub(crate) key: Option<&'t str>,
    pub(crate) body: Range<usize>,
    pub(crate) legacy: bool,
}

/// A marker without its doubled braces, cut at its key.
pub(crate) struct Plain {
    pub(crate) head: String,
    tail: Option<String>,
}

impl Plain {
    fn new(marker: &str) -> Self {
        let braces = |at: usize| marker[..at].bytes().rev().take_while(|byte| *byte == b'{').count();
        let mut keys = marker.match_indices("{key}").map(|(at, _)| at);
        let single = |text: &str| text.replace("{{", "{").replace("}}", "}");
        match keys.find(|at| braces(*at) % 2 == 0) {
            None => Self { head: single(marker), tail: None },
            Some(at) => {
                Self { head: single(&marker[..at]), tail: Some(single(&marker[at + "{key}".len()..])) }
            }
        }
    }

    /// Writes the marker out.
    pub(crate) fn with_key(&self, key: &str) -> String {
        match &self.tail {
            None => self.head.clone(),
            Some(tail) => [&self.head, key, tail].concat(),
        }
    }

    /// The length of the marker if it stands here, and its key.
    pub(crate) fn at<'t>(&self, text: &'t str, at: usize) -> Option<(usize, Option<&'t str>)> {
        let rest = text.get(at..)?;
        let same = |from: usize, marker: &str| {
            let text = rest.get(from..from + marker.len());
            text.is_some_and(|text| text.eq_ignore_ascii_case(marker)).then_some(from + marker.len())
        };
        let head = same(0, &self.head)?;
        let Some(tail) = &self.tail else { return Some((head, None)) };
        (1..=64).find_map(|length| {
            let key = rest.get(head..head + length)?;
            Key::new(key).ok()?;
            Some((same(head + length, tail)?, Some(key)))
        })
    }
}

/// One form of one kind, present or old; an old prefix has no end.
struct Form {
    kind: usize,
    begin: Plain,
    end: Option<Plain>,
    legacy: bool,
}

/// The rules for the markers of a set of kinds.
pub(crate) struct Reference(Vec<Form>);

impl Reference {
    /// The rules for a registry.
    pub(crate) fn of<R: Registry>() -> Self {
        Self::of_kinds(R::SPEC.fragments.iter().map(|entry| entry.spec))
    }

    /// The rules for kinds, each known by its position.
    pub(crate) fn of_kinds<'s>(specs: impl Iterator<Item = &'s FragmentSpec>) -> Self {
        let mut forms = Vec::new();
        let mut add = |kind, begin: &str, end: Option<&str>, legacy| {
            forms.push(Form { kind, begin: Plain::new(begin), end: end.map(Plain::new), legacy });
        };
        for (kind, spec) in specs.enumerate() {
            if let Marking::Marked { begin, end } = spec.marking {
                add(kind, begin.as_str(), Some(end.as_str()), false);
            }
            for legacy in spec.legacy {
                match legacy {
                    Legacy::Pair(begin, end) => add(kind, begin, Some(end), true),
                    Legacy::Prefix(begin) => {
                        // An unmarked template that begins so is recognized in its present form.
                        let is_present = |template: &&[Piece]| matches!(template.first(), Some(Piece::Text(text)) if text.starts_with(begin));
                        let is_present = matches!(spec.marking, Marking::Unmarked(_))
                            && spec.templates.iter().any(is_present);
                        add(kind, begin, None, !is_present);
                    }
                }
            }
        }
        Self(forms)
    }

    /// Every begin and end marker of a pair.
    pub(crate) fn markers(&self) -> impl Iterator<Item = &Plain> {
        self.pairs().flat_map(|(_, begin, end)| [begin, end])
    }

    /// Every begin marker of a pair, with the position of its kind.
    pub(crate) fn begins(&self) -> impl Iterator<Item = (usize, &Plain)> {
        self.pairs().map(|(kind, begin, _)| (kind, begin))
    }

    /// Every old prefix.
    pub(crate) fn prefixes(&self) -> impl Iterator<Item = &Plain> {
        self.0.iter().filter(|form| form.end.is_none()).map(|form| &form.begin)
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, &Plain, &Plain)> {
        self.0.iter().filter_map(|form| Some((form.kind, &form.begin, form.end.as_ref()?)))
    }

    /// Every place in a text where a marker stands.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let at_each = |at| self.markers().filter_map(move |marker| Some(at..at + marker.at(text, at)?.0));
        (0..text.len()).flat_map(at_each).collect()
    }

    /// Whether a marker stands in a text, or an old prefix before it.
    pub(crate) fn is_marked(&self, text: &str) -> bool {
        !self.places(text).is_empty() || self.recognise(text).is_some()
    }

    pub(crate) fn recognise<'t>(&self, text: &'t str) -> Option<Known<'t>> {
        let start = text.len() - text.trim_start().len();
        let stop = text.trim_end().len().max(start);
        let inside = &text[..stop];
        let known = self.0.iter().filter_map(|form| {
            let (kind, legacy) = (form.kind, form.legacy);
            let (length, key) = form.begin.at(inside, start)?;
            let from = start + length;
            let Some(end) = &form.end else { return Some(Known { kind, key, body: from..stop, legacy }) };
            let to = (from..=stop).find(|at| {
                end.at(inside, *at).is_some_and(|(length, of_end)| {
                    at + length == stop && (of_end.is_none() || of_end == key)
                })
            })?;
            (!self.is_sandwich(kind, inside, from..to)).then_some(Known { kind, key, body: from..to, legacy })
        });
        known.min_by_key(|known| known.legacy)
    }

    /// Whether some begin marker stands behind an end marker of this kind.
    fn is_sandwich(&self, kind: usize, text: &str, body: Range<usize>) -> bool {
        let ends: Vec<_> = self.pairs().filter(|pair| pair.0 == kind).map(|pair| pair.2).collect();
        let mut behind =
            body.flat_map(|at| ends.iter().filter_map(move |end| Some(at + end.at(text, at)?.0)));
        behind.any(|behind| {
            (behind..text.len()).any(|at| self.begins().any(|(_, begin)| begin.at(text, at).is_some()))
        })
    }
}
