//! Markers: fixed texts, or texts around one key.

/// The text that a fragment begins or ends with; may hold one `{key}`. Doubled braces are literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    text: &'static str,
    /// Where `{key}` begins, in bytes; the text's length without one.
    key: usize,
    /// Whether no brace stands in it, hence no key.
    plain: bool,
}

/// How the placeholder is written.
const KEY: &str = "{key}";

impl Marker {
    /// Makes a marker from its text.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        let (key, plain) = key_position(text.as_bytes());
        Self { text, key, plain }
    }

    /// Returns the text as declared, with `{key}` where the key stands.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        self.text
    }

    /// Whether a key stands in it.
    #[must_use]
    pub const fn has_key(&self) -> bool {
        self.key < self.text.len()
    }

    /// Whether no brace stands in it.
    pub(crate) const fn is_plain(&self) -> bool {
        self.plain
    }

    /// The length of the text before the key, in bytes.
    pub(crate) const fn head_len(&self) -> usize {
        self.key
    }

    /// Where the text after the key begins, in bytes.
    pub(crate) const fn tail_start(&self) -> usize {
        if self.has_key() { self.key + KEY.len() } else { 0 }
    }
}

/// Finds `{key}`; gives the length when there is none. Also whether no brace stands in the text.
///
/// This runs while compiling, for every marker, where a call costs what a dozen steps cost; a byte without a brace takes
/// no call.
#[expect(clippy::indexing_slicing, reason = "checked in the condition; `get` is not const on stable")]
const fn key_position(bytes: &[u8]) -> (usize, bool) {
    let length = bytes.len();
    let mut plain = true;
    let mut at = 0;
    while at < length {
        let found = bytes[at];
        if found == b'{' || found == b'}' {
            plain = false;
            if found == b'{' && byte(bytes, at + 1) == b'{' {
                at += 2;
                continue;
            }
            if is_key_at(bytes, at) {
                return (at, false);
            }
        }
        at += 1;
    }
    (length, plain)
}

/// Whether the placeholder stands here.
const fn is_key_at(bytes: &[u8], at: usize) -> bool {
    let key = KEY.as_bytes();
    let mut matched = 0;
    while matched < key.len() && byte(bytes, at + matched) == byte(key, matched) {
        matched += 1;
    }
    matched == key.len()
}

/// The byte at a position, 0 behind the end.
#[expect(clippy::indexing_slicing, reason = "checked in the same line; `get` is not const on stable")]
pub(crate) const fn byte(bytes: &[u8], at: usize) -> u8 {
    if at < bytes.len() { bytes[at] } else { 0 }
}

/// The byte at a position, ASCII letters in lower case.
pub(crate) const fn lower_at(bytes: &[u8], at: usize) -> u8 {
    byte(bytes, at).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::Marker;

    #[test]
    fn a_key_is_found_and_doubled_braces_are_not_one() {
        assert!(Marker::new("<external_{key}>").has_key());
        assert!(!Marker::new("<{{key}}>").has_key());
        assert_eq!(Marker::new("<external_{key}>").head_len(), 10);
    }
}
