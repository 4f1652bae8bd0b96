//! Reasoning in chat completions: members beside the content and the calls, in which vendors give it and want it back.
//!
//! `reasoning_content` is the name of DeepSeek, Moonshot, Z.ai, Qwen and others; `reasoning` that of vLLM, Ollama, Groq and
//! Together; `reasoning_details` is OpenRouter's list of typed parts; and `extra_content` of a call holds Google's thought
//! signature. DeepSeek and Moonshot refuse a later request in which a call stands without the reasoning of its reply, and
//! Google one without the signature. Beside a reply without calls nobody asks for it: DeepSeek ignores it there, and older
//! models refuse it. So it goes back with the calls of its reply, and only there.

use serde_json::{Map, Value};

use super::assemble::merge;
use super::reply::WireMessage;

/// The members of a message.
const MEMBERS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];
/// The member of a call.
pub(super) const OF_CALL: &str = "extra_content";

/// The reasoning of one reply.
#[derive(Debug, Default)]
pub(super) struct Reasoning(Map<String, Value>);

impl Reasoning {
    /// Adds the members of a message, or of a piece of one. Returns `true` if they hold anything.
    pub(super) fn add(&mut self, message: &mut WireMessage<'_>) -> bool {
        let values = [
            message.reasoning_content.take(),
            message.reasoning.take(),
            message.reasoning_details.take().filter(Value::is_array),
        ];
        let members = MEMBERS.into_iter().zip(values);
        let members: Map<String, Value> = members
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .filter(|(_, value)| value.is_string() || value.is_array())
            .collect();
        let has_content = !members.values().all(is_empty);
        merge(&mut self.0, members, true);
        has_content
    }

    /// Returns what goes back. A summary that another member repeats is left out; an empty `reasoning_content` is not, because
    /// DeepSeek misses it.
    pub(super) fn into_state(self) -> Option<Value> {
        let Self(mut members) = self;
        let [content, text, details] = MEMBERS.map(|name| members.get(name));
        let has_details = details.is_some_and(|details| !is_empty(details));
        let is_repeated = has_details || text == content;
        if is_repeated || text.is_some_and(is_empty) {
            members.remove("reasoning");
        }
        if !has_details {
            members.remove("reasoning_details");
        }
        (!members.is_empty()).then_some(Value::Object(members))
    }
}

/// Returns the members of a state that may stand in a message.
pub(super) fn of_message(state: Value) -> Map<String, Value> {
    let Value::Object(members) = state else { return Map::new() };
    members.into_iter().filter(|(name, _)| MEMBERS.contains(&name.as_str())).collect()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.is_empty(),
        _ => true,
    }
}
