//! Where a model tells its reply piece by piece.

use std::fmt;

/// Takes the pieces of a reply while a model still writes: see [`Model::ask_streaming`](crate::Model::ask_streaming).
///
/// They are for a person to look at. What counts, and what is recorded, is the reply as a whole.
pub struct Deltas {
    tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl Deltas {
    /// Hands each piece of text to a function.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { tell: Box::new(tell) }
    }

    /// Tells one piece of the reply's text; an empty one is not told.
    pub fn tell(&self, text: &str) {
        if !text.is_empty() {
            (self.tell)(text);
        }
    }
}

impl fmt::Debug for Deltas {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Deltas").finish_non_exhaustive()
    }
}
