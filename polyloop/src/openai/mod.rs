//! Clients for the two interfaces of OpenAI: chat completions, which many servers speak, and responses.

mod chat;
mod responses;

pub use chat::{ChatBody, ChatCompletions, ChatMessage, ChatPart, ChatTool, DeveloperRole, ResponseFormat};
pub use responses::Responses;

use crate::provider::{Client, ClientBuilder};

/// Asks a model behind an interface for chat completions like that of OpenAI: OpenAI itself, vLLM, llama.cpp, Ollama,
/// LM Studio, OpenRouter and others.
///
/// The interface is the one of OpenAI's API reference, *chat completions*. The base URL is what stands before
/// `/chat/completions`.
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
pub type OpenAi = Client<ChatCompletions>;

/// Builds an [`OpenAi`].
pub type OpenAiBuilder = ClientBuilder<ChatCompletions>;

/// Asks a model of OpenAI through its newer interface, *responses*. Nothing is stored there: each request holds all, with the
/// encrypted reasoning of earlier replies.
///
/// The base URL is what stands before `/responses`.
///
/// ```no_run
/// use polyloop::OpenAiResponses;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = OpenAiResponses::builder_from_env()?.reasoning_effort("low").build()?;
/// # Ok(())
/// # }
/// ```
pub type OpenAiResponses = Client<Responses>;

/// Builds an [`OpenAiResponses`].
pub type OpenAiResponsesBuilder = ClientBuilder<Responses>;
