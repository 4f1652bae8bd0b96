//! Puts a message together from the events of a stream: the source is *streaming messages* of the API reference.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::reply::{WireUsage, reply};
use crate::error::ModelError;
use crate::event::Reply;
use crate::model::Deltas;
use crate::provider::{Gathering, Wanted, nullable, of_answer, read, unreadable};

/// An event. What nothing here reads is passed over.
#[derive(Deserialize)]
struct Event<'a> {
    r#type: String,
    #[serde(default, deserialize_with = "nullable")]
    index: u64,
    #[serde(default)]
    message: Option<Map<String, Value>>,
    #[serde(default)]
    content_block: Option<Map<String, Value>>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

/// What an event adds to a block, or to the message.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta {
    #[serde(deserialize_with = "nullable")]
    text: String,
    #[serde(deserialize_with = "nullable")]
    partial_json: String,
    #[serde(deserialize_with = "nullable")]
    thinking: String,
    #[serde(deserialize_with = "nullable")]
    signature: String,
    stop_reason: Option<String>,
}

/// One block of the content on its way.
#[derive(Debug)]
struct Block {
    members: Map<String, Value>,
    /// The input of a call, which comes as pieces of JSON text.
    input: String,
}

impl Block {
    fn append(&mut self, name: &str, more: &str) {
        match self.members.get_mut(name) {
            Some(Value::String(text)) => text.push_str(more),
            _ => drop(self.members.insert(name.to_owned(), more.into())),
        }
    }

    /// Takes a piece.
    fn take(&mut self, delta: &Delta) {
        self.input.push_str(&delta.partial_json);
        let texts = [("text", &delta.text), ("thinking", &delta.thinking), ("signature", &delta.signature)];
        for (name, more) in texts {
            if !more.is_empty() {
                self.append(name, more);
            }
        }
    }

    /// The block as it would have come whole, as JSON text. Of an input that is no JSON the text is kept: its call is told
    /// what is wrong with it.
    fn into_text(self) -> String {
        #[derive(Serialize)]
        struct Whole {
            #[serde(flatten)]
            members: Map<String, Value>,
            #[serde(skip_serializing_if = "Option::is_none")]
            input: Option<Box<RawValue>>,
        }
        let Self { mut members, input, .. } = self;
        let input = (!input.trim().is_empty()).then_some(input).and_then(|input| {
            members.remove("input");
            RawValue::from_string(input.clone()).or_else(|_| serde_json::value::to_raw_value(&input)).ok()
        });
        serde_json::to_string(&Whole { members, input }).unwrap_or_default()
    }
}

/// A reply on its way.
#[derive(Debug)]
pub struct Events {
    wanted: Wanted,
    /// The message as it began.
    members: Map<String, Value>,
    blocks: Vec<Block>,
    /// The newest block of each index.
    newest: BTreeMap<u64, usize>,
    stop_reason: Option<String>,
    usage: WireUsage,
    /// The same, as the server names it.
    counted: Map<String, Value>,
    done: bool,
}

impl Events {
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self {
            wanted: wanted.clone(),
            members: Map::new(),
            blocks: Vec::new(),
            newest: BTreeMap::new(),
            stop_reason: None,
            usage: WireUsage::default(),
            counted: Map::new(),
            done: false,
        }
    }

    /// Takes what a piece tells of the cost, which may be some of it, or nothing that can be read.
    fn count(&mut self, usage: Option<Value>) {
        let Some(Value::Object(usage)) = usage else { return };
        self.counted.extend(usage.clone());
        self.usage.update(serde_json::from_value(Value::Object(usage)).unwrap_or_default());
    }
}

impl Gathering for Events {
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<(), ModelError> {
        let event: Event<'_> = read(data)?;
        self.count(event.usage);
        match event.r#type.as_str() {
            "message_start" => {
                self.members = event.message.unwrap_or_default();
                let usage = self.members.remove("usage");
                self.count(usage);
            }
            "content_block_start" => {
                let members = event.content_block.unwrap_or_default();
                deltas.tell(members.get("text").and_then(Value::as_str).unwrap_or_default());
                self.newest.insert(event.index, self.blocks.len());
                self.blocks.push(Block { members, input: String::new() });
            }
            "content_block_delta" => {
                let delta = event.delta.unwrap_or_default();
                let known = self.newest.get(&event.index).and_then(|place| self.blocks.get_mut(*place));
                // What belongs nowhere must not be lost without a word.
                let block = known.ok_or_else(|| unreadable("a block goes on that never began"))?;
                deltas.tell(&delta.text);
                block.take(&delta);
            }
            "message_delta" => {
                let reason = event.delta.and_then(|delta| delta.stop_reason);
                self.stop_reason = reason.or(self.stop_reason.take());
            }
            "message_stop" => self.done = true,
            "error" => return Err(of_answer(event.error.map_or(data, RawValue::get))),
            _ => {}
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn is_finished(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn finish(self) -> Result<Reply, ModelError> {
        let texts: Vec<String> = self.blocks.into_iter().map(Block::into_text).collect();
        let blocks: Vec<&str> = texts.iter().map(String::as_str).collect();
        let reply = reply(&self.wanted, &blocks, self.stop_reason.as_deref(), self.usage)?;
        let mut whole = self.members;
        let content: Vec<Value> = blocks.iter().map(|block| read(block)).collect::<Result<_, _>>()?;
        whole.insert("content".to_owned(), Value::Array(content));
        whole.insert("stop_reason".to_owned(), json!(self.stop_reason));
        whole.insert("usage".to_owned(), Value::Object(self.counted));
        Ok(reply.with_raw(Value::Object(whole).to_string()))
    }
}
