//! A recogniser that is slow and plain: every form at every position, straight from the rules.

use std::ops::Range;

use polyloop::{FragmentSpec, Key, Legacy, Marking, Registry};

/// What a text is: the position of the kind, the key, the body, whether an old form matched.
#[derive(Debug, PartialEq)]
pub(crate) struct Known<'t> {
    pub(crate) kind: usize,
    pub(crate) key: Option<&'t str>,
    pub(crate) body: Range<usize>,
    pub(crate) legacy: bool,
}

/// Begin, end (none for an old prefix) and whether it is an old form.
type Form = (&'static str, Option<&'static str>, bool);

fn forms(spec: &FragmentSpec) -> Vec<Form> {
    let mut forms = Vec::new();
    if let Marking::Marked { begin, end } = spec.marking {
        forms.push((begin.as_str(), Some(end.as_str()), false));
    }
    forms.extend(spec.legacy.iter().map(|legacy| match legacy {
        Legacy::Pair(begin, end) => (*begin, Some(*end), true),
        Legacy::Prefix(begin) => (*begin, None, true),
    }));
    forms
}

fn same(text: Option<&str>, marker: &str) -> bool {
    text.is_some_and(|text| text.eq_ignore_ascii_case(marker))
}

/// The length of a marker that stands here, and its key.
pub(crate) fn marker_at<'t>(marker: &str, text: &'t str, at: usize) -> Option<(usize, Option<&'t str>)> {
    let rest = text.get(at..)?;
    let Some((head, tail)) = marker.split_once("{key}") else {
        return same(rest.get(..marker.len()), marker).then_some((marker.len(), None));
    };
    if !same(rest.get(..head.len()), head) {
        return None;
    }
    (1..=64).find_map(|length| {
        let key = rest.get(head.len()..head.len() + length)?;
        Key::new(key).ok()?;
        let behind = head.len() + length;
        same(rest.get(behind..behind + tail.len()), tail).then_some((behind + tail.len(), Some(key)))
    })
}

/// Every begin and end marker of a registry.
pub(crate) fn markers<R: Registry>() -> Vec<&'static str> {
    let forms = R::SPEC.fragments.iter().flat_map(|entry| forms(entry.spec));
    forms.filter_map(|(begin, end, _)| Some([begin, end?])).flatten().collect()
}

/// Every place in a text where a marker of the registry stands.
pub(crate) fn places<R: Registry>(text: &str) -> Vec<Range<usize>> {
    let markers = markers::<R>();
    let at_each = |at| markers.iter().filter_map(move |marker| Some(at..at + marker_at(marker, text, at)?.0));
    (0..text.len()).flat_map(at_each).collect()
}

pub(crate) fn recognise<R: Registry>(text: &str) -> Option<Known<'_>> {
    let start = text.len() - text.trim_start().len();
    let stop = text.trim_end().len().max(start);
    let specs = R::SPEC.fragments.iter().map(|entry| entry.spec).enumerate();
    let known = specs.flat_map(|(kind, spec)| forms(spec).into_iter().map(move |form| (kind, form)));
    known
        .filter_map(|(kind, form)| {
            let (begin, end, legacy) = form;
            let inside = &text[..stop];
            let (length, key) = marker_at(begin, inside, start)?;
            let from = start + length;
            let Some(end) = end else { return Some(Known { kind, key, body: from..stop, legacy }) };
            let to = (from..=stop).find(|at| {
                marker_at(end, inside, *at).is_some_and(|(length, of_end)| {
                    at + length == stop && (of_end.is_none() || of_end == key)
                })
            })?;
            (!is_sandwich::<R>(kind, inside, from..to)).then_some(Known { kind, key, body: from..to, legacy })
        })
        .min_by_key(|known| known.legacy)
}

/// Whether some begin marker stands behind an end marker of this kind.
fn is_sandwich<R: Registry>(kind: usize, text: &str, body: Range<usize>) -> bool {
    let ends: Vec<_> = forms(R::SPEC.fragments[kind].spec).into_iter().filter_map(|form| form.1).collect();
    let begins: Vec<_> = R::SPEC
        .fragments
        .iter()
        .flat_map(|entry| forms(entry.spec))
        .filter(|form| form.1.is_some())
        .map(|form| form.0)
        .collect();
    body.flat_map(|at| ends.iter().filter_map(move |end| Some(at + marker_at(end, text, at)?.0))).any(
        |behind| {
            (behind..text.len()).any(|at| begins.iter().any(|begin| marker_at(begin, text, at).is_some()))
        },
    )
}
