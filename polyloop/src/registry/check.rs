//! What the compiler checks of a registry: constant functions over the descriptions.
//!
//! Constant evaluation is slow, so nothing here compares all pairs: names are hashed and sorted. A call costs what a
//! dozen steps cost, so the loops over bytes call nothing. There is no heap, so the room for sorting is an array of fixed
//! size; none of this ever runs in a program.
#![expect(
    clippy::large_stack_arrays,
    reason = "constant evaluation has no heap, and this never runs elsewhere"
)]

use super::FragmentEntry;
use super::const_text::ConstText;
use super::faults::fault;
use super::finding::{Finding, GAPS, MOST, equal};
use crate::fragment::FragmentSpec;
use crate::tool::ToolEntry;

/// The bits of a sorted number that hold the position.
const POSITION: u64 = (MOST as u64) - 1;

/// The position in a sorted number.
const fn position(sorted: u64) -> usize {
    (sorted & POSITION) as usize
}

/// Refuses a kind that two types have.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the positions are checked")]
pub const fn check_kinds<K>(entries: &[FragmentEntry<K>]) -> Finding {
    let mut hashes = [0u64; MOST];
    let mut owners = [0usize; MOST];
    let mut number = 0;
    let mut entry = 0;
    while entry < entries.len() {
        let spec = entries[entry].spec;
        let mut former = 0;
        while former <= spec.was.len() && number < MOST {
            hashes[number] = hash(name_of(spec, former)) & !POSITION | number as u64;
            owners[number] = entry;
            number += 1;
            former += 1;
        }
        entry += 1;
    }
    if number == MOST {
        return Finding::too_many("kinds");
    }
    sort(&mut hashes, number);
    let mut at = 1;
    while at < number {
        if hashes[at] & !POSITION == hashes[at - 1] & !POSITION {
            let first = owners[position(hashes[at - 1])];
            let second = owners[position(hashes[at])];
            let (first, second) = if first < second { (first, second) } else { (second, first) };
            if let Some(kind) = shared_name(entries[first].spec, entries[second].spec) {
                let text = ConstText::new()
                    .with("the kind `")
                    .with(kind)
                    .with("` belongs to `")
                    .with(entries[first].spec.type_name)
                    .with("` and to `")
                    .with(entries[second].spec.type_name)
                    .with("`; give one of them another `kind`");
                return Finding::at(second, text);
            }
        }
        at += 1;
    }
    Finding::none()
}

/// The kind, or a former one.
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the callers stay inside")]
const fn name_of(spec: &FragmentSpec, former: usize) -> &'static str {
    if former == 0 { spec.kind } else { spec.was[former - 1] }
}

/// A name that both have.
const fn shared_name(first: &FragmentSpec, second: &FragmentSpec) -> Option<&'static str> {
    let mut left = 0;
    while left <= first.was.len() {
        let mut right = 0;
        while right <= second.was.len() {
            if equal(name_of(first, left), name_of(second, right)) {
                return Some(name_of(first, left));
            }
            right += 1;
        }
        left += 1;
    }
    None
}

/// Refuses caps that sum up to more than the registry allows.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the position is checked")]
pub const fn check_caps<K>(name: &str, entries: &[FragmentEntry<K>], max_chars: usize) -> Finding {
    let mut sum = 0usize;
    let mut entry = 0;
    while entry < entries.len() {
        let spec = entries[entry].spec;
        sum = sum.saturating_add(spec.max_chars.saturating_mul(spec.at_most));
        entry += 1;
    }
    if sum <= max_chars {
        return Finding::none();
    }
    let text = ConstText::new()
        .with("one turn may record ")
        .with_number(sum)
        .with(" characters of fragments, over the `max_chars` of `")
        .with(name)
        .with("`, which is ")
        .with_number(max_chars)
        .with("; lower `max_chars` or `at_most` of a fragment, or raise the limit");
    Finding::at(0, text)
}

/// Refuses a description that the derive would refuse; one written by hand may hold it.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the position is checked")]
pub const fn check_specs<K>(entries: &[FragmentEntry<K>]) -> Finding {
    let mut entry = 0;
    while entry < entries.len() {
        let spec = entries[entry].spec;
        if let Some(fault) = fault(spec) {
            let text = ConstText::new().with("`").with(spec.type_name).with("` ").with(fault);
            return Finding::at(entry, text);
        }
        entry += 1;
    }
    Finding::none()
}

/// Refuses two tools of one name, and a name that providers refuse.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the positions are checked")]
pub const fn check_tools<S: ?Sized>(tools: &[ToolEntry<S>]) -> Finding {
    let mut hashes = [0u64; MOST];
    let mut number = 0;
    while number < tools.len() && number < MOST {
        let name = tools[number].spec.name;
        if !is_tool_name(name) {
            let text = ConstText::new()
                .with("`")
                .with(name)
                .with("` is no name of a tool; providers take `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`");
            return Finding::at(number, text);
        }
        hashes[number] = hash(name) & !POSITION | number as u64;
        number += 1;
    }
    if number == MOST {
        return Finding::too_many("tools");
    }
    sort(&mut hashes, number);
    let mut at = 1;
    while at < number {
        let (left, right) = (hashes[at - 1], hashes[at]);
        let (first, second) = (position(left), position(right));
        let name = tools[first].spec.name;
        if left & !POSITION == right & !POSITION && equal(name, tools[second].spec.name) {
            let text = ConstText::new()
                .with("two tools are named `")
                .with(name)
                .with("`; rename one of them with `#[tool(name = \"…\")]`");
            return Finding::at(second, text);
        }
        at += 1;
    }
    Finding::none()
}

#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the position is checked")]
const fn is_tool_name(name: &str) -> bool {
    let (name, length) = (name.as_bytes(), name.len());
    let mut at = 0;
    while at < length {
        match name[at] {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {}
            b'0'..=b'9' | b'-' if at > 0 => {}
            _ => return false,
        }
        at += 1;
    }
    length > 0 && length <= 64
}

/// FNV-1a. Equal names have equal hashes; different ones are compared again.
///
/// The arithmetic is wider than the hash, because a method that wraps costs more than the multiplication.
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the position is checked")]
#[expect(clippy::cast_possible_truncation, reason = "the mask leaves 64 bits")]
const fn hash(text: &str) -> u64 {
    let (bytes, length) = (text.as_bytes(), text.len());
    let mut hash = 0xcbf2_9ce4_8422_2325u128;
    let mut at = 0;
    while at < length {
        hash = ((hash ^ bytes[at] as u128) * 0x0000_0100_0000_01b3) & 0xffff_ffff_ffff_ffff;
        at += 1;
    }
    hash as u64
}

/// Sorts the first `number` values: Shell's method with Ciura's gaps.
#[expect(
    clippy::indexing_slicing,
    reason = "`get_mut` is not const on stable; the positions are below `number`"
)]
const fn sort(values: &mut [u64; MOST], number: usize) {
    let mut gap = 0;
    while gap < GAPS.len() {
        let step = GAPS[gap];
        let mut at = step;
        while at < number {
            let value = values[at];
            let mut to = at;
            while to >= step && values[to - step] > value {
                values[to] = values[to - step];
                to -= step;
            }
            values[to] = value;
            at += 1;
        }
        gap += 1;
    }
}
