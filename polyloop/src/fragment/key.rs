//! Keys inside markers.

use std::fmt;
use std::str::FromStr;

use crate::error::KeyError;

/// The longest key, in characters.
pub(crate) const LONGEST: usize = 64;

/// A key inside a marker: `[a-z][a-z0-9_]*`, at most 64 characters, compared with case.
///
/// ```
/// use polyloop::Key;
///
/// assert_eq!(Key::new("browser").unwrap().as_str(), "browser");
/// assert!(Key::new("Extension").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// Makes a key.
    ///
    /// # Errors
    ///
    /// When the text is not of the form `[a-z][a-z0-9_]*` or is longer than 64 characters.
    pub fn new(text: impl Into<String>) -> Result<Self, KeyError> {
        let text = text.into();
        match prefix(text.as_bytes()) {
            Some(key) if key.len() == text.len() => Ok(Self(text)),
            _ => Err(KeyError { text }),
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::new(text)
    }
}

/// A type that may be the key in a marker: [`Key`], or an enum of your own whose names are keys.
///
/// What it gives is checked like a [`Key`] when a fragment is rendered.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a marker",
    label = "not a key type",
    note = "use `polyloop::Key`, or implement `polyloop::MarkerKey` for an enum of your own"
)]
pub trait MarkerKey {
    /// Returns the key's text.
    fn as_key(&self) -> &str;
}

#[diagnostic::do_not_recommend]
impl MarkerKey for Key {
    fn as_key(&self) -> &str {
        self.as_str()
    }
}

/// The longest key at the start of a text; none when what stands there is longer than a key may be.
pub(crate) fn prefix(text: &[u8]) -> Option<&str> {
    text.first().filter(|first| first.is_ascii_lowercase())?;
    let end = text
        .iter()
        .take(LONGEST + 1)
        .position(|byte| !(byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_'))
        .unwrap_or_else(|| text.len().min(LONGEST + 1));
    text.get(..end).filter(|key| key.len() <= LONGEST).and_then(|key| std::str::from_utf8(key).ok())
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn a_key_is_lower_case_and_at_most_64_characters() {
        assert!(Key::new("a".repeat(64)).is_ok());
        for wrong in ["", "1a", "_a", "A", "a-b", "ä", &"a".repeat(65)] {
            assert!(Key::new(wrong).is_err(), "{wrong}");
        }
    }
}
