//! Which marker pairs cannot be told apart, found while compiling.
//!
//! Two pairs are ambiguous if one text could match both: one begin is a prefix of the other, and one end a suffix of
//! the other, ASCII case ignored. Begins are sorted, so that every prefix of a begin stands on the way to it.
#![expect(
    clippy::large_stack_arrays,
    reason = "constant evaluation has no heap, and this never runs elsewhere"
)]

use super::FragmentEntry;
use super::const_text::ConstText;
use super::finding::{Finding, GAPS, MOST};
use super::heads::{Head, rest_begins, rest_is_behind};
use crate::fragment::{FragmentSpec, Legacy, Marker, Marking, lower_at};

/// One marker pair of one entry.
#[derive(Clone, Copy)]
struct Form {
    entry: usize,
    /// 0 for the present form, else the position of the old one, counted from 1.
    legacy: usize,
    /// The head of the begin.
    head: Head,
}

/// Refuses two marker pairs of different types that one text could match.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the positions are checked")]
pub const fn check_markers<K>(entries: &[FragmentEntry<K>]) -> Finding {
    let mut forms = [Form { entry: 0, legacy: 0, head: Head::EMPTY }; MOST];
    let mut number = 0;
    let mut entry = 0;
    while entry < entries.len() {
        let spec = entries[entry].spec;
        let mut legacy = if matches!(spec.marking, Marking::Marked { .. }) { 0 } else { 1 };
        while legacy <= spec.legacy.len() && number < MOST {
            let head = Head::of(&pair(entries, entry, legacy).0);
            forms[number] = Form { entry, legacy, head };
            number += 1;
            legacy += 1;
        }
        entry += 1;
    }
    if number == MOST {
        return Finding::too_many("markers");
    }
    sort(&mut forms, number, entries);
    // The begins that are prefixes of the one that is looked at, shortest first.
    let mut prefixes = [0usize; MOST];
    let mut depth = 0;
    let mut at = 0;
    while at < number {
        while depth > 0 && !begins(entries, &forms[prefixes[depth - 1]], &forms[at]) {
            depth -= 1;
        }
        let mut above = 0;
        while above < depth {
            let other = prefixes[above];
            if meet(entries, &forms[other], &forms[at]) {
                return ambiguous(entries, &forms[other], &forms[at]);
            }
            above += 1;
        }
        prefixes[depth] = at;
        depth += 1;
        at += 1;
    }
    Finding::none()
}

/// Whether the head of one form is a prefix of the head of the other.
const fn begins<K>(entries: &[FragmentEntry<K>], short: &Form, long: &Form) -> bool {
    short.head.may_begin(&long.head) && rest_begins(&markers(entries, short).0, &markers(entries, long).0)
}

/// Whether one text could match two forms of different types; the head of `short` is a prefix of the head of `long`.
const fn meet<K>(entries: &[FragmentEntry<K>], short: &Form, long: &Form) -> bool {
    if short.entry == long.entry {
        return false;
    }
    let (short_begin, short_end) = markers(entries, short);
    let (long_begin, long_end) = markers(entries, long);
    begins_meet(&short_begin, &long_begin)
        && (ends_meet(&short_end, &long_end) || ends_meet(&long_end, &short_end))
}

#[expect(
    clippy::indexing_slicing,
    reason = "`get` is not const on stable; the forms come from these entries"
)]
const fn ambiguous<K>(entries: &[FragmentEntry<K>], one: &Form, other: &Form) -> Finding {
    let (first, second) = if one.entry < other.entry { (one, other) } else { (other, one) };
    let (first_begin, first_end) = markers(entries, first);
    let (second_begin, second_end) = markers(entries, second);
    let text = ConstText::new()
        .with("the markers of `")
        .with(entries[first.entry].spec.type_name)
        .with("` (`")
        .with(first_begin.as_str())
        .with("` … `")
        .with(first_end.as_str())
        .with("`) and `")
        .with(entries[second.entry].spec.type_name)
        .with("` (`")
        .with(second_begin.as_str())
        .with("` … `")
        .with(second_end.as_str())
        .with("`) cannot be told apart; change one of them");
    Finding::at(second.entry, text)
}

/// The markers of a form.
const fn markers<K>(entries: &[FragmentEntry<K>], form: &Form) -> (Marker, Marker) {
    pair(entries, form.entry, form.legacy)
}

