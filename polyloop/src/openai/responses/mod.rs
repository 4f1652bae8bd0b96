//! Responses: the source is OpenAI's API reference, *create a model response*, with its streaming events.

mod reply;
mod request;

use reqwest::Url;
use serde_json::Value;

use crate::dialect::SchemaReader;
use crate::error::ModelError;
use crate::event::Reply;
use crate::provider::{Asked, ClientBuilder, Options, Sealed, Spec, Wanted, below};
use reply::Events;

/// The interface for responses.
#[derive(Clone, Debug)]
pub struct Responses {
    reasoning_effort: Option<String>,
    /// Whether the model's reasoning comes encrypted, and goes back.
    encrypted_reasoning: bool,
    text: Option<Value>,
}

impl Default for Responses {
    fn default() -> Self {
        Self { reasoning_effort: None, encrypted_reasoning: true, text: None }
    }
}

impl Sealed for Responses {
    const SPEC: Spec = Spec {
        name: "openai.responses",
        version: 1,
        client: "OpenAiResponses",
        variables: ["OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_BASE_URL"],
        base_url: "https://api.openai.com/v1",
        key: ("authorization", "Bearer "),
        headers: &[],
        own_members: &request::OWN_MEMBERS,
        schemas: SchemaReader::OpenAi,
    };

    type Gathering = Events;

    fn endpoint(&self, url: &mut Url, _: &Options) {
        below(url, ["responses"]);
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

impl ClientBuilder<Responses> {
    /// Sets how much the model may think before it answers, such as `low`; the model's own choice unless set.
    #[must_use]
    pub fn reasoning_effort(mut self, effort: impl Into<String>) -> Self {
        self.protocol.reasoning_effort = Some(effort.into());
        self
    }

    /// Sets whether the model's reasoning is asked for in encrypted form, so that it can go back with later requests; it is
    /// unless set. A model that does not reason may refuse requests that ask for it.
    #[must_use]
    pub fn encrypted_reasoning(mut self, encrypted: bool) -> Self {
        self.protocol.encrypted_reasoning = encrypted;
        self
    }

    /// Sets the form of the reply's text: a JSON Schema, under a name of letters, digits, `_` and `-`, that the server must
    /// hold the model to.
    #[must_use]
    pub fn json_schema(mut self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        let format = serde_json::json!({
            "format": {"type": "json_schema", "name": name.into(), "strict": true, "schema": schema.into()}
        });
        self.protocol.text = Some(format);
        self
    }

    /// Sets whether one reply may hold several calls; the server's own choice unless set.
    #[must_use]
    pub fn parallel_tool_calls(self, parallel: bool) -> Self {
        self.parallel(parallel)
    }
}
