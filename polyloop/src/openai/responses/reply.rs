//! Reads an answer: the *response object* of the API reference, whole or at the end of a stream of its events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::{ModelError, ModelErrorClass};
use crate::event::{Reply, ReplyCall, Usage};
use crate::model::Deltas;
use crate::provider::{
    Answered, Ended, Gathering, ReplyIds, Wanted, cost, count, cut, mixed, nullable, of_answer, read,
    unreadable,
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
        #[serde(default)]
        status: Option<String>,
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
    Ok(answered(&response, None, &output)?.into_reply(&wanted.provider)?.with_raw(text))
}

/// Reads a response. Its own status and that of the last event both count.
fn answered(
    response: &Response<'_>,
    last_event: Option<&str>,
    output: &[&str],
) -> Result<Answered, ModelError> {
    let is = |status: &str| response.status.as_deref() == Some(status) || last_event == Some(status);
    let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
    if is("failed") || is("cancelled") {
        let message = "the provider failed while the model wrote";
        return Err(ModelError::new(ModelErrorClass::Server, message));
    }
    if is("in_progress") || is("queued") {
        return Err(cut("its response is not finished"));
    }
    let ended = match reason {
        Some("content_filter") => Ended::Filtered,
        _ if is("incomplete") => Ended::Length,
        _ => Ended::Said,
    };
    let mut answered = Answered { ended, ..Answered::default() };
    for text in output {
        add(&mut answered, text)?;
    }
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
        Item::FunctionCall { call_id: id, name, arguments, status } => {
            let is_open = matches!(status.as_deref(), Some("in_progress" | "incomplete"));
            if is_open && answered.ended == Ended::Said {
                return Err(cut("a call of its output is not finished"));
            }
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
    #[serde(default, deserialize_with = "count")]
    output_index: Option<u64>,
    #[serde(default, borrow)]
    item: Option<&'a RawValue>,
    #[serde(default, borrow)]
    response: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

/// What tells an item or a response apart.
#[derive(Deserialize)]
struct Identified {
    #[serde(default)]
    id: Option<Value>,
}

/// Returns the id of an item or a response.
fn id_of(object: &RawValue) -> Result<Option<String>, ModelError> {
    let Identified { id } = read(object.get())?;
    Ok(id.as_ref().and_then(Value::as_str).map(str::to_owned))
}

/// A reply on its way.
#[derive(Debug)]
pub struct Events {
    provider: Arc<str>,
    /// The finished items by their index: some servers do not repeat them at the end.
    items: BTreeMap<u64, Box<RawValue>>,
    /// The finished items without an index, which finish none that began at one.
    unplaced: Vec<Box<RawValue>>,
    /// The indexes of items that began.
    begun: BTreeSet<u64>,
    ids: ReplyIds,
    /// The response, which the last event holds, and its status by the name of this event.
    response: Option<(Box<RawValue>, String)>,
}

impl Events {
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self {
            provider: wanted.provider.clone(),
            items: BTreeMap::new(),
            unplaced: Vec::new(),
            begun: BTreeSet::new(),
            ids: ReplyIds::default(),
            response: None,
        }
    }

    /// Takes a finished item. The same one may come twice; another one may not come in its place.
    fn item(&mut self, index: Option<u64>, item: &RawValue) -> Result<(), ModelError> {
        let Some(index) = index else {
            self.unplaced.push(item.to_owned());
            return Ok(());
        };
        match self.items.get(&index) {
            Some(known) if known.get() != item.get() => Err(mixed("two items have one `output_index`")),
            Some(_) => Ok(()),
            None => {
                self.items.insert(index, item.to_owned());
                Ok(())
            }
        }
    }
}

impl Gathering for Events {
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<(), ModelError> {
        // Some servers write the last event of another interface; the response says whether the reply is complete.
        if data == "[DONE]" {
            return Ok(());
        }
        let event: Event<'_> = read(data)?;
        if let Some(response) = event.response.filter(|response| response.get() != "null") {
            self.ids.piece(id_of(response)?)?;
        }
        match event.r#type.as_str() {
            "response.output_text.delta" => {
                deltas.tell(event.delta.as_ref().and_then(Value::as_str).unwrap_or_default());
            }
            "response.output_item.added" => self.begun.extend(event.output_index),
            "response.output_item.done" => {
                event.item.map_or(Ok(()), |item| self.item(event.output_index, item))?;
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let status = event.r#type.trim_start_matches("response.").to_owned();
                self.response = event.response.map(|response| (response.to_owned(), status));
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
        self.response.is_some()
    }

    fn is_finished(&self) -> bool {
        self.response.is_some()
    }

    fn finish(self) -> Result<Reply, ModelError> {
        let (raw, status) = self.response.ok_or_else(|| cut("its last event has not come"))?;
        self.ids.check()?;
        let response: Response<'_> = read(raw.get())?;
        if let Some(error) = response.error.filter(|error| error.get() != "null") {
            return Err(of_answer(error.get()));
        }
        if let Some(output) = response.output.as_ref().filter(|output| !output.is_empty()) {
            let output: Vec<&str> = output.iter().map(|item| item.get()).collect();
            let reply = answered(&response, Some(&status), &output)?.into_reply(&self.provider)?;
            return Ok(reply.with_raw(raw.get()));
        }
        if status == "completed" && self.begun.iter().any(|index| !self.items.contains_key(index)) {
            return Err(cut("an item of its output is not finished"));
        }
        let items: Vec<&str> = self.items.values().chain(&self.unplaced).map(|item| item.get()).collect();
        let mut all: Map<String, Value> = read(raw.get())?;
        all.insert("output".to_owned(), read(&format!("[{}]", items.join(",")))?);
        let reply = answered(&response, Some(&status), &items)?.into_reply(&self.provider)?;
        Ok(reply.with_raw(Value::Object(all).to_string()))
    }
}