/// The markers of a form by its place; an old prefix has an empty end.
#[expect(
    clippy::indexing_slicing,
    reason = "`get` is not const on stable; the forms come from these entries"
)]
const fn pair<K>(entries: &[FragmentEntry<K>], entry: usize, legacy: usize) -> (Marker, Marker) {
    let spec: &FragmentSpec = entries[entry].spec;
    if legacy > 0 {
        return match spec.legacy[legacy - 1] {
            Legacy::Pair(begin, end) => (Marker::new(begin), Marker::new(end)),
            Legacy::Prefix(begin) => (Marker::new(begin), Marker::new("")),
        };
    }
    match spec.marking {
        Marking::Marked { begin, end } => (begin, end),
        Marking::Unmarked(_) => (Marker::new(""), Marker::new("")),
    }
}

/// Whether a text may begin with both; the head of `short` is a prefix of the head of `long`.
const fn begins_meet(short: &Marker, long: &Marker) -> bool {
    if !short.has_key() || long.has_key() && long.head_len() > short.head_len() {
        return true;
    }
    let (tail, text) = (short.as_str().as_bytes(), long.as_str().as_bytes());
    let mut at = long.tail_start();
    if !long.has_key() {
        // The key takes what it can; its tail never begins with a character of a key.
        at = short.head_len();
        while at < text.len() && is_key(lower_at(text, at)) {
            at += 1;
        }
        if at == short.head_len() && at < text.len() {
            return false;
        }
    }
    let mut of_tail = short.tail_start();
    while of_tail < tail.len() && at < text.len() {
        if lower_at(tail, of_tail) != lower_at(text, at) {
            return false;
        }
        of_tail += 1;
        at += 1;
    }
    true
}

/// Whether a text may end with both, `short` being no longer than `long`.
const fn ends_meet(short: &Marker, long: &Marker) -> bool {
    let (left, right) = (short.as_str().as_bytes(), long.as_str().as_bytes());
    if short.has_key() || long.has_key() {
        return keyed_ends_meet(short, long);
    }
    left.len() <= right.len() && same_end(left, left.len(), right, right.len(), left.len())
}

/// With a key on either side: the texts behind the keys must meet, and where one has no key, also what stands before.
const fn keyed_ends_meet(short: &Marker, long: &Marker) -> bool {
    let (left, right) = (short.as_str().as_bytes(), long.as_str().as_bytes());
    let (left_tail, right_tail) = (left.len() - short.tail_start(), right.len() - long.tail_start());
    if short.has_key() && long.has_key() {
        let common = if left_tail < right_tail { left_tail } else { right_tail };
        return same_end(left, left.len(), right, right.len(), common);
    }
    if !short.has_key() {
        // The other order of the arguments decides.
        return left.len() <= right_tail && same_end(left, left.len(), right, right.len(), left.len());
    }
    if left_tail > right.len() || !same_end(left, left.len(), right, right.len(), left_tail) {
        return false;
    }
    // Some characters of a key before the tail, the head before them, or nothing left to compare.
    let mut at = right.len() - left_tail;
    while at > 0 && is_key(lower_at(right, at - 1)) {
        at -= 1;
        let common = if at < short.head_len() { at } else { short.head_len() };
        if same_end(left, short.head_len(), right, at, common) {
            return true;
        }
    }
    at == 0
}

/// Whether the `common` bytes before `left_end` and `right_end` are equal, ASCII case ignored.
const fn same_end(left: &[u8], left_end: usize, right: &[u8], right_end: usize, common: usize) -> bool {
    let mut at = 1;
    while at <= common {
        if lower_at(left, left_end - at) != lower_at(right, right_end - at) {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_key(lower: u8) -> bool {
    lower.is_ascii_lowercase() || lower.is_ascii_digit() || lower == b'_'
}

const fn is_behind<K>(entries: &[FragmentEntry<K>], left: &Form, right: &Form) -> bool {
    match left.head.is_behind(&right.head) {
        Some(behind) => behind,
        None => rest_is_behind(&markers(entries, left).0, &markers(entries, right).0),
    }
}

/// Sorts the first `number` forms by the heads of their begins: Shell's method with Ciura's gaps.
#[expect(
    clippy::indexing_slicing,
    reason = "`get_mut` is not const on stable; the positions are below `number`"
)]
const fn sort<K>(forms: &mut [Form; MOST], number: usize, entries: &[FragmentEntry<K>]) {
    let mut gap = 0;
    while gap < GAPS.len() {
        let step = GAPS[gap];
        let mut at = step;
        while at < number {
            let form = forms[at];
            let mut to = at;
            while to >= step && is_behind(entries, &forms[to - step], &form) {
                forms[to] = forms[to - step];
                to -= step;
            }
            forms[to] = form;
            at += 1;
        }
        gap += 1;
    }
}
