//! Text that is put together while compiling.

/// How many bytes a text may have; what does not fit is left out.
const ROOM: usize = 768;

/// A text that a constant expression builds.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstText {
    bytes: [u8; ROOM],
    length: usize,
}

impl ConstText {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; ROOM], length: 0 }
    }

    /// Adds a text, whole or not at all.
    #[expect(clippy::indexing_slicing, reason = "checked in the condition; `get` is not const on stable")]
    pub(super) const fn with(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.length + text.len() <= ROOM {
            let mut at = 0;
            while at < text.len() {
                self.bytes[self.length + at] = text[at];
                at += 1;
            }
            self.length += text.len();
        }
        self
    }

    /// Adds a number.
    pub(super) const fn with_number(self, number: usize) -> Self {
        let text = if number >= 10 { self.with_number(number / 10) } else { self };
        text.with(match number % 10 {
            0 => "0",
            1 => "1",
            2 => "2",
            3 => "3",
            4 => "4",
            5 => "5",
            6 => "6",
            7 => "7",
            8 => "8",
            _ => "9",
        })
    }

    /// Returns the text.
    pub(super) const fn as_str(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.length);
        match core::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}
