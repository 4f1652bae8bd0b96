//! Puts a message together from the events of a stream: the source is *streaming messages* of the API reference.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::reply::{WireUsage, reply};
use crate::error::ModelError;
use crate::event::Reply;
use crate::model::Deltas;
use crate::provider::{Gathering, Wanted, cut, mixed, nullable, of_answer, read, unreadable};

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
    /// Whether its end has come.
    is_closed: bool,
}

impl Block {
    /// Returns `true` if another block, which begins at the same index, could be this one again: only another call or a block
    /// of another type is certainly not.
    fn may_be(&self, members: &Map<String, Value>) -> bool {
        ["type", "id"].into_iter().all(|name| self.members.get(name) == members.get(name))
    }

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
    /// The message as it began; none before that.
    members: Option<Map<String, Value>>,
    blocks: Vec<Block>,
    /// The newest block of each index.
    newest: BTreeMap<u64, usize>,
    /// The ids of the calls.
    calls: BTreeSet<String>,
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
            members: None,
            blocks: Vec::new(),
            newest: BTreeMap::new(),
            calls: BTreeSet::new(),
            stop_reason: None,
            usage: WireUsage::default(),
            counted: Map::new(),
            done: false,
        }
    }

    /// Begins the message. The same message may begin twice; another one may not, while this one is open.
    fn begin(&mut self, mut members: Map<String, Value>) -> Result<(), ModelError> {
        let usage = members.remove("usage");
        let has_content = !self.blocks.is_empty() || self.stop_reason.is_some();
        let id = |members: &Map<String, Value>| members.get("id").and_then(Value::as_str).map(str::to_owned);
        match &self.members {
            None if !has_content => {
                self.members = Some(members);
                self.count(usage);
                Ok(())
            }
            Some(known) if id(known) == id(&members) && (id(known).is_some() || !has_content) => Ok(()),
            _ => Err(mixed("another message begins before the end of the first one")),
        }
    }

    /// Begins a block.
    fn begin_block(
        &mut self,
        index: u64,
        members: Map<String, Value>,
        deltas: &Deltas,
    ) -> Result<(), ModelError> {
        if self.stop_reason.is_some() {
            return Err(mixed("a block begins after the `stop_reason`"));
        }
        let known = self.newest.get(&index).and_then(|place| self.blocks.get(*place));
        if known.is_some_and(|block| !block.is_closed || block.may_be(&members)) {
            return Err(mixed("a block begins twice"));
        }
        let is_call = members.get("type").and_then(Value::as_str) == Some("tool_use");
        let id = members.get("id").and_then(Value::as_str).filter(|id| is_call && !id.is_empty());
        if id.is_some_and(|id| !self.calls.insert(id.to_owned())) {
            return Err(mixed("two calls have one id"));
        }
        deltas.tell(members.get("text").and_then(Value::as_str).unwrap_or_default());
        self.newest.insert(index, self.blocks.len());
        self.blocks.push(Block { members, input: String::new(), is_closed: false });
        Ok(())
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
        // Routers write the last event of another interface; whether the message is complete, its own events say.
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let event: Event<'_> = read(data)?;
        self.count(event.usage);
        match event.r#type.as_str() {
            "message_start" => self.begin(event.message.unwrap_or_default())?,
            "content_block_start" => {
                let members = event.content_block.unwrap_or_default();
                self.begin_block(event.index, members, deltas)?;
            }
            "content_block_delta" => {
                let delta = event.delta.unwrap_or_default();
                let known = self.newest.get(&event.index).and_then(|place| self.blocks.get_mut(*place));
                // What belongs nowhere must not be lost without a word.
                let block = known.ok_or_else(|| unreadable("a block goes on that never began"))?;
                if block.is_closed {
                    return Err(mixed("a block goes on after its end"));
                }
                deltas.tell(&delta.text);
                block.take(&delta);
            }
            "content_block_stop" => {
                let known = self.newest.get(&event.index).and_then(|place| self.blocks.get_mut(*place));
                if let Some(block) = known {
                    block.is_closed = true;
                }
            }
            "message_delta" => {
                let reason = event.delta.and_then(|delta| delta.stop_reason);
                // The first one stands: a repeated event changes nothing.
                let known = self.stop_reason.take();
                self.stop_reason = known.or(reason.filter(|reason| !reason.is_empty()));
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
        self.stop_reason.is_some() && self.blocks.iter().all(|block| block.is_closed)
    }

    fn finish(self) -> Result<Reply, ModelError> {
        if self.stop_reason.is_none() {
            return Err(cut("it has no `stop_reason`"));
        }
        if self.blocks.iter().any(|block| !block.is_closed) {
            return Err(cut("a block has no `content_block_stop`"));
        }
        let texts: Vec<String> = self.blocks.into_iter().map(Block::into_text).collect();
        let blocks: Vec<&str> = texts.iter().map(String::as_str).collect();
        let reply = reply(&self.wanted, &blocks, self.stop_reason.as_deref(), self.usage)?;
        let mut whole = self.members.unwrap_or_default();
        let content: Vec<Value> = blocks.iter().map(|block| read(block)).collect::<Result<_, _>>()?;
        whole.insert("content".to_owned(), Value::Array(content));
        whole.insert("stop_reason".to_owned(), json!(self.stop_reason));
        whole.insert("usage".to_owned(), Value::Object(self.counted));
        Ok(reply.with_raw(Value::Object(whole).to_string()))
    }
}
