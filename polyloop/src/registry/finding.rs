//! What a check found, and what all checks share.
#![expect(clippy::large_types_passed_by_value, reason = "this never runs outside constant evaluation")]

use super::const_text::ConstText;

/// One registry holds fewer names and fewer markers than this, former and old ones included.
pub(super) const MOST: usize = 4_096;
/// Ciura's gaps for Shell's method of sorting, which needs no room and no recursion.
pub(super) const GAPS: [usize; 9] = [1_750, 701, 301, 132, 57, 23, 10, 4, 1];

/// Says that nothing was found.
#[doc(hidden)]
pub const NONE: usize = usize::MAX;

/// What a check found: the position of the entry to underline, and the sentence.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// The entry's position; [`NONE`] if nothing was found.
    pub culprit: usize,
    text: ConstText,
}

impl Finding {
    pub(super) const fn none() -> Self {
        Self { culprit: NONE, text: ConstText::new() }
    }

    pub(super) const fn at(culprit: usize, text: ConstText) -> Self {
        Self { culprit, text }
    }

    /// Returns the sentence.
    #[must_use]
    pub const fn text(&self) -> &str {
        self.text.as_str()
    }

    /// A registry holds more than can be checked.
    pub(super) const fn too_many(what: &str) -> Self {
        let text = ConstText::new()
            .with("a registry may hold fewer than ")
            .with_number(MOST)
            .with(" ")
            .with(what)
            .with("; split it into several");
        Self::at(0, text)
    }
}

#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the lengths are equal")]
pub(super) const fn equal(left: &str, right: &str) -> bool {
    let (length, left, right) = (left.len(), left.as_bytes(), right.as_bytes());
    if length != right.len() {
        return false;
    }
    let mut at = 0;
    while at < length {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{FragmentEntry, check_kinds, check_markers};
    use super::{MOST, NONE};
    use crate::fragment::FragmentSpec;
    use crate::message::Role;

    #[test]
    fn what_is_too_much_to_check_is_refused_and_not_passed_over() {
        static SPEC: FragmentSpec = FragmentSpec::new("kind", Role::User, 100).markers("<a>", "</a>");
        let entries = vec![FragmentEntry { kind: (), spec: &SPEC }; MOST];
        for found in [check_kinds(&entries), check_markers(&entries)] {
            assert_ne!(found.culprit, NONE);
            assert!(found.text().ends_with("; split it into several"), "{}", found.text());
        }
    }
}
