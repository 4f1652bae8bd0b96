//! Messages and response items, in the forms that OpenAI gives them.
//!
//! The names are those of its API reference: *chat completions, create* for messages, *responses, create* for items.

use std::sync::Arc;

use serde_json::{Value, json};

use super::left_out::{LeftOut, Tally};
use super::object::Object;
use super::{Author, Call, CallKey, Entry, Outcome, Part, Spoken};
use crate::error::{HistoryError, HistoryFault, HistoryPlace};
use crate::message::Role;

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) entries: Vec<Entry>,
    pub(super) left_out: Tally,
}

impl Reader {
    /// Reads one message or response item.
    pub(super) fn read(&mut self, place: HistoryPlace, element: &Value) -> Result<(), HistoryError> {
        let element = Object::of(place, element)?;
        match element.text_if_any("type") {
            None | Some("message") => self.message(element),
            Some("function_call") => {
                let arguments = element.json("arguments", "what the function is called with")?;
                self.call_item(element, flat_name(element)?, arguments)
            }
            Some("custom_tool_call") => {
                let input = element.text("input", "what the tool is called with")?;
                self.call_item(element, flat_name(element)?, free_form(input))
            }
            Some("local_shell_call") => {
                let action = element.json("action", "what is to be done")?;
                self.call_item(element, "local_shell".to_owned(), action)
            }
            Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
                let key = CallKey::Id(call_id(element)?.to_owned());
                let parts = self.output(element)?;
                self.entries.push(Entry::Outcome(Outcome { place, key, parts }));
                Ok(())
            }
            Some("reasoning") => {
                self.left_out.add(LeftOut::Reasoning);
                Ok(())
            }
            Some(other) => {
                self.left_out.add(LeftOut::Other(other.to_owned()));
                Ok(())
            }
        }
    }

    fn message(&mut self, message: Object<'_>) -> Result<(), HistoryError> {
        let role = match message.text("role", "who speaks")? {
            "system" => Role::System,
            "developer" => Role::Developer,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => {
                let call = message.text("tool_call_id", "which call this answers")?;
                return self.outcome(message, CallKey::Id(call.to_owned()));
            }
            "function" => {
                let name = message.text("name", "which function this answers")?;
                return self.outcome(message, CallKey::Function(name.to_owned()));
            }
            other => return Err(message.fault(HistoryFault::UnknownRole { role: other.to_owned() })),
        };
        let left_out = self.left_out.total();
        let mut parts = self.parts(message, "content")?;
        parts.extend(self.text_part(message.text_if_any("refusal").unwrap_or_default()).map(Part::Text));
        if role != Role::User {
            parts = self.only_texts(&parts).into_iter().map(Part::Text).collect();
        }
        for thought in ["reasoning", "reasoning_content"] {
            if message.text_if_any(thought).is_some_and(|text| !text.trim().is_empty()) {
                self.left_out.add(LeftOut::Reasoning);
            }
        }
        if message.get("audio").is_some() {
            self.left_out.add(LeftOut::Other("audio".to_owned()));
        }
        let calls = calls(message)?;
        if role != Role::Assistant && !calls.is_empty() {
            return Err(message.fault(HistoryFault::NoCaller { role: role.as_str() }));
        }
        if !parts.is_empty() || !calls.is_empty() {
            let author = Author::Unknown;
            self.entries.push(Entry::Spoken(Spoken { role, author, parts, calls }));
        } else if self.left_out.total() == left_out {
            self.left_out.add(LeftOut::Empty);
        }
        Ok(())
    }

    fn outcome(&mut self, message: Object<'_>, key: CallKey) -> Result<(), HistoryError> {
        let parts = self.texts(message, "content")?;
        self.entries.push(Entry::Outcome(Outcome { place: message.place, key, parts }));
        Ok(())
    }

    /// Adds a call that is an item of its own. It belongs to what the model said directly before it.
    fn call_item(&mut self, item: Object<'_>, name: String, arguments: String) -> Result<(), HistoryError> {
        let place = item.place;
        let call = Call { place, key: CallKey::Id(call_id(item)?.to_owned()), name, arguments };
        if let Some(Entry::Spoken(spoken)) = self.entries.last_mut()
            && spoken.role == Role::Assistant
        {
            spoken.calls.push(call);
            return Ok(());
        }
        let (role, author) = (Role::Assistant, Author::Unknown);
        self.entries.push(Entry::Spoken(Spoken { role, author, parts: Vec::new(), calls: vec![call] }));
        Ok(())
    }

    /// The texts of what came of a call: of early rollouts it is an object with its `content`.
    fn output(&mut self, item: Object<'_>) -> Result<Vec<Arc<str>>, HistoryError> {
        match item.get("output") {
            Some(value @ Value::Object(_)) => {
                let output = Object::of(item.place, value)?;
                if output.get("content").is_none() {
                    let wanted = "a string, a list of parts, or an object with `content`";
                    return Err(item.fault(HistoryFault::Unfit { member: "output", wanted }));
                }
                self.texts(output, "content")
            }
            _ => self.texts(item, "output"),
        }
    }

    fn texts(&mut self, object: Object<'_>, member: &'static str) -> Result<Vec<Arc<str>>, HistoryError> {
        let parts = self.parts(object, member)?;
        Ok(self.only_texts(&parts))
    }

    /// Leaves out images, where a session holds none.
    fn only_texts(&mut self, parts: &[Part]) -> Vec<Arc<str>> {
        let texts: Vec<Arc<str>> = parts.iter().filter_map(Part::text).cloned().collect();
        self.left_out.add_many(LeftOut::Image, parts.len() - texts.len());
        texts
    }

    /// The parts of a content: nothing, a string, or a list of parts.
    fn parts(&mut self, object: Object<'_>, member: &'static str) -> Result<Vec<Part>, HistoryError> {
        let mut parts = Vec::new();
        match object.get(member) {
            None => {}
            Some(Value::String(text)) => parts.extend(self.text_part(text).map(Part::Text)),
            Some(Value::Array(list)) => {
                for part in list {
                    let part = Object::of(object.place, part).map_err(|_| {
                        object.fault(HistoryFault::Unfit { member, wanted: "a list of objects" })
                    })?;
                    parts.extend(self.part(part)?);
                }
            }
            Some(_) => {
                let wanted = "a string, null or a list of parts";
                return Err(object.fault(HistoryFault::Unfit { member, wanted }));
            }
        }
        Ok(parts)
    }

    fn part(&mut self, part: Object<'_>) -> Result<Option<Part>, HistoryError> {
        let left_out = match part.text("type", "what a part of the content is")? {
            "text" | "input_text" | "output_text" => {
                let text = part.text("text", "what the part says")?;
                return Ok(self.text_part(text).map(Part::Text));
            }
            "refusal" => {
                let text = part.text("refusal", "why the model refused")?;
                return Ok(self.text_part(text).map(Part::Text));
            }
            "image_url" | "input_image" => match image_url(part) {
                Some(url) => return Ok(Some(Part::Image(url.into()))),
                None => LeftOut::Image,
            },
            "reasoning" | "thinking" => LeftOut::Reasoning,
            other => LeftOut::Other(other.to_owned()),
        };
        self.left_out.add(left_out);
        Ok(None)
    }

    /// A text, if a model may get it.
    fn text_part(&mut self, text: &str) -> Option<Arc<str>> {
        if !text.trim().is_empty() {
            return Some(text.into());
        }
        if !text.is_empty() {
            self.left_out.add(LeftOut::Empty);
        }
        None
    }
}

