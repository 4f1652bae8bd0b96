//! A client for models behind Anthropic's interface, *messages*: the source is its API reference, with its streaming events.

mod reply;
mod request;
mod stream;

use reqwest::Url;

use crate::dialect::SchemaReader;
use crate::error::ModelError;
use crate::event::Reply;
use crate::provider::{Asked, Client, ClientBuilder, Options, ProviderError, Sealed, Spec, Wanted, below};
use stream::Events;

/// Asks a model of Anthropic, or another one behind the same interface.
///
/// The interface is the one of Anthropic's API reference, *messages*, version 2023-06-01. The base URL is what stands before
/// `/v1/messages`.
///
/// A request has a system part, and then a person and the model by turns. So the messages that a prompt begins with as `system`
/// or `developer` are the system part; later ones stand in the person's turn, between
/// `<developer_note>` and `</developer_note>`; and neighbors of one side are one turn.
/// Unless switched off, marks tell the provider up to where a cache is worth its price: behind the tools and the system part,
/// behind the [run part](crate::Prompt::run_part), behind what the request before ended with, and at the end.
///
/// ```no_run
/// use polyloop::Anthropic;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = Anthropic::builder_from_env()?.max_tokens(16_000).thinking(8_000).build()?;
/// # Ok(())
/// # }
/// ```
pub type Anthropic = Client<Messages>;

/// Builds an [`Anthropic`].
pub type AnthropicBuilder = ClientBuilder<Messages>;

/// The interface of messages.
#[derive(Clone, Debug)]
pub struct Messages {
    /// How many tokens the model may think; none where it does not.
    thinking: Option<u32>,
    /// Whether marks for the cache are set.
    cache: bool,
}

impl Default for Messages {
    fn default() -> Self {
        Self { thinking: None, cache: true }
    }
}

impl Sealed for Messages {
    const SPEC: Spec = Spec {
        name: "anthropic.messages",
        version: 2,
        client: "Anthropic",
        variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_MODEL", "ANTHROPIC_BASE_URL"],
        base_url: "https://api.anthropic.com",
        key: ("x-api-key", ""),
        headers: &[("anthropic-version", "2023-06-01")],
        own_members: &request::OWN_MEMBERS,
        schemas: SchemaReader::Anthropic,
    };

    type Gathering = Events;

    fn check(&self, options: &Options) -> Result<(), ProviderError> {
        let refuse = |name: &str, reason| Err(ProviderError::Parameter { name: name.to_owned(), reason });
        match self.thinking {
            Some(tokens) if tokens < 1_024 => {
                refuse("thinking", "is less than the 1 024 tokens that the provider takes")
            }
            Some(tokens) if tokens >= request::max_tokens(options) => {
                refuse("thinking", "leaves no token for the reply; set more `max_tokens`")
            }
            Some(_) if options.temperature.is_some_and(|temperature| temperature < 1.0) => {
                refuse("temperature", "cannot be set beside `thinking`; leave one of them out")
            }
            _ => Ok(()),
        }
    }

    fn endpoint(&self, url: &mut Url, _: &Options) {
        below(url, ["v1", "messages"]);
    }

    fn parameters(&self, options: &Options) -> String {
        request::parameters(self, options)
    }

    fn body(&self, options: &Options, asked: &Asked<'_>) -> Vec<u8> {
        request::body(self, options, asked)
    }

    fn gather(&self, wanted: &Wanted) -> Events {
        Events::new(wanted)
    }

    fn whole(&self, wanted: &Wanted, text: &str) -> Result<Reply, ModelError> {
        reply::whole(wanted, text)
    }
}

impl ClientBuilder<Messages> {
    /// Sets the version of the bodies; the newest one, 2, unless set. A session that version 1 began goes on with it where the bytes of
    /// its requests must stay the same.
    ///
    /// Version 2 puts what is said as `system` or `developer` after the first turn between `<developer_note>` and
    /// `</developer_note>`; in version 1 nothing tells an unmarked one from a person's words.
    #[must_use]
    pub fn body_version(self, version: u32) -> Self {
        self.version(version)
    }

    /// Lets the model think, up to so many tokens of [`max_tokens`](Self::max_tokens), before it answers. What it thought is
    /// signed, and goes back with its reply.
    #[must_use]
    pub fn thinking(mut self, tokens: u32) -> Self {
        self.protocol.thinking = Some(tokens);
        self
    }

    /// Sets whether marks tell the provider up to where to cache; they do unless set.
    #[must_use]
    pub fn cache(mut self, cache: bool) -> Self {
        self.protocol.cache = cache;
        self
    }

    /// Sets whether one reply may hold several calls; it may unless set.
    #[must_use]
    pub fn parallel_tool_calls(self, parallel: bool) -> Self {
        self.parallel(parallel)
    }
}
