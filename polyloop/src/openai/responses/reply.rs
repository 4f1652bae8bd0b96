//! Reads an answer: the *response object* of the API reference, whole or at the end of a stream of its events.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::{ModelError, ModelErrorClass};
use crate::event::{Reply, ReplyCall, Usage};
use crate::model::Deltas;
use crate::provider::{
    Answered, Ended, Gathering, Wanted, cost, count, nullable, of_answer, read, unreadable,
};

/// An answer. Servers leave out what they do not know.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(default)]
    status: Option<String>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default, borrow)]
    output: Option<Vec<&'a RawValue>>,
    #[serde(default, deserialize_with = "cost")]
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct WireUsage {
    #[serde(default, deserialize_with = "count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "cost")]
    input_tokens_details: Option<Details>,
    #[serde(default, deserialize_with = "count")]
    output_tokens: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
struct Details {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
}

/// One item of the output. What nothing here reads is passed over.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item {
    Message {
        #[serde(default, deserialize_with = "nullable")]
        content: Vec<Part>,
        #[serde(default)]
        phase: Option<Value>,
    },
    FunctionCall {
        #[serde(default, deserialize_with = "nullable")]
        call_id: String,
        #[serde(default, deserialize_with = "nullable")]
        name: String,
        #[serde(default, deserialize_with = "nullable")]
        arguments: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    OutputText {
        text: String,
    },
    Refusal {
        refusal: String,
    },
    #[serde(other)]
    Other,
}

/// Reads a whole answer.
pub(super) fn whole(wanted: &Wanted, text: &str) -> Result<Reply, ModelError> {
    let response: Response<'_> = read(text)?;
    if let Some(error) = response.error.filter(|error| error.get() != "null") {
        return Err(of_answer(error.get()));
    }
    let Some(output) = &response.output else {
        return Err(unreadable("it has no `output`"));
    };
    let output: Vec<&str> = output.iter().map(|item| item.get()).collect();
    Ok(answered(&response, &output)?.into_reply(&wanted.provider)?.with_raw(text))
}

fn answered(response: &Response<'_>, output: &[&str]) -> Result<Answered, ModelError> {
    let mut answered = Answered::default();
    for text in output {
        add(&mut answered, text)?;
    }
    let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
    answered.ended = match (response.status.as_deref(), reason) {
        (_, Some("content_filter")) => Ended::Filtered,
        (Some("incomplete"), _) => Ended::Length,
        (Some("failed" | "cancelled"), _) => {
            let message = "the provider failed while the model wrote";
            return Err(ModelError::new(ModelErrorClass::Server, message));
        }
        _ => Ended::Said,
    };
    let usage = response.usage.unwrap_or_default();
    answered.usage = Usage {
        prompt: usage.input_tokens.unwrap_or_default(),
        cached: usage.input_tokens_details.and_then(|details| details.cached_tokens).unwrap_or_default(),
        reply: usage.output_tokens.unwrap_or_default(),
    };
    Ok(answered)
}

/// Adds an item of the output.
fn add(answered: &mut Answered, text: &str) -> Result<(), ModelError> {
    match read(text)? {
        Item::Message { content, phase } => {
            let mut bytes = 0;
            for part in content {
                match part {
                    Part::OutputText { text } => {
                        bytes += text.len();
                        answered.text.push_str(&text);
                    }
                    Part::Refusal { refusal } => answered.refusal.push_str(&refusal),
                    Part::Other => {}
                }
            }
            let phase = phase.filter(|phase| !phase.is_null()).map(|phase| ("phase".to_owned(), phase));
            answered.states.text(bytes, Map::from_iter(phase));
        }
        Item::FunctionCall { call_id: id, name, arguments } => {
            answered.calls.push(ReplyCall { id, name, arguments });
            answered.states.call(Map::new());
        }
        Item::Other => {
            let value: Value = read(text)?;
            // Without it nobody knows the item again: nothing is stored.
            if value.get("encrypted_content").is_some_and(Value::is_string) {
                answered.states.opaque(value);
            }
        }
    }
    Ok(())
}

/// An event of a stream.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    delta: Option<Value>,
    #[serde(default, borrow)]
    item: Option<&'a RawValue>,
    #[serde(default, borrow)]
    response: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

/// A reply on its way.
#[derive(Debug)]
pub struct Events {
    provider: Arc<str>,
    /// The items so far: some servers do not repeat them at the end.
    items: Vec<Box<RawValue>>,
    /// The response, which the last event holds.
    response: Option<Box<RawValue>>,
    done: bool,
}

impl Events {
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self { provider: wanted.provider.clone(), items: Vec::new(), response: None, done: false }
    }
}

impl Gathering for Events {
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<(), ModelError> {
        if data == "[DONE]" {
            self.done = self.response.is_some();
            return Ok(());
        }
        let event: Event<'_> = read(data)?;
        match event.r#type.as_str() {
            "response.output_text.delta" => {
                deltas.tell(event.delta.as_ref().and_then(Value::as_str).unwrap_or_default());
            }
            "response.output_item.done" => self.items.extend(event.item.map(ToOwned::to_owned)),
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.response = event.response.map(ToOwned::to_owned);
                self.done = self.response.is_some();
            }
            "error" => {
                let error = event.error.filter(|error| error.get() != "null");
                return Err(of_answer(error.map_or(data, RawValue::get)));
            }
            _ => {}
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn is_finished(&self) -> bool {
        self.done
    }

    fn finish(self) -> Result<Reply, ModelError> {
        let raw = self.response.map(|response| response.get().to_owned()).unwrap_or_default();
        let response: Response<'_> = read(&raw)?;
        let has_output = response.output.as_ref().is_some_and(|output| !output.is_empty());
        if has_output || self.items.is_empty() || response.error.is_some_and(|error| error.get() != "null") {
            return whole(&Wanted { provider: self.provider }, &raw);
        }
        let items: Vec<&str> = self.items.iter().map(|item| item.get()).collect();
        let mut all: Map<String, Value> = read(&raw)?;
        all.insert("output".to_owned(), read(&format!("[{}]", items.join(",")))?);
        let reply = answered(&response, &items)?.into_reply(&self.provider)?;
        Ok(reply.with_raw(Value::Object(all).to_string()))
    }
}
