//! What the events of a stream say of its completeness, by plain rules of their own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Interface;

/// What must hold for a reply of a stream.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Why there is no reply in it.
    pub(super) fault: Option<&'static str>,
    /// The calls that begin in it, by id and name.
    pub(super) calls: Vec<String>,
}

/// The ids of pieces: all the same, or all different and more than two.
#[derive(Default)]
struct Ids(Vec<String>);

impl Ids {
    fn add(&mut self, id: &Value) {
        self.0.extend(id.as_str().filter(|id| !id.is_empty()).map(str::to_owned));
    }

    fn are_mixed(&self) -> bool {
        let different: BTreeSet<&String> = self.0.iter().collect();
        different.len() > 1 && (different.len() < self.0.len() || different.len() == 2)
    }
}

/// The reason to stop so far, and whether content followed one.
#[derive(Default)]
struct Reason {
    last: bool,
    is_named: bool,
    is_contradicted: bool,
}

impl Reason {
    fn piece(&mut self, has_content: bool, member: Option<&Value>) {
        if has_content {
            self.is_contradicted |= self.last;
            self.last = false;
        }
        self.is_named |= member.is_some();
        self.last |= member.and_then(Value::as_str).is_some_and(|reason| !reason.trim().is_empty());
    }

    fn is_end(&self, has_last_event: bool, may_be_unnamed: bool) -> bool {
        if has_last_event {
            self.last || (may_be_unnamed && !self.is_named)
        } else {
            self.last && !self.is_contradicted
        }
    }
}

impl Facts {
    /// Reads the events of a stream.
    pub(super) fn of(interface: Interface, stream: &str) -> Self {
        let mut events: Vec<&str> = stream.split("\n\n").collect();
        // Nothing ends it.
        events.pop();
        let data = |event: &str| {
            let values = event.lines().filter_map(|line| line.strip_prefix("data:"));
            let values: Vec<&str> = values.map(|value| value.strip_prefix(' ').unwrap_or(value)).collect();
            (!values.is_empty()).then(|| values.join("\n").trim().to_owned())
        };
        let events: Vec<String> =
            events.into_iter().filter_map(data).filter(|data| !data.is_empty()).collect();
        match interface {
            Interface::Chat => Self::chat(&events),
            Interface::Responses => Self::responses(&events),
            Interface::Messages => Self::messages(&events),
            Interface::Generate => Self::generate(&events),
        }
    }

    fn require(&mut self, holds: bool, fault: &'static str) {
        if !holds {
            self.fault = self.fault.or(Some(fault));
        }
    }