/// The calls of a message, in the present form and in the one before it.
fn calls(message: Object<'_>) -> Result<Vec<Call>, HistoryError> {
    let place = message.place;
    let mut calls = Vec::new();
    for call in message.list("tool_calls")? {
        let unfit =
            |_| message.fault(HistoryFault::Unfit { member: "tool_calls", wanted: "a list of objects" });
        let call = Object::of(place, call).map_err(unfit)?;
        let key = CallKey::Id(call.text("id", "which call this is")?.to_owned());
        let (name, arguments) = if let Some(custom) = call.object("custom")? {
            (tool_name(custom)?, free_form(custom.text("input", "what the tool is called with")?))
        } else {
            let missing = HistoryFault::Missing { member: "function", says: "which function is called" };
            function(call.object("function")?.ok_or_else(|| call.fault(missing))?)?
        };
        calls.push(Call { place, key, name, arguments });
    }
    if let Some(called) = message.object("function_call")? {
        let (name, arguments) = function(called)?;
        calls.push(Call { place, key: CallKey::Function(name.clone()), name, arguments });
    }
    Ok(calls)
}

fn function(called: Object<'_>) -> Result<(String, String), HistoryError> {
    Ok((tool_name(called)?, called.json("arguments", "what the function is called with")?))
}

fn tool_name(called: Object<'_>) -> Result<String, HistoryError> {
    let name = called.text("name", "what is called")?;
    if name.trim().is_empty() {
        return Err(called.fault(HistoryFault::Unfit { member: "name", wanted: "the name of a tool" }));
    }
    Ok(name.to_owned())
}

/// The name of a tool in a namespace, as a provider without namespaces is told it.
fn flat_name(item: Object<'_>) -> Result<String, HistoryError> {
    let name = tool_name(item)?;
    Ok(match item.text_if_any("namespace") {
        None | Some("") => name,
        Some(space) => format!("{}__{}", space.trim_end_matches('_'), name.trim_start_matches('_')),
    })
}

/// Text that is no JSON, as the arguments of a call: every provider takes an object there.
fn free_form(input: &str) -> String {
    json!({ "input": input }).to_string()
}

/// The address of an image, or its data as one.
fn image_url(part: Object<'_>) -> Option<&str> {
    let image = part.get("image_url")?;
    image.as_str().or_else(|| image.get("url")?.as_str())
}

fn call_id(item: Object<'_>) -> Result<&str, HistoryError> {
    match item.text_if_any("call_id").or_else(|| item.text_if_any("id")) {
        Some(id) => Ok(id),
        None => item.text("call_id", "which call this is"),
    }
}
