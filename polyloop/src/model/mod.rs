//! The seam to a language model.

mod deltas;
mod request;
mod scripted;
mod strict;

use std::any::type_name;
use std::future::Future;
use std::sync::Arc;

pub(crate) use deltas::Deltas;
pub use request::SealedRequest;
pub use scripted::Scripted;

use crate::error::{ModelError, ToolsRefused};
use crate::event::Reply;
use crate::message::{Prompt, ToolDefinition};
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
///
/// A client for a provider has a [`body`](Model::body) and an [`identity`](Model::identity) as well, and sends what
/// [`ask_sealed`](Model::ask_sealed) gets. A model around another one forwards all five.
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

    /// Returns the body of the request for a prompt; none where a model takes the prompt as it is, which is so unless a
    /// model says otherwise.
    ///
    /// It is a pure function: the same prompt gives the same bytes, in another process as well. An agent seals the hash
    /// of it, and stops a run in which it comes out differently. It holds no key.
    fn body(&self, prompt: &Prompt) -> Option<Vec<u8>> {
        let _ = prompt;
        None
    }

    /// Replies to a request of an agent. Send the bytes of [`SealedRequest::body`], and tell the text while it is
    /// written with [`SealedRequest::tell`].
    ///
    /// Unless a model says otherwise it is [`ask`](Model::ask), with no pieces.
    ///
    /// # Errors
    ///
    /// As [`ask`](Model::ask).
    fn ask_sealed(
        &self,
        request: &SealedRequest<'_>,
    ) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        self.ask(request.prompt())
    }

    /// Says who makes the body: the client and its version, the server, the model's name and its parameters; never a key.
    /// The name of the type unless a model says otherwise.
    ///
    /// A journal keeps it, and a run is not taken up again by a model of another identity unless that is accepted. An
    /// agent asks for it once, when it is built.
    fn identity(&self) -> String {
        type_name::<Self>().to_owned()
    }

    /// Checks whether the model's provider can read tools; it can unless a model says otherwise. An agent whose tools its
    /// model refuses is not built: a provider answers one bad tool by failing the whole request.
    ///
    /// # Errors
    ///
    /// When it cannot read some of them; each is listed, with the reason.
    fn check_tools(&self, tools: &Arc<[ToolDefinition]>) -> Result<(), ToolsRefused> {
        let _ = tools;
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<M: Model> Model for Arc<M> {
    fn ask(&self, prompt: &Prompt) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        M::ask(self, prompt)
    }

    fn body(&self, prompt: &Prompt) -> Option<Vec<u8>> {
        M::body(self, prompt)
    }

    fn ask_sealed(
        &self,
        request: &SealedRequest<'_>,
    ) -> impl Future<Output = Result<Reply, ModelError>> + Send {
        M::ask_sealed(self, request)
    }

    fn identity(&self) -> String {
        M::identity(self)
    }

    fn check_tools(&self, tools: &Arc<[ToolDefinition]>) -> Result<(), ToolsRefused> {
        M::check_tools(self, tools)
    }
}

/// A model behind `dyn`.
pub(crate) trait DynModel: Send + Sync {
    fn body_of(&self, prompt: &Prompt) -> Option<Vec<u8>>;
    fn ask_boxed<'a>(&'a self, request: &'a SealedRequest<'a>) -> BoxFuture<'a, Result<Reply, ModelError>>;
    fn who(&self) -> String;
    fn check(&self, tools: &Arc<[ToolDefinition]>) -> Result<(), ToolsRefused>;
}

impl<M: Model> DynModel for M {
    fn body_of(&self, prompt: &Prompt) -> Option<Vec<u8>> {
        self.body(prompt)
    }

    fn ask_boxed<'a>(&'a self, request: &'a SealedRequest<'a>) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(self.ask_sealed(request))
    }

    fn who(&self) -> String {
        self.identity()
    }

    fn check(&self, tools: &Arc<[ToolDefinition]>) -> Result<(), ToolsRefused> {
        self.check_tools(tools)
    }
}
