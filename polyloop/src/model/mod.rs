//! The seam to a language model.

mod deltas;
mod scripted;
mod strict;

use std::future::Future;
use std::sync::Arc;

pub use deltas::Deltas;
pub use scripted::Scripted;

use crate::error::ModelError;
use crate::event::Reply;
use crate::message::Prompt;
use crate::tool::BoxFuture;

/// A language model: it sees a sealed prompt and nothing else, and replies.
///
/// Write a plain `async fn`:
///
/// ```
/// use polyloop::prelude::*;
///
/// struct Echo;
///
/// impl Model for Echo {
///     async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
///         let last = prompt.messages().next_back().map(Message::text).unwrap_or_default();
///         Ok(Reply::text(format!("You said: {last}")))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "not a model",
    note = "implement `polyloop::Model`: one `async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError>`"
)]
pub trait Model: Send + Sync + 'static {
    /// Replies to a prompt.
    ///
    /// # Errors
    ///
    /// When there is no reply. The class says whether asking again makes sense.
    fn ask(&self, prompt: &Prompt) -> impl Future<Output = Result<Reply, ModelError>> + Send;

    /// Replies to a prompt, and tells the text piece by piece while it is written. An agent asks this way, and tells
    /// each piece as an [`Update::Delta`](crate::Update::Delta).
    ///
    /// Unless a model says otherwise it is [`ask`](Model::ask), with no pieces. The pieces together need not be the
    /// reply's text: where there is no reply, some may have been told.
    ///
    /// # Errors
    ///
    /// As [`ask`](Model::ask).
    fn ask_streaming(
        &self,
        prompt: &Prompt,
        deltas: &Deltas,
    ) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        let _ = deltas;
        self.ask(prompt)
    }
}

#[diagnostic::do_not_recommend]
impl<M: Model> Model for Arc<M> {
    fn ask(&self, prompt: &Prompt) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        M::ask(self, prompt)
    }

    fn ask_streaming(
        &self,
        prompt: &Prompt,
        deltas: &Deltas,
    ) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        M::ask_streaming(self, prompt, deltas)
    }
}

/// A model behind `dyn`.
pub(crate) trait DynModel: Send + Sync {
    fn ask_boxed<'a>(
        &'a self,
        prompt: &'a Prompt,
        deltas: &'a Deltas,
    ) -> BoxFuture<'a, Result<Reply, ModelError>>;
}

impl<M: Model> DynModel for M {
    fn ask_boxed<'a>(
        &'a self,
        prompt: &'a Prompt,
        deltas: &'a Deltas,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(self.ask_streaming(prompt, deltas))
    }
}
