//! A client for models behind an interface for chat completions like that of OpenAI.
//!
//! The body of a request is a pure function of the options and the sealed prompt ([`request`]); what comes back is
//! read whole or as a stream ([`reply`], [`sse`], [`stream`]) and classified where it is no reply ([`failure`]); only
//! [`transport`] does something. The sources are OpenAI's API reference for chat completions, and the HTML standard
//! for server-sent events.

mod assemble;
mod builder;
mod decode;
mod error;
mod failure;
mod reply;
mod request;
mod secret;
mod sse;
mod stream;
mod transport;

use std::fmt;
use std::sync::Arc;

pub use builder::OpenAiBuilder;
pub use decode::{ChatBody, ChatMessage, ChatPart, ChatTool};
pub use error::OpenAiError;
pub use request::{DeveloperRole, ResponseFormat};

use crate::error::{ModelError, ModelErrorClass};
use crate::event::Reply;
use crate::execute::catching;
use crate::message::Prompt;
use crate::model::{Deltas, Model, SealedRequest};
use request::Header;
use secret::Secret;
use transport::Transport;

/// The version of the bodies: another one where the same prompt and options give other bytes than before.
const VERSION: u32 = 1;
/// What a model around this one must mend.
const NOT_SEALED: &str =
    "the body was not sealed, so it is not sent; a model around this one must forward `Model::body`";
/// A longer message of a server is cut here, in characters.
const MOST_CHARS: usize = 1_000;

/// Asks a model behind an interface for chat completions like that of OpenAI: OpenAI itself, vLLM, llama.cpp, Ollama,
/// LM Studio, OpenRouter and others.
///
/// The interface is the one of OpenAI's API reference, *chat completions*. The key is in no error, no log and no
/// `Debug`. Clones share the connections. It needs a tokio runtime with I/O and time (`enable_all`).
///
/// ```no_run
/// use polyloop::prelude::*;
/// use polyloop::OpenAi;
///
/// registry! { struct App {} }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = OpenAi::builder("http://localhost:8080/v1", "gemma").temperature(0.0).seed(7).build()?;
/// let agent = Agent::<App>::builder(model).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OpenAi(Arc<Inner>);

struct Inner {
    header: Header,
    /// The URL as it may be shown.
    shown_url: String,
    /// Host, port and path.
    server: String,
    /// What no message may hold.
    secrets: Vec<Secret>,
    transport: Transport,
}

impl OpenAi {
    /// Makes a client without a key, for a server such as `http://localhost:8080/v1`.
    ///
    /// # Errors
    ///
    /// When the URL cannot be used, the model has no name, or there can be no TLS.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Result<Self, OpenAiError> {
        Self::builder(base_url, model).build()
    }

    /// Starts a client with options. The base URL is what stands before `/chat/completions`; a query stays behind it.
    pub fn builder(base_url: impl Into<String>, model: impl Into<String>) -> OpenAiBuilder {
        OpenAiBuilder::new(base_url, model)
    }

    /// Makes a client from the environment variables `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL`. The key
    /// may be empty, for servers that ask for none.
    ///
    /// # Errors
    ///
    /// When one of them is not set, which is named, or as for [`OpenAiBuilder::build`].
    pub fn from_env() -> Result<Self, OpenAiError> {
        Self::builder_from_env()?.build()
    }

    /// Starts a client with options from the environment variables of [`from_env`](Self::from_env).
    ///
    /// # Errors
    ///
    /// When one of them is not set, which is named.
    pub fn builder_from_env() -> Result<OpenAiBuilder, OpenAiError> {
        OpenAiBuilder::of_variables(|name| std::env::var(name).ok())
    }

    /// Returns the body of the request for a prompt. The same prompt gives the same bytes; it holds no key.
    ///
    /// The order of its members is fixed, with the messages last: without its last two bytes the body is the
    /// beginning of the next step's.
    #[must_use]
    pub fn body(&self, prompt: &Prompt) -> Vec<u8> {
        self.0.header.body(prompt)
    }

    /// Reads a body back: the inverse of [`body`](Self::body), but that a call without arguments has `{}`.
    ///
    /// # Errors
    ///
    /// When the bytes are no such body.
    pub fn decode(body: &[u8]) -> Result<ChatBody, OpenAiError> {
        decode::decode(body)
    }

    /// Returns the model's name.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.0.header.model
    }

    async fn send(&self, body: Vec<u8>, deltas: &Deltas) -> Result<Reply, ModelError> {
        let sent = catching(Box::pin(self.0.transport.send(body, deltas))).await;
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
        replied.map(kept).map_err(|error| self.presentable(&error))
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
impl Model for OpenAi {
    async fn ask(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        self.send(self.body(prompt), &Deltas::new(|_| {})).await
    }

    fn body(&self, prompt: &Prompt) -> Option<Vec<u8>> {
        Some(self.0.header.body(prompt))
    }

    async fn ask_sealed(&self, request: &SealedRequest<'_>) -> Result<Reply, ModelError> {
        let Some(body) = request.body() else {
            // What was not sealed is not sent.
            return Err(ModelError::new(ModelErrorClass::BadRequest, NOT_SEALED));
        };
        self.send(body.to_vec(), request.deltas()).await
    }

    fn identity(&self) -> String {
        let Inner { header, server, .. } = &*self.0;
        format!("openai.chat/{VERSION} {server} {} {}", header.model, header.parameters())
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::{OpenAi, OpenAiBuilder, OpenAiError};

    fn variables(set: &'static [(&str, &str)]) -> Result<OpenAiBuilder, OpenAiError> {
        OpenAiBuilder::of_variables(|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn every_missing_variable_is_named() {
        let said = |set| variables(set).map(drop).map_err(|error| error.to_string());
        assert_eq!(
            said(&[]),
            Err("`OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL` are not set; set them".to_owned())
        );
        assert_eq!(
            said(&[("OPENAI_API_KEY", ""), ("OPENAI_BASE_URL", "http://localhost/v1")]),
            Err("`OPENAI_MODEL` is not set; set it".to_owned())
        );
    }

    #[test]
    fn all_variables_make_a_client() {
        let set =
            &[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://localhost:1/v1/"), ("OPENAI_MODEL", "m")];
        let client = variables(set).and_then(OpenAiBuilder::build);
        let shown = client.map(|client: OpenAi| format!("{client:?}"));
        assert_eq!(
            shown,
            Ok(r#"OpenAi { url: "http://localhost:1/v1/chat/completions", model: "m", .. }"#.to_owned())
        );
    }
}
