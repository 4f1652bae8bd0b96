//! A client: it makes bodies, sends them, and reads what comes back.

use std::fmt;
use std::sync::Arc;

use super::protocol::Protocol;
use super::secret::Secret;
use super::tools::ToolCache;
use super::transport::Transport;
use super::{Asked, ClientBuilder, Options, ProviderError, Wanted};
use crate::dialect::LoweredTools;
use crate::error::{ModelError, ModelErrorClass, ToolsRefused};
use crate::event::Reply;
use crate::execute::catching;
use crate::message::{Prompt, ToolDefinition};
use crate::model::{Deltas, Model, SealedRequest};

/// The version of the bodies in which notes among the turns are marked, in the interfaces that have turns.
const MARKS_NOTES: u32 = 2;

/// What a model around this one must mend.
const NOT_SEALED: &str =
    "the body was not sealed, so it is not sent; a model around this one must forward `Model::body`";
/// A longer message of a server is cut here, in characters.
const MOST_CHARS: usize = 1_000;

/// A client for one interface of a provider: [`OpenAi`](crate::OpenAi) and its like.
///
/// The body of a request is a pure function of the options and the sealed prompt. The key is in no error, no log and no
/// `Debug`. Clones share the connections. It needs a tokio runtime with I/O and time (`enable_all`).
pub struct Client<P: Protocol>(Arc<Inner<P>>);

pub(super) struct Inner<P> {
    pub(super) protocol: P,
    pub(super) options: Options,
    pub(super) wanted: Wanted,
    /// The URL as it may be shown.
    pub(super) shown_url: String,
    /// Host, port and path.
    pub(super) server: String,
    /// What no message may hold.
    pub(super) secrets: Vec<Secret>,
    pub(super) tools: ToolCache,
    pub(super) transport: Transport,
}

impl<P: Protocol> Client<P> {
    pub(super) fn of(inner: Inner<P>) -> Self {
        Self(Arc::new(inner))
    }

