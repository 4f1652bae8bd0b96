//! A reply on its way, event by event.

use super::cut;
use super::sse::Events;
use crate::error::ModelError;
use crate::event::Reply;
use crate::model::Deltas;

/// Puts a reply together from the events of a stream.
pub trait Gathering: Send {
    /// Takes the data of one event, and tells the text in it.
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<(), ModelError>;

    /// Whether the server said that nothing follows.
    fn is_done(&self) -> bool;

    /// Returns `true` if the reply is complete also where the connection ends here.
    fn is_finished(&self) -> bool;

    /// Makes the reply of a stream that is done or finished.
    ///
    /// # Errors
    ///
    /// When the reply has no proper end, or the provider failed or refused to answer.
    fn finish(self) -> Result<Reply, ModelError>;
}

/// The bytes of a stream, on their way to a reply.
pub(crate) struct Gathered<G> {
    events: Events,
    gathering: G,
}

impl<G: Gathering> Gathered<G> {
    pub(crate) fn new(gathering: G) -> Self {
        Self { events: Events::default(), gathering }
    }

    /// Takes some bytes. What stands behind the end is passed over.
    pub(crate) fn take(&mut self, bytes: &[u8], deltas: &Deltas) -> Result<(), ModelError> {
        for data in self.events.take(bytes) {
            let data = data.trim();
            if !data.is_empty() && !self.gathering.is_done() {
                self.gathering.take(data, deltas)?;
            }
        }
        Ok(())
    }

    pub(crate) fn is_done(&self) -> bool {
        self.gathering.is_done()
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.gathering.is_done() || self.gathering.is_finished()
    }

    /// Makes the reply; a stream that ended before its time makes none.
    pub(crate) fn finish(self) -> Result<Reply, ModelError> {
        if self.is_finished() {
            return self.gathering.finish();
        }
        Err(cut("the stream ended before it"))
    }
}
