//! Which marker pairs cannot be told apart, found while compiling.
//!
//! Two pairs are ambiguous if one text could match both: one begin is a prefix of the other, and one end a suffix of
//! the other, ASCII case ignored. Begins are sorted, so that every prefix of a begin stands on the way to it.
#![expect(
    clippy::large_stack_arrays,
    reason = "constant evaluation has no heap, and this never runs elsewhere"
)]

use super::FragmentEntry;
use super::check::Finding;
use super::const_text::ConstText;
use crate::fragment::{FragmentSpec, Legacy, Marker, Marking, lower_at};

/// The most forms that one registry may hold, old ones included.
const MOST: usize = 4_096;

/// One marker pair of one entry.
#[derive(Clone, Copy)]
struct Form {
    entry: usize,
    /// 0 for the present form, else the position of the old one, counted from 1.
    legacy: usize,
}

/// Refuses two marker pairs of different types that one text could match.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the positions are checked")]
pub const fn check_markers<K>(entries: &[FragmentEntry<K>]) -> Finding {
    let mut forms = [Form { entry: 0, legacy: 0 }; MOST];
    let mut number = 0;
    let mut entry = 0;
    while entry < entries.len() {
        let spec = entries[entry].spec;
        let mut legacy = if matches!(spec.marking, Marking::Marked { .. }) { 0 } else { 1 };
        while legacy <= spec.legacy.len() && number < MOST {
            forms[number] = Form { entry, legacy };
            number += 1;
            legacy += 1;
        }
        entry += 1;
    }
    sort(&mut forms, number, entries);
    // The begins that are prefixes of the one that is looked at, shortest first.
    let mut prefixes = [0usize; MOST];
    let mut depth = 0;
    let mut at = 0;
    while at < number {
        let (begin, end) = pair(entries, forms[at]);
        while depth > 0 && !is_prefix(&pair(entries, forms[prefixes[depth - 1]]).0, &begin) {
            depth -= 1;
        }
        let mut above = 0;
        while above < depth {
            let other = forms[prefixes[above]];
            let (other_begin, other_end) = pair(entries, other);
            if other.entry != forms[at].entry
                && begins_meet(&other_begin, &begin)
                && (ends_meet(&other_end, &end) || ends_meet(&end, &other_end))
            {
                return ambiguous(entries, other, forms[at]);
            }
            above += 1;
        }
        prefixes[depth] = at;
        depth += 1;
        at += 1;
    }
    Finding::none()
}

#[expect(
    clippy::indexing_slicing,
    reason = "`get` is not const on stable; the forms come from these entries"
)]
const fn ambiguous<K>(entries: &[FragmentEntry<K>], one: Form, other: Form) -> Finding {
    let (first, second) = if one.entry < other.entry { (one, other) } else { (other, one) };
    let (first_begin, first_end) = pair(entries, first);
    let (second_begin, second_end) = pair(entries, second);
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

/// The markers of a form; an old prefix has an empty end.
#[expect(
    clippy::indexing_slicing,
    reason = "`get` is not const on stable; the forms come from these entries"
)]
const fn pair<K>(entries: &[FragmentEntry<K>], form: Form) -> (Marker, Marker) {
    let spec: &FragmentSpec = entries[form.entry].spec;
    if form.legacy > 0 {
        return match spec.legacy[form.legacy - 1] {
            Legacy::Pair(begin, end) => (Marker::new(begin), Marker::new(end)),
            Legacy::Prefix(begin) => (Marker::new(begin), Marker::new("")),
        };
    }
    match spec.marking {
        Marking::Marked { begin, end } => (begin, end),
        Marking::Unmarked(_) => (Marker::new(""), Marker::new("")),
    }
}

/// Whether the head of one marker is a prefix of the head of the other.
const fn is_prefix(short: &Marker, long: &Marker) -> bool {
    short.head_len() <= long.head_len() && matches!(order(short, long, short.head_len()), Order::Equal)
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

enum Order {
    Less,
    Equal,
    Greater,
}

/// Compares the first `length` bytes of two heads, in lower case; a head that ends earlier is less.
const fn order(left: &Marker, right: &Marker, length: usize) -> Order {
    // Sixteen bytes at once, then one at a time.
    if length >= 16 && left.order() != right.order() {
        return if left.order() < right.order() { Order::Less } else { Order::Greater };
    }
    let (texts, mut at) =
        ((left.as_str().as_bytes(), right.as_str().as_bytes()), if length >= 16 { 16 } else { 0 });
    while at < length {
        let of_left = if at < left.head_len() { lower_at(texts.0, at) } else { 0 };
        let of_right = if at < right.head_len() { lower_at(texts.1, at) } else { 0 };
        if of_left != of_right {
            return if of_left < of_right { Order::Less } else { Order::Greater };
        }
        at += 1;
    }
    Order::Equal
}

const fn is_greater(left: &Marker, right: &Marker) -> bool {
    if left.order() != right.order() {
        return left.order() > right.order();
    }
    let length = if left.head_len() > right.head_len() { left.head_len() } else { right.head_len() };
    length > 16 && matches!(order(left, right, length), Order::Greater)
}

/// Sorts the first `number` forms by the heads of their begins: Shell's method with Ciura's gaps.
#[expect(
    clippy::indexing_slicing,
    reason = "`get_mut` is not const on stable; the positions are below `number`"
)]
const fn sort<K>(forms: &mut [Form; MOST], number: usize, entries: &[FragmentEntry<K>]) {
    const GAPS: [usize; 9] = [1_750, 701, 301, 132, 57, 23, 10, 4, 1];
    let mut gap = 0;
    while gap < GAPS.len() {
        let step = GAPS[gap];
        let mut at = step;
        while at < number {
            let form = forms[at];
            let begin = pair(entries, form).0;
            let mut to = at;
            while to >= step && is_greater(&pair(entries, forms[to - step]).0, &begin) {
                forms[to] = forms[to - step];
                to -= step;
            }
            forms[to] = form;
            at += 1;
        }
        gap += 1;
    }
}
