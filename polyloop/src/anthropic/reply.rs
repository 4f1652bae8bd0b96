//! Reads an answer: the *message object* of the API reference.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::ModelError;
use crate::event::{Reply, ReplyCall, Usage};
use crate::provider::{Answered, Wanted, cost, count, ended, nullable, of_answer, read, unreadable};

/// An answer that came whole.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default, borrow)]
    content: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default, deserialize_with = "cost")]
    usage: Option<WireUsage>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

/// What a request cost; a piece of a stream may tell some of it only.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WireUsage {
    #[serde(rename = "input_tokens", deserialize_with = "count")]
    prompt: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens", deserialize_with = "count")]
    taken_by_cache: Option<u64>,
    #[serde(rename = "cache_read_input_tokens", deserialize_with = "count")]
    held_by_cache: Option<u64>,
    #[serde(rename = "output_tokens", deserialize_with = "count")]
    reply: Option<u64>,
}

impl WireUsage {
    /// Takes what a later piece tells.
    pub(super) fn update(&mut self, later: Self) {
        self.prompt = later.prompt.or(self.prompt);
        self.taken_by_cache = later.taken_by_cache.or(self.taken_by_cache);
        self.held_by_cache = later.held_by_cache.or(self.held_by_cache);
        self.reply = later.reply.or(self.reply);
    }
}

impl From<WireUsage> for Usage {
    fn from(usage: WireUsage) -> Self {
        // The interface counts apart what a cache held or took.
        let parts = [usage.prompt, usage.taken_by_cache, usage.held_by_cache];
        Self {
            prompt: parts.into_iter().flatten().fold(0, u64::saturating_add),
            cached: usage.held_by_cache.unwrap_or_default(),
            reply: usage.reply.unwrap_or_default(),
        }
    }
}

/// One block of the content.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(default, deserialize_with = "nullable")]
    r#type: String,
    #[serde(default, deserialize_with = "nullable")]
    text: String,
    #[serde(default, deserialize_with = "nullable")]
    id: String,
    #[serde(default, deserialize_with = "nullable")]
    name: String,
    #[serde(default, borrow)]
    input: Option<&'a RawValue>,
}

impl Block<'_> {
    /// The arguments of a call: the text of an object. What a model wrote that is no JSON came as a text in a text.
    fn arguments(&self) -> String {
        let input = self.input.map(RawValue::get).unwrap_or_default();
        serde_json::from_str::<String>(input).unwrap_or_else(|_| input.to_owned())
    }
}

/// Reads a whole answer.
pub(super) fn whole(wanted: &Wanted, text: &str) -> Result<Reply, ModelError> {
    let message: Message<'_> = read(text)?;
    if let Some(error) = message.error.filter(|error| error.get() != "null") {
        return Err(of_answer(error.get()));
    }
    let Some(content) = message.content else {
        return Err(unreadable("it has no `content`"));
    };
    let blocks: Vec<&str> = content.iter().map(|block| block.get()).collect();
    let usage = message.usage.unwrap_or_default();
    Ok(reply(wanted, &blocks, message.stop_reason.as_deref(), usage)?.with_raw(text))
}

/// Makes a reply of its blocks.
pub(super) fn reply(
    wanted: &Wanted,
    blocks: &[&str],
    stop_reason: Option<&str>,
    usage: WireUsage,
) -> Result<Reply, ModelError> {
    let mut answered = Answered { usage: usage.into(), ..Answered::default() };
    answered.ended = stop_reason.map(|reason| ended(reason, "")).transpose()?.flatten().unwrap_or_default();
    for text in blocks {
        let block: Block<'_> = read(text)?;
        match block.r#type.as_str() {
            "text" => {
                answered.states.text(block.text.len(), Map::new());
                answered.text.push_str(&block.text);
            }
            "tool_use" => {
                answered.states.call(Map::new());
                let arguments = block.arguments();
                answered.calls.push(ReplyCall { id: block.id, name: block.name, arguments });
            }
            "thinking" | "redacted_thinking" => answered.states.opaque(read::<Value>(text)?),
            _ => {}
        }
    }
    answered.into_reply(&wanted.provider)
}