    /// Makes a client without a key, for a server such as `http://localhost:8080/v1`.
    ///
    /// # Errors
    ///
    /// When the URL cannot be used, the model has no name, or there can be no TLS.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Result<Self, ProviderError> {
        Self::builder(base_url, model).build()
    }

    /// Starts a client with options. The base URL is what the provider's own libraries take for one; a query stays behind
    /// the path.
    pub fn builder(base_url: impl Into<String>, model: impl Into<String>) -> ClientBuilder<P> {
        ClientBuilder::new(base_url, model)
    }

    /// Makes a client from environment variables: `…_API_KEY`, `…_MODEL`, and `…_BASE_URL`, which is the provider's own unless
    /// set. They begin with `OPENAI`, `ANTHROPIC` or `GEMINI`. The key may be empty, for servers that ask for none.
    ///
    /// # Errors
    ///
    /// When the key or the model is not set, which is named, or as for [`ClientBuilder::build`].
    pub fn from_env() -> Result<Self, ProviderError> {
        Self::builder_from_env()?.build()
    }

    /// Starts a client with options from the environment variables of [`from_env`](Self::from_env).
    ///
    /// # Errors
    ///
    /// When the key or the model is not set, which is named.
    pub fn builder_from_env() -> Result<ClientBuilder<P>, ProviderError> {
        ClientBuilder::of_variables(|name| std::env::var(name).ok())
    }

    /// Returns the body of the request for a prompt. The same prompt gives the same bytes; it holds no key.
    ///
    /// # Errors
    ///
    /// When the provider cannot read one of the prompt's tools. An agent with such a tool is not built.
    pub fn body(&self, prompt: &Prompt) -> Result<Vec<u8>, ModelError> {
        Ok(self.body_with(prompt, &*self.lowered(prompt)?))
    }

    /// Returns the model's name.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.0.options.model
    }

    /// The tools as the provider reads them.
    fn tools(&self, tools: &Arc<[ToolDefinition]>) -> Result<Arc<LoweredTools>, ToolsRefused> {
        self.0.tools.lowered(tools, self.0.options.schemas)
    }

    fn lowered(&self, prompt: &Prompt) -> Result<Arc<LoweredTools>, ModelError> {
        let refused =
            |refused: ToolsRefused| ModelError::new(ModelErrorClass::BadRequest, refused.to_string());
        self.tools(prompt.shared_tools()).map_err(refused)
    }

    fn body_with(&self, prompt: &Prompt, tools: &LoweredTools) -> Vec<u8> {
        let Inner { protocol, options, wanted, .. } = &*self.0;
        let marks_notes = options.body_version >= MARKS_NOTES;
        protocol.body(options, &Asked { prompt, tools, provider: &wanted.provider, marks_notes })
    }

    async fn send(&self, body: Vec<u8>, tools: &LoweredTools, deltas: &Deltas) -> Result<Reply, ModelError> {
        let Inner { protocol, wanted, transport, .. } = &*self.0;
        let sent = catching(Box::pin(transport.send(protocol, wanted, body, deltas))).await;
        // Without I/O or a timer the runtime says so by a panic only.
        let replied = sent.unwrap_or_else(|panicked| {
            let message = format!("the client {panicked}; build the tokio runtime with `enable_all`");
            Err(ModelError::new(ModelErrorClass::Transport, message))
        });
        // A server may repeat what it got, wherever it likes.
        let kept = |reply: Reply| {
            let raw = reply.raw().map(|raw| self.without_secrets(raw.to_owned()));
            raw.into_iter().fold(reply, Reply::with_raw)
        };
        let decoded = |reply: Reply| {
            reply.with_arguments(|tool, arguments| {
                tools.get(tool).map(|tool| tool.decoder().decode_text(arguments).into_owned())
            })
        };
        replied.map(kept).map(decoded).map_err(|error| self.presentable(&error))
    }

    fn without_secrets(&self, text: String) -> String {
        self.0.secrets.iter().fold(text, |text, secret| secret.hide_in(text))
    }

    /// Hides what is secret, and cuts what is long.
    fn presentable(&self, error: &ModelError) -> ModelError {
        let hidden = self.without_secrets(error.message().to_owned());
        let mut message: String = hidden.chars().take(MOST_CHARS).collect();
        if message.len() < hidden.len() {
            message.push('…');
        }
        let presentable = ModelError::new(error.class(), message);
        match error.retry_after() {
            Some(wait) => presentable.with_retry_after(wait),
            None => presentable,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<P: Protocol> Model for Client<P> {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        let tools = self.lowered(prompt)?;
        self.send(self.body_with(prompt, &tools), &tools, &Deltas::new(|_| {})).await
    }

    fn body(&self, prompt: &Prompt) -> Option<Vec<u8>> {
        self.body(prompt).ok()
    }

    async fn ask_sealed(&self, request: &SealedRequest<'_>) -> Result<Reply, ModelError> {
        let tools = self.lowered(request.prompt())?;
        let Some(body) = request.body() else {
            // What was not sealed is not sent.
            return Err(ModelError::new(ModelErrorClass::BadRequest, NOT_SEALED));
        };
        self.send(body.to_vec(), &tools, request.deltas()).await
    }

    fn identity(&self) -> String {
        let Inner { protocol, options, server, .. } = &*self.0;
        let (name, version) = (P::SPEC.name, options.body_version);
        format!("{name}/{version} {server} {} {}", options.model, protocol.parameters(options))
    }

    fn check_tools(&self, tools: &Arc<[ToolDefinition]>) -> Result<(), ToolsRefused> {
        self.tools(tools).map(drop)
    }
}

impl<P: Protocol> Clone for Client<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: Protocol> fmt::Debug for Client<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct(P::SPEC.client);
        debug.field("url", &self.0.shown_url).field("model", &self.0.options.model);
        debug.finish_non_exhaustive()
    }
}
