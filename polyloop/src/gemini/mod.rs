//! A client for models of Google behind the interface of Gemini, *generateContent*: the source is its discovery document and
//! API reference.

mod reply;
mod request;

use reqwest::Url;
use serde_json::{Map, Value};

use crate::dialect::SchemaReader;
use crate::error::ModelError;
use crate::event::Reply;
use crate::provider::{Asked, Client, ClientBuilder, Options, Sealed, Spec, Wanted, below};
use reply::Pieces;

/// Asks a model of Google through the interface of Gemini.
///
/// The interface is the one of the API reference, *generateContent*. The base URL is what stands before `/models`.
///
/// A request has a system instruction, and then a person and the model by turns. So the messages that a prompt begins with as
/// `system` or `developer` are the instruction; later ones stand in the person's turn, between
/// `<developer_note>` and `</developer_note>`; and neighbors of one side are one turn.
///
/// ```no_run
/// use polyloop::Gemini;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = Gemini::builder_from_env()?.temperature(0.0).generation("topP", 0.9).build()?;
/// # Ok(())
/// # }
/// ```
pub type Gemini = Client<GenerateContent>;

/// Builds a [`Gemini`].
pub type GeminiBuilder = ClientBuilder<GenerateContent>;

/// The interface for content.
#[derive(Clone, Debug, Default)]
pub struct GenerateContent {
    /// Members of the configuration, in the order given.
    generation: Map<String, Value>,
}

impl Sealed for GenerateContent {
    const SPEC: Spec = Spec {
        name: "gemini.generate",
        version: 2,
        client: "Gemini",
        variables: ["GEMINI_API_KEY", "GEMINI_MODEL", "GEMINI_BASE_URL"],
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        key: ("x-goog-api-key", ""),
        headers: &[],
        own_members: &request::OWN_MEMBERS,
        schemas: SchemaReader::Gemini,
    };

    type Gathering = Pieces;

    fn endpoint(&self, url: &mut Url, options: &Options) {
        let model = options.model.strip_prefix("models/").unwrap_or(&options.model);
        let method = if options.stream { "streamGenerateContent" } else { "generateContent" };
        below(url, ["models", &format!("{model}:{method}")]);
        if options.stream {
            url.query_pairs_mut().append_pair("alt", "sse");
        }
    }

    fn parameters(&self, options: &Options) -> String {
        request::parameters(self, options)
    }

    fn body(&self, options: &Options, asked: &Asked<'_>) -> Vec<u8> {
        request::body(self, options, asked)
    }

    fn gather(&self, wanted: &Wanted) -> Pieces {
        Pieces::new(wanted)
    }

    fn whole(&self, wanted: &Wanted, text: &str) -> Result<Reply, ModelError> {
        reply::whole(wanted, text)
    }
}

impl ClientBuilder<GenerateContent> {
    /// Sets the version of the bodies; the newest one, 2, unless set. A session that version 1 began goes on with it where the bytes of
    /// its requests must stay the same.
    ///
    /// Version 2 puts what is said as `system` or `developer` after the first turn between `<developer_note>` and
    /// `</developer_note>`; in version 1 nothing tells an unmarked one from a person's words.
    #[must_use]
    pub fn body_version(self, version: u32) -> Self {
        self.version(version)
    }

    /// Adds a member to the `generationConfig`, such as `topP`, `seed`, `thinkingConfig` or `responseJsonSchema`. The temperature
    /// and the number of tokens have options of their own, which stand in place of what is set here.
    #[must_use]
    pub fn generation(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.protocol.generation.insert(name.into(), value.into());
        self
    }
}
