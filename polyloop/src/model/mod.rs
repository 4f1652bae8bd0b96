//! The seam to a language model.

mod scripted;
mod strict;

use std::future::Future;
use std::sync::Arc;

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
}

#[diagnostic::do_not_recommend]
impl<M: Model> Model for Arc<M> {
    fn ask(&self, prompt: &Prompt) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        M::ask(self, prompt)
    }
}

/// A model behind `dyn`.
pub(crate) trait DynModel: Send + Sync {
    fn ask_boxed<'a>(&'a self, prompt: &'a Prompt) -> BoxFuture<'a, Result<Reply, ModelError>>;
}

impl<M: Model> DynModel for M {
    fn ask_boxed<'a>(&'a self, prompt: &'a Prompt) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(self.ask(prompt))
    }
}
