//! What an agent hands to a model.

use std::fmt;

use super::Deltas;
use crate::message::Prompt;

/// A request whose seal is in the journal: see [`Model::ask_sealed`](crate::Model::ask_sealed). Only an agent makes one.
pub struct SealedRequest<'a> {
    prompt: &'a Prompt,
    body: Option<&'a [u8]>,
    attempt: u32,
    deltas: &'a Deltas,
}

impl<'a> SealedRequest<'a> {
    pub(crate) fn new(prompt: &'a Prompt, body: Option<&'a [u8]>, attempt: u32, deltas: &'a Deltas) -> Self {
        Self { prompt, body, attempt, deltas }
    }

    /// Returns the sealed prompt.
    #[must_use]
    pub fn prompt(&self) -> &'a Prompt {
        self.prompt
    }

    /// Returns the body that [`Model::body`](crate::Model::body) made: exactly the bytes whose hash is in the seal.
    #[must_use]
    pub fn body(&self) -> Option<&'a [u8]> {
        self.body
    }

    /// Returns which request of its step this is, counted from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Tells one piece of the reply's text, as an [`Update::Delta`](crate::Update::Delta); an empty one is not told.
    ///
    /// Pieces are for a person to look at. What counts, and what is recorded, is the reply as a whole; where there is
    /// none, some pieces may have been told.
    pub fn tell(&self, text: &str) {
        self.deltas.tell(text);
    }

    /// Where the pieces go.
    #[cfg(feature = "http")]
    pub(crate) fn deltas(&self) -> &'a Deltas {
        self.deltas
    }
}

impl fmt::Debug for SealedRequest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SealedRequest").field("attempt", &self.attempt).finish_non_exhaustive()
    }
}
