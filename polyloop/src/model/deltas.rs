//! Where a model tells its reply piece by piece.

/// Takes the pieces of a reply while a model still writes.
#[cfg_attr(not(feature = "http"), expect(unreachable_pub, reason = "the protocols of clients name it"))]
pub struct Deltas {
    tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl Deltas {
    /// Hands each piece of text to a function.
    pub(crate) fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { tell: Box::new(tell) }
    }

    /// Tells one piece of the reply's text; an empty one is not told.
    pub(crate) fn tell(&self, text: &str) {
        if !text.is_empty() {
            (self.tell)(text);
        }
    }
}
