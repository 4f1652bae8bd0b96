//! Reads an answer: the *chat completion object* of OpenAI's API reference, and what others make of it.
//!
//! Servers leave out, add and rename; so everything is optional, and what is missing has a meaning.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::error::{ModelError, ModelErrorClass};
use crate::event::{Reply, ReplyCall, Usage};
use crate::provider::{Answered, Ended, cost, count, nullable, of_answer, read};

/// An answer as a whole, or one piece of a stream.
#[derive(Deserialize)]
pub(super) struct Answer<'a> {
    #[serde(default, borrow, deserialize_with = "nullable")]
    pub(super) choices: Vec<Choice<'a>>,
    #[serde(default, deserialize_with = "cost")]
    pub(super) usage: Option<WireUsage>,
    /// Some servers report an error with a status that says success.
    #[serde(default, borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default, deserialize_with = "nullable")]
    pub(super) index: u64,
    /// The message of a whole answer; in a stream it is called `delta`.
    #[serde(default, borrow, alias = "delta")]
    pub(super) message: Option<WireMessage<'a>>,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct WireMessage<'a> {
    #[serde(default)]
    pub(super) content: Option<WireText>,
    #[serde(default)]
    pub(super) refusal: Option<String>,
    #[serde(default, borrow, deserialize_with = "nullable")]
    pub(super) tool_calls: Vec<WireCall<'a>>,
}

/// A text, or a list of parts.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum WireText {
    Text(String),
    Parts(Vec<WirePart>),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
pub(super) struct WirePart {
    #[serde(default)]
    text: Option<String>,
}

impl WireText {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect(),
            Self::Other(_) => String::new(),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct WireCall<'a> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default, borrow)]
    pub(super) function: Option<WireFunction<'a>>,
}

#[derive(Deserialize)]
pub(super) struct WireFunction<'a> {
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default, borrow)]
    arguments: Option<&'a RawValue>,
}

impl WireFunction<'_> {
    /// The arguments: the text of a JSON string, or, from servers that send an object, its text.
    pub(super) fn arguments(&self) -> String {
        let Some(raw) = self.arguments else { return String::new() };
        serde_json::from_str::<String>(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, deserialize_with = "count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "cost")]
    prompt_tokens_details: Option<Details>,
}

#[derive(Clone, Copy, Deserialize)]
struct Details {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
}

impl From<WireUsage> for Usage {
    fn from(usage: WireUsage) -> Self {
        Self {
            prompt: usage.prompt_tokens.unwrap_or_default(),
            cached: usage.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or_default(),
            reply: usage.completion_tokens.unwrap_or_default(),
        }
    }
}

/// One call, as it was put together.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// What an answer or a stream holds, before it is a reply.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) text: String,
    pub(super) refusal: String,
    pub(super) calls: Vec<Gathered>,
    pub(super) finish: Option<String>,
    pub(super) usage: Usage,
}

impl Parts {
    /// Makes the reply of the parts.
    pub(super) fn into_reply(self) -> Result<Reply, ModelError> {
        let ended = match self.finish.as_deref() {
            Some("length" | "max_tokens") => Ended::Length,
            Some("content_filter") => Ended::Filtered,
            Some("error") => {
                let message = "the provider failed while the model wrote";
                return Err(ModelError::new(ModelErrorClass::Server, message));
            }
            // Servers differ in what they say beside calls; the calls themselves are what counts.
            _ => Ended::Said,
        };
        let call = |Gathered { id, name, arguments, .. }| ReplyCall { id, name, arguments };
        let calls = self.calls.into_iter().map(call).collect();
        let Self { text, refusal, usage, .. } = self;
        Answered { text, refusal, calls, ended, usage, ..Answered::default() }.into_reply("")
    }
}

/// Reads a whole answer.
pub(super) fn whole(text: &str) -> Result<Reply, ModelError> {
    let answer: Answer<'_> = read(text)?;
    if let Some(error) = answer.error.filter(|error| error.get() != "null") {
        return Err(of_answer(error.get()));
    }
    let usage = answer.usage.map(Usage::from).unwrap_or_default();
    let choice = answer.choices.into_iter().find(|choice| choice.index == 0);
    let Some((message, finish)) = choice.and_then(|choice| Some((choice.message?, choice.finish_reason)))
    else {
        return Err(ModelError::new(ModelErrorClass::Protocol, "the answer has no choice with a message"));
    };
    let calls = message.tool_calls.into_iter().map(|call| {
        let function = call.function;
        Gathered {
            id: call.id.unwrap_or_default(),
            arguments: function.as_ref().map(WireFunction::arguments).unwrap_or_default(),
            name: function.and_then(|function| function.name).unwrap_or_default(),
        }
    });
    let parts = Parts {
        calls: calls.collect(),
        text: message.content.map(WireText::into_text).unwrap_or_default(),
        refusal: message.refusal.unwrap_or_default(),
        finish,
        usage,
    };
    Ok(parts.into_reply()?.with_raw(text))
}
