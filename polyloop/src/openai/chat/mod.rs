//! Chat completions: the sources are OpenAI's API reference, and what servers make of it.

mod assemble;
mod builder;
mod decode;
mod reasoning;
mod reply;
mod request;
mod stream;

pub use decode::{ChatBody, ChatMessage, ChatPart, ChatTool};
pub use request::{DeveloperRole, ResponseFormat};

use reqwest::Url;

use crate::dialect::SchemaReader;
use crate::error::ModelError;
use crate::event::Reply;
use crate::provider::{Asked, Options, Sealed, Spec, Wanted, below};
use reply::Keep;
use stream::Pieces;

/// The interface for chat completions.
#[derive(Clone, Debug, Default)]
pub struct ChatCompletions {
    developer_role: DeveloperRole,
    seed: Option<i64>,
    max_completion_tokens: Option<u32>,
    response_format: Option<ResponseFormat>,
    /// Whether the reasoning of replies is dropped, and not sent back.
    drops_reasoning: bool,
}

impl ChatCompletions {
    /// Says whose reasoning a reply brings.
    fn keep(&self, wanted: &Wanted) -> Keep {
        Keep { provider: (!self.drops_reasoning).then(|| wanted.provider.clone()) }
    }
}

impl Sealed for ChatCompletions {
    const SPEC: Spec = Spec {
        name: "openai.chat",
        version: 2,
        client: "OpenAi",
        variables: ["OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_BASE_URL"],
        base_url: "https://api.openai.com/v1",
        key: ("authorization", "Bearer "),
        headers: &[],
        own_members: &request::OWN_MEMBERS,
        schemas: SchemaReader::OpenAi,
    };

    type Gathering = Pieces;

    fn endpoint(&self, url: &mut Url, _: &Options) {
        below(url, ["chat", "completions"]);
    }

    fn parameters(&self, options: &Options) -> String {
        request::parameters(self, options)
    }

    fn body(&self, options: &Options, asked: &Asked<'_>) -> Vec<u8> {
        request::body(self, options, asked)
    }

    fn gather(&self, wanted: &Wanted) -> Pieces {
        Pieces::new(self.keep(wanted))
    }

    fn whole(&self, wanted: &Wanted, text: &str) -> Result<Reply, ModelError> {
        reply::whole(&self.keep(wanted), text)
    }
}
