//! The order of begin markers, for constant evaluation: sixteen bytes are compared at once.

use crate::fragment::Marker;

/// How many bytes one number holds.
const WIDTH: usize = 16;
/// How many bytes are compared before a text is looked at again.
const READY: usize = 2 * WIDTH;

/// The text before the key of a begin marker, in lower case, made ready for comparing.
#[derive(Clone, Copy)]
pub(super) struct Head {
    length: usize,
    /// The first bytes, as numbers that sort like the text.
    words: [u128; 2],
}

impl Head {
    pub(super) const EMPTY: Self = Self { length: 0, words: [0; 2] };

    pub(super) const fn of(marker: &Marker) -> Self {
        let (text, length) = (marker.as_str().as_bytes(), marker.head_len());
        Self { length, words: [word(text, 0, length), word(text, WIDTH, length)] }
    }

    /// Whether this head stands behind another, of which it may be the beginning of neither; `None` where only the rest
    /// of the texts can tell.
    pub(super) const fn is_behind(&self, other: &Self) -> Option<bool> {
        let ([left, left_next], [right, right_next]) = (self.words, other.words);
        if left != right {
            return Some(left > right);
        }
        if left_next != right_next {
            return Some(left_next > right_next);
        }
        if self.length > READY || other.length > READY { None } else { Some(false) }
    }

    /// Whether this head is a prefix of another, as far as the numbers tell.
    pub(super) const fn may_begin(&self, other: &Self) -> bool {
        let ([left, left_next], [right, right_next]) = (self.words, other.words);
        let next = self.length.saturating_sub(WIDTH);
        self.length <= other.length
            && (left ^ right) & kept(self.length) == 0
            && (left_next ^ right_next) & kept(next) == 0
    }
}

/// Whether the head of `left` stands behind the head of `right`, seen from where the numbers end.
pub(super) const fn rest_is_behind(left: &Marker, right: &Marker) -> bool {
    let (left_length, right_length) = (left.head_len(), right.head_len());
    let (left, right) = (left.as_str().as_bytes(), right.as_str().as_bytes());
    let mut at = READY;
    while at < left_length {
        let (left, right) = (word(left, at, left_length), word(right, at, right_length));
        if left != right {
            return left > right;
        }
        at += WIDTH;
    }
    false
}

/// Whether the head of `short` is a prefix of the head of `long`, seen from where the numbers end.
pub(super) const fn rest_begins(short: &Marker, long: &Marker) -> bool {
    let length = short.head_len();
    let (short, long) = (short.as_str().as_bytes(), long.as_str().as_bytes());
    let mut at = READY;
    while at < length {
        if word(short, at, length) != word(long, at, length) {
            return false;
        }
        at += WIDTH;
    }
    true
}

/// Sixteen bytes of a text from a position on, in lower case, as a number that sorts like the text; zeros behind `end`.
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; `end` is inside the text")]
const fn word(text: &[u8], from: usize, end: usize) -> u128 {
    let mut word = 0u128;
    let mut at = from;
    while at < from + WIDTH {
        word <<= 8;
        if at < end {
            let byte = text[at];
            let lower = if byte >= b'A' && byte <= b'Z' { byte | 0x20 } else { byte };
            word |= lower as u128;
        }
        at += 1;
    }
    word
}

/// The bits of the first bytes of a number.
const fn kept(bytes: usize) -> u128 {
    match bytes {
        0 => 0,
        1..WIDTH => u128::MAX << (8 * (WIDTH - bytes)),
        _ => u128::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::{Head, rest_begins, rest_is_behind};
    use crate::fragment::Marker;

    const TEXTS: [&str; 10] = [
        "",
        "<",
        "<A",
        "<ab>",
        "<sixteen_bytes_a>",
        "<sixteen_bytes_B>",
        "<a_text_of_thirty_two_bytes_here>",
        "<a_text_of_thirty_two_bytes_here> and more",
        "<a_text_of_thirty_two_bytes_here> and MORF",
        "<a_text_of_thirty_two_bytes_here> and more behind that, to the end of it",
    ];

    fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
        TEXTS.iter().flat_map(|left| TEXTS.iter().map(move |right| (*left, *right)))
    }

    #[test]
    fn heads_sort_like_their_texts_without_case() {
        for (left, right) in pairs() {
            let (one, other) = (Marker::new(left), Marker::new(right));
            let behind = Head::of(&one).is_behind(&Head::of(&other));
            let behind = behind.unwrap_or_else(|| rest_is_behind(&one, &other));
            assert_eq!(behind, left.to_lowercase() > right.to_lowercase(), "{left} {right}");
        }
    }

    #[test]
    fn prefixes_are_found_without_case() {
        for (left, right) in pairs() {
            let (one, other) = (Marker::new(left), Marker::new(right));
            let begins = Head::of(&one).may_begin(&Head::of(&other)) && rest_begins(&one, &other);
            assert_eq!(begins, right.to_lowercase().starts_with(&left.to_lowercase()), "{left} {right}");
        }
    }
}