    fn call(&mut self, id: &Value, name: &Value) {
        if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
            self.calls.push(format!("{} {name}", id.as_str().unwrap_or_default()));
        }
    }

    /// Reads an event; one that is no JSON makes no reply.
    fn json(&mut self, data: &str) -> Value {
        serde_json::from_str(data).unwrap_or_else(|_| {
            self.require(false, "an event is no JSON");
            Value::Null
        })
    }

    fn chat(events: &[String]) -> Self {
        let (mut facts, mut ids, mut reason, mut is_done) =
            (Self::default(), Ids::default(), Reason::default(), false);
        for data in events {
            if data == "[DONE]" {
                is_done = true;
                break;
            }
            let event = facts.json(data);
            let choice = &event["choices"][0];
            if choice.is_null() {
                continue;
            }
            ids.add(&event["id"]);
            let delta = &choice["delta"];
            let calls = delta["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
            for call in calls {
                facts.call(&call["id"], &call["function"]["name"]);
            }
            let has_text = delta["content"].as_str().is_some_and(|text| !text.is_empty());
            reason.piece(has_text || !calls.is_empty(), choice.get("finish_reason"));
        }
        facts.require(!ids.are_mixed(), "the pieces are of different replies");
        facts.require(reason.is_end(is_done, true), "there is no end");
        facts
    }

    fn generate(events: &[String]) -> Self {
        let (mut facts, mut ids, mut reason, mut is_done) =
            (Self::default(), Ids::default(), Reason::default(), false);
        for data in events {
            if data == "[DONE]" {
                is_done = true;
                break;
            }
            let event = facts.json(data);
            let candidate = &event["candidates"][0];
            if candidate.is_null() {
                continue;
            }
            ids.add(&event["responseId"]);
            let mut has_content = false;
            for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
                let call = &part["functionCall"];
                facts.call(&call["id"], &call["name"]);
                has_content |= !call.is_null() || part["text"].as_str().is_some_and(|text| !text.is_empty());
            }
            reason.piece(has_content, candidate.get("finishReason"));
        }
        facts.require(!ids.are_mixed(), "the pieces are of different replies");
        facts.require(reason.is_end(is_done, false), "there is no end");
        facts
    }

    fn messages(events: &[String]) -> Self {
        let (mut facts, mut ids, mut open) = (Self::default(), BTreeSet::new(), BTreeMap::new());
        let (mut has_reason, mut calls) = (false, BTreeSet::new());
        for data in events {
            if data == "[DONE]" {
                break;
            }
            let event = facts.json(data);
            let index = event["index"].as_u64().unwrap_or_default();
            match event["type"].as_str().unwrap_or_default() {
                "message_start" => {
                    let is_first = ids.is_empty();
                    ids.insert(event["message"]["id"].to_string());
                    facts.require(ids.len() == 1, "two messages began");
                    facts.require(!is_first || (open.is_empty() && !has_reason), "content came before it");
                }
                "content_block_start" => {
                    let block = &event["content_block"];
                    let id = block["id"].as_str().unwrap_or_default();
                    let is_call = block["type"] == "tool_use" && !id.is_empty();
                    facts.require(!is_call || calls.insert(id.to_owned()), "two calls have one id");
                    facts.call(&block["id"], &block["name"]);
                    let before = open.insert(index, true);
                    facts.require(before != Some(true), "a block began in an open one");
                    facts.require(!has_reason, "a block began after the end");
                }
                "content_block_delta" => {
                    facts.require(open.get(&index) == Some(&true), "a delta belongs to no open block");
                }
                "content_block_stop" => {
                    open.entry(index).and_modify(|is_open| *is_open = false);
                }
                "message_delta" => {
                    has_reason |=
                        event["delta"]["stop_reason"].as_str().is_some_and(|reason| !reason.is_empty());
                }
                "message_stop" => break,
                _ => {}
            }
        }
        facts.require(open.values().all(|is_open| !is_open), "a block is open");
        facts.require(has_reason, "there is no end");
        facts
    }

    fn responses(events: &[String]) -> Self {
        let (mut facts, mut ids, mut items, mut begun) =
            (Self::default(), Ids::default(), BTreeMap::new(), BTreeSet::new());
        let mut last = None;
        for data in events {
            if data == "[DONE]" {
                continue;
            }
            let event = facts.json(data);
            ids.add(&event["response"]["id"]);
            let index = event["output_index"].as_u64();
            match event["type"].as_str().unwrap_or_default() {
                "response.output_item.added" => begun.extend(index),
                "response.output_item.done" if !event["item"].is_null() => {
                    let known = items.insert(index, event["item"].clone());
                    let is_same = known.is_none_or(|known| known == event["item"]);
                    facts.require(is_same || index.is_none(), "two items have one place");
                    let item = &event["item"];
                    facts.call(&item["call_id"], &item["name"]);
                }
                "response.completed" if !event["response"].is_null() => {
                    last = Some(event["response"].clone());
                    break;
                }
                _ => {}
            }
        }
        facts.require(!ids.are_mixed(), "the events are of different responses");
        facts.require(last.is_some(), "there is no end");
        let output = last.as_ref().and_then(|last| last["output"].as_array()).filter(|list| !list.is_empty());
        if let Some(output) = output {
            facts.calls.clear();
            for item in output {
                facts.call(&item["call_id"], &item["name"]);
            }
        } else {
            let is_done = |index: &u64| items.contains_key(&Some(*index));
            facts.require(begun.iter().all(is_done), "an item is not finished");
        }
        facts
    }
}
