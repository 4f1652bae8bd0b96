//! Reads an answer: the *chat completion object* of OpenAI's API reference, and what others make of it.
//!
//! Servers leave out, add and rename; so everything is optional, and what is missing has a meaning.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::reasoning::{OF_CALL, Reasoning};

use crate::error::{ModelError, ModelErrorClass};
use crate::event::{Reply, ReplyCall, Usage};
use crate::provider::{Answered, ReasonMember, cost, count, ended, nullable, of_answer, read};

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
    #[serde(default)]
    pub(super) id: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default)]
    index: Option<u64>,
    /// The message of a whole answer; in a stream it is called `delta`.
    #[serde(default, borrow, alias = "delta")]
    pub(super) message: Option<WireMessage<'a>>,
    #[serde(default)]
    pub(super) finish_reason: ReasonMember,
}

impl Choice<'_> {
    /// Returns `true` for the choice that is the reply. One without an index has that of its place in the list.
    pub(super) fn is_first(&self, place: usize) -> bool {
        self.index.map_or(place == 0, |index| index == 0)
    }
}

#[derive(Deserialize)]
pub(super) struct WireMessage<'a> {
    #[serde(default)]
    pub(super) content: Option<WireText>,
    #[serde(default)]
    pub(super) refusal: Option<String>,
    #[serde(default)]
    pub(super) reasoning_content: Option<Value>,
    #[serde(default)]
    pub(super) reasoning: Option<Value>,
    #[serde(default)]
    pub(super) reasoning_details: Option<Value>,
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
    #[serde(default)]
    pub(super) extra_content: Option<Value>,
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
    /// What the provider wants back with the call.
    pub(super) extra: Option<Value>,
}

/// What an answer or a stream holds, before it is a reply.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) text: String,
    pub(super) refusal: String,
    pub(super) calls: Vec<Gathered>,
    pub(super) reasoning: Reasoning,
    pub(super) usage: Usage,
}

/// What becomes of the reasoning in a reply.
#[derive(Clone, Debug, Default)]
pub(super) struct Keep {
    /// The provider that it belongs to; none where it is dropped.
    pub(super) provider: Option<Arc<str>>,
}

impl Parts {
    /// Makes the reply of the parts. Servers differ in the reason that they give beside calls, and have reasons of their own.
    pub(super) fn into_reply(self, keep: &Keep, reason: Option<&str>) -> Result<Reply, ModelError> {
        let ended = reason.map(|reason| ended(reason, "")).transpose()?.flatten().unwrap_or_default();
        let Self { text, refusal, calls, reasoning, usage } = self;
        let mut answered = Answered { text, refusal, ended, usage, ..Answered::default() };
        // Beside a text alone no vendor wants it back.
        if keep.provider.is_some() && !calls.is_empty() {
            reasoning.into_state().into_iter().for_each(|state| answered.states.opaque(state));
            answered.states.text(answered.text.len(), Map::new());
            for call in &calls {
                let extra = call.extra.clone().map(|extra| (OF_CALL.to_owned(), extra));
                answered.states.call(Map::from_iter(extra));
            }
        }
        let call = |Gathered { id, name, arguments, .. }| ReplyCall { id, name, arguments };
        answered.calls = calls.into_iter().map(call).collect();
        answered.into_reply(keep.provider.as_deref().unwrap_or_default())
    }
}

/// Reads a whole answer: its JSON is complete, so a reason may be missing.
pub(super) fn whole(keep: &Keep, text: &str) -> Result<Reply, ModelError> {
    let answer: Answer<'_> = read(text)?;
    if let Some(error) = answer.error.filter(|error| error.get() != "null") {
        return Err(of_answer(error.get()));
    }
    let usage = answer.usage.map(Usage::from).unwrap_or_default();
    let first = answer.choices.into_iter().enumerate().find(|(place, choice)| choice.is_first(*place));
    let Some((mut message, reason)) =
        first.and_then(|(_, choice)| Some((choice.message?, choice.finish_reason.into_reason())))
    else {
        return Err(ModelError::new(ModelErrorClass::Protocol, "the answer has no choice with a message"));
    };
    let mut reasoning = Reasoning::default();
    reasoning.add(&mut message);
    let calls = message.tool_calls.into_iter().map(|call| {
        let function = call.function;
        Gathered {
            id: call.id.unwrap_or_default(),
            arguments: function.as_ref().map(WireFunction::arguments).unwrap_or_default(),
            name: function.and_then(|function| function.name).unwrap_or_default(),
            extra: call.extra_content.filter(Value::is_object),
        }
    });
    let parts = Parts {
        calls: calls.collect(),
        text: message.content.map(WireText::into_text).unwrap_or_default(),
        refusal: message.refusal.unwrap_or_default(),
        reasoning,
        usage,
    };
    Ok(parts.into_reply(keep, reason.as_deref())?.with_raw(text))
}
