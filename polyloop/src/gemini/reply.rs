//! Reads an answer: the `GenerateContentResponse` of the API reference, whole or in pieces of the same form.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::{ModelError, ModelErrorClass};
use crate::event::{Reply, ReplyCall, Usage};
use crate::model::Deltas;
use crate::provider::{
    Answered, Gathering, ReasonMember, ReplyIds, StopReason, Wanted, cost, count, cut, ended, nullable,
    of_answer, read, unreadable,
};

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
    #[serde(default, rename = "responseId")]
    id: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default, borrow)]
    content: Option<Content<'a>>,
    /// A candidate without one has that of its place in the list.
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    finish_reason: ReasonMember,
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
    /// Set where the arguments come in pieces, which no body asks for.
    #[serde(default, rename = "willContinue", deserialize_with = "nullable")]
    will_continue: bool,
}

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
    ids: ReplyIds,
    stop: StopReason,
    message: String,
    /// All pieces, for the journal.
    raw: Vec<String>,
    done: bool,
}

impl Pieces {
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self {
            wanted: wanted.clone(),
            answered: Answered::default(),
            ids: ReplyIds::default(),
            stop: StopReason::default(),
            message: String::new(),
            raw: Vec::new(),
            done: false,
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
        let is_first = |(place, candidate): &(usize, Candidate<'_>)| {
            candidate.index.map_or(*place == 0, |index| index == 0)
        };
        let Some((_, candidate)) = response.candidates.into_iter().enumerate().find(is_first) else {
            return Ok(());
        };
        self.ids.piece(response.id.as_ref().and_then(Value::as_str).map(str::to_owned))?;
        for part in candidate.content.map(|content| content.parts).unwrap_or_default() {
            self.part(part.get(), deltas)?;
        }
        self.stop.member(candidate.finish_reason);
        self.message.push_str(&candidate.finish_message.unwrap_or_default());
        Ok(())
    }

    fn part(&mut self, text: &str, deltas: &Deltas) -> Result<(), ModelError> {
        let part: Part<'_> = read(text)?;
        let signature =
            part.thought_signature.map(|signature| ("thoughtSignature".to_owned(), signature.into()));
        let with: Map<String, Value> = signature.into_iter().collect();
        if let Some(FunctionCall { id, name, args, will_continue }) = part.function_call {
            if will_continue {
                return Err(unreadable("the arguments of a call come in pieces"));
            }
            self.stop.content();
            let arguments = args.map(RawValue::get).unwrap_or_default().to_owned();
            self.answered.calls.push(ReplyCall { id, name, arguments });
            self.answered.states.call(with);
        } else if part.thought {
            // A summary for people; what goes back is the signature, which stands at what the model said.
        } else if let Some(text) = part.text {
            if !text.is_empty() {
                self.stop.content();
            }
            deltas.tell(&text);
            self.answered.states.text(text.len(), with);
            self.answered.text.push_str(&text);
        }
        Ok(())
    }

    fn into_reply(self) -> Result<Reply, ModelError> {
        let Self { wanted, mut answered, ids, stop, message, .. } = self;
        // As long as there is none, the model has not stopped, says the API reference.
        let reason = stop.into_reason().ok_or_else(|| cut("it has no `finishReason`"))?;
        ids.check()?;
        // Most reasons say what went wrong, so one that is not known makes no answer.
        answered.ended = ended(&reason, &message)?.ok_or_else(|| {
            let message = format!("the provider stopped for a reason that is not known: {reason} {message}");
            ModelError::new(ModelErrorClass::Server, message.trim_end().to_owned())
        })?;
        answered.into_reply(&wanted.provider)
    }
}

impl Gathering for Pieces {
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<(), ModelError> {
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        self.add(data, deltas)?;
        self.raw.push(data.to_owned());
        Ok(())
    }

    fn is_done(&self) -> bool {
        // Routers write a last event that the interface does not have.
        self.done
    }

    fn is_finished(&self) -> bool {
        self.stop.is_end()
    }

    fn finish(self) -> Result<Reply, ModelError> {
        let raw = format!("[{}]", self.raw.join(","));
        Ok(self.into_reply()?.with_raw(raw))
    }
}
