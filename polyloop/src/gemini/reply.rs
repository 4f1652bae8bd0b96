//! Reads an answer: the `GenerateContentResponse` of the API reference, whole or in pieces of the same form.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::{ModelError, ModelErrorClass};
use crate::event::{Reply, ReplyCall, Usage};
use crate::model::Deltas;
use crate::provider::{Answered, Ended, Gathering, Wanted, cost, count, nullable, of_answer, read};

/// An answer, or a piece of one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    #[serde(default, borrow, deserialize_with = "nullable")]
    candidates: Vec<Candidate<'a>>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(default, deserialize_with = "cost")]
    usage_metadata: Option<WireUsage>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default, borrow)]
    content: Option<Content<'a>>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(default, borrow, deserialize_with = "nullable")]
    parts: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    #[serde(rename = "promptTokenCount", deserialize_with = "count")]
    prompt: Option<u64>,
    #[serde(rename = "toolUsePromptTokenCount", deserialize_with = "count")]
    prompt_of_tools: Option<u64>,
    #[serde(rename = "cachedContentTokenCount", deserialize_with = "count")]
    cached: Option<u64>,
    #[serde(rename = "candidatesTokenCount", deserialize_with = "count")]
    reply: Option<u64>,
    #[serde(rename = "thoughtsTokenCount", deserialize_with = "count")]
    thoughts: Option<u64>,
}

impl From<WireUsage> for Usage {
    fn from(usage: WireUsage) -> Self {
        let sum = |counts: [Option<u64>; 2]| counts.into_iter().flatten().fold(0, u64::saturating_add);
        Self {
            prompt: sum([usage.prompt, usage.prompt_of_tools]),
            cached: usage.cached.unwrap_or_default(),
            reply: sum([usage.reply, usage.thoughts]),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(default)]
    text: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    thought: bool,
    #[serde(default)]
    thought_signature: Option<String>,
    #[serde(default, borrow)]
    function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
struct FunctionCall<'a> {
    #[serde(default, deserialize_with = "nullable")]
    id: String,
    #[serde(default, deserialize_with = "nullable")]
    name: String,
    #[serde(default, borrow)]
    args: Option<&'a RawValue>,
}

/// Reasons of a reply that the provider cut for its content.
const FILTERED: [&str; 7] =
    ["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"];
/// Reasons of a reply in which the provider could not read the call that the model wrote.
const UNREADABLE_CALL: [&str; 3] = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"];

/// Reads a whole answer.
pub(super) fn whole(wanted: &Wanted, text: &str) -> Result<Reply, ModelError> {
    let mut pieces = Pieces::new(wanted);
    pieces.add(text, &Deltas::new(|_| {}))?;
    Ok(pieces.into_reply()?.with_raw(text))
}

/// A reply on its way.
#[derive(Debug)]
pub struct Pieces {
    wanted: Wanted,
    answered: Answered,
    finish: Option<String>,
    message: String,
    /// All pieces, for the journal.
    raw: Vec<String>,
}

impl Pieces {
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self {
            wanted: wanted.clone(),
            answered: Answered::default(),
            finish: None,
            message: String::new(),
            raw: Vec::new(),
        }
    }

    fn add(&mut self, text: &str, deltas: &Deltas) -> Result<(), ModelError> {
        let response: Response<'_> = read(text)?;
        if let Some(error) = response.error.filter(|error| error.get() != "null") {
            return Err(of_answer(error.get()));
        }
        if let Some(usage) = response.usage_metadata {
            self.answered.usage = usage.into();
        }
        if let Some(reason) = response.prompt_feedback.and_then(|feedback| feedback.block_reason) {
            let message = format!("the provider refuses the prompt: {reason}");
            return Err(ModelError::new(ModelErrorClass::ContentRefused, message));
        }
        let Some(candidate) = response.candidates.into_iter().next() else { return Ok(()) };
        for part in candidate.content.map(|content| content.parts).unwrap_or_default() {
            self.part(part.get(), deltas)?;
        }
        self.finish = candidate.finish_reason.or(self.finish.take());
        self.message.push_str(&candidate.finish_message.unwrap_or_default());
        Ok(())
    }

    fn part(&mut self, text: &str, deltas: &Deltas) -> Result<(), ModelError> {
        let part: Part<'_> = read(text)?;
        let signature =
            part.thought_signature.map(|signature| ("thoughtSignature".to_owned(), signature.into()));
        let with: Map<String, Value> = signature.into_iter().collect();
        if let Some(FunctionCall { id, name, args }) = part.function_call {
            let arguments = args.map(RawValue::get).unwrap_or_default().to_owned();
            self.answered.calls.push(ReplyCall { id, name, arguments });
            self.answered.states.call(with);
        } else if part.thought {
            // A summary for people; what goes back is the signature, which stands at what the model said.
        } else if let Some(text) = part.text {
            deltas.tell(&text);
            self.answered.states.text(text.len(), with);
            self.answered.text.push_str(&text);
        }
        Ok(())
    }

    fn into_reply(self) -> Result<Reply, ModelError> {
        let Self { wanted, mut answered, finish, message, .. } = self;
        match finish.as_deref() {
            Some("MAX_TOKENS") => answered.ended = Ended::Length,
            Some(reason) if FILTERED.contains(&reason) => answered.ended = Ended::Filtered,
            Some(reason) if UNREADABLE_CALL.contains(&reason) && answered.calls.is_empty() => {
                let message = format!("the provider could not read the model's call: {reason} {message}");
                return Err(ModelError::new(ModelErrorClass::Empty, message.trim().to_owned()));
            }
            _ => {}
        }
        answered.into_reply(&wanted.provider)
    }
}

impl Gathering for Pieces {
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<(), ModelError> {
        self.add(data, deltas)?;
        self.raw.push(data.to_owned());
        Ok(())
    }

    fn is_done(&self) -> bool {
        // Nothing says so but the end of the stream.
        false
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn finish(self) -> Result<Reply, ModelError> {
        let raw = format!("[{}]", self.raw.join(","));
        Ok(self.into_reply()?.with_raw(raw))
    }
}
