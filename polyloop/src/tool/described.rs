//! Descriptions that a constant expression puts together, such as `#[doc = concat!(…)]`: joined while compiling.

/// Returns the length in bytes of what [`bytes`] returns.
#[doc(hidden)]
#[must_use]
pub const fn length(parts: &[&str]) -> usize {
    let (start, end) = bounds(parts);
    end - start
}

/// Joins the parts with a line break between two of them, without blank lines at the start and white space at the end.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "`at` is below `N`; iterators are not const on stable")]
pub const fn bytes<const N: usize>(parts: &[&str]) -> [u8; N] {
    let (start, _) = bounds(parts);
    let mut joined = [0; N];
    let mut at = 0;
    while at < N {
        joined[at] = byte(parts, start + at);
        at += 1;
    }
    joined
}

/// Returns the joined parts as a text.
#[doc(hidden)]
#[must_use]
pub const fn text(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        // Only ASCII white space is removed from texts, so the rest is text as well.
        Err(_) => "",
    }
}

/// Returns where the joined text starts and ends once it is trimmed, in bytes.
const fn bounds(parts: &[&str]) -> (usize, usize) {
    let mut end = joined_length(parts);
    while end > 0 && byte(parts, end - 1).is_ascii_whitespace() {
        end -= 1;
    }
    let (mut start, mut at) = (0, 0);
    while at < end && byte(parts, at).is_ascii_whitespace() {
        at += 1;
        if byte(parts, at - 1) == b'\n' {
            start = at;
        }
    }
    (start, end)
}

#[expect(clippy::indexing_slicing, reason = "`at` is below the length; iterators are not const on stable")]
const fn joined_length(parts: &[&str]) -> usize {
    let (mut length, mut at) = (0, 0);
    while at < parts.len() {
        length += parts[at].len() + if at > 0 { 1 } else { 0 };
        at += 1;
    }
    length
}

/// Returns one byte of the joined parts.
#[expect(
    clippy::indexing_slicing,
    reason = "each index is compared first; iterators are not const on stable"
)]
const fn byte(parts: &[&str], mut index: usize) -> u8 {
    let mut at = 0;
    while at < parts.len() {
        let part = parts[at].as_bytes();
        if index < part.len() {
            return part[index];
        }
        if index == part.len() {
            return b'\n';
        }
        index -= part.len() + 1;
        at += 1;
    }
    b'\n'
}
