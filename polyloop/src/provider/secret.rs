//! What no log, no error and no `Debug` may show.

use std::fmt;

use reqwest::header::HeaderValue;

/// A shorter text is not looked for in messages: it is no secret, and would be found in ordinary words.
const SHORTEST: usize = 8;

/// A text that shows itself to nobody but the server.
#[derive(Clone)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for who sends it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a header, behind a prefix; marked, so that no transport shows it.
    pub(super) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&[prefix, &self.0].concat()).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Puts a placeholder wherever the text holds the secret: servers repeat what they got, or a part of it. So a
    /// scheme such as `Bearer` is no part of the secret behind it, and white space around a secret is none either.
    pub(super) fn hide_in(&self, text: String) -> String {
        let words = self.0.split_ascii_whitespace().filter(|word| word.len() >= SHORTEST);
        words.fold(text, |text, word| if text.contains(word) { text.replace(word, "[hidden]") } else { text })
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[hidden]")
    }
}
