//! The body of a request: a pure function of the options and the prompt, with the input last.

use std::borrow::Cow;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Responses;
use crate::dialect::LoweredTools;
use crate::message::{Message, Role};
use crate::provider::{Asked, Options, Piece, entry, pieces};

/// The members that are written here.
pub(super) const OWN_MEMBERS: [&str; 12] = [
    "model",
    "temperature",
    "max_output_tokens",
    "reasoning",
    "text",
    "include",
    "store",
    "stream",
    "tools",
    "parallel_tool_calls",
    "input",
    "previous_response_id",
];

/// What has to come with each answer, so that nothing need be stored at the provider's.
const INCLUDED: [&str; 1] = ["reasoning.encrypted_content"];

/// The bytes of the body.
pub(super) fn body(own: &Responses, options: &Options, asked: &Asked<'_>) -> Vec<u8> {
    // Texts, numbers and JSON that was read: there is nothing in it that cannot be written.
    serde_json::to_vec(&Body { own, options, asked: Some(asked) }).unwrap_or_default()
}

/// Everything that decides over a body beside the prompt and the model's name, as JSON text.
pub(super) fn parameters(own: &Responses, options: &Options) -> String {
    serde_json::to_string(&Body { own, options, asked: None }).unwrap_or_default()
}

struct Body<'a> {
    own: &'a Responses,
    options: &'a Options,
    /// None where only the parameters are told.
    asked: Option<&'a Asked<'a>>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { own, options, asked } = self;
        let mut map = serializer.serialize_map(None)?;
        if asked.is_some() {
            map.serialize_entry("model", &options.model)?;
        }
        entry(&mut map, "temperature", options.temperature.as_ref())?;
        entry(&mut map, "max_output_tokens", options.max_tokens.as_ref())?;
        if let Some(effort) = &own.reasoning_effort {
            map.serialize_entry("reasoning", &Reasoning { effort })?;
        }
        entry(&mut map, "text", own.text.as_ref())?;
        if own.encrypted_reasoning {
            map.serialize_entry("include", &INCLUDED)?;
        }
        map.serialize_entry("store", &false)?;
        map.serialize_entry("stream", &options.stream)?;
        options.own(&mut map)?;
        let Some(asked) = asked else {
            entry(&mut map, "parallel_tool_calls", options.parallel_tool_calls.as_ref())?;
            map.serialize_entry("schemas", &options.schemas)?;
            return map.end();
        };
        if !asked.prompt.tools().is_empty() {
            map.serialize_entry("tools", &Tools(asked.tools))?;
            entry(&mut map, "parallel_tool_calls", options.parallel_tool_calls.as_ref())?;
        }
        map.serialize_entry("input", &Input(asked))?;
        map.end()
    }
}

#[derive(Serialize)]
struct Reasoning<'a> {
    effort: &'a str,
}

struct Tools<'a>(&'a LoweredTools);

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Tool<'a> {
            r#type: &'static str,
            name: &'a str,
            description: &'a str,
            parameters: &'a RawValue,
            /// Always sent: here a missing one means that it is.
            strict: bool,
        }
        serializer.collect_seq(self.0.iter().map(|tool| Tool {
            r#type: "function",
            name: tool.definition().name(),
            description: tool.definition().description(),
            parameters: tool.schema(),
            strict: tool.is_strict(),
        }))
    }
}

struct Input<'a>(&'a Asked<'a>);

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for message in self.0.prompt.messages() {
            for item in items(message, self.0) {
                list.serialize_element(&item)?;
            }
        }
        list.end()
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        role: &'static str,
        content: ItemContent<'a>,
        #[serde(flatten)]
        with: Map<String, Value>,
    },
    FunctionCall {
        call_id: &'a str,
        name: Cow<'a, str>,
        arguments: Cow<'a, str>,
    },
    FunctionCallOutput {
        call_id: &'a str,
        output: Cow<'a, str>,
    },
    #[serde(untagged)]
    Opaque(Value),
}

#[derive(Serialize)]
#[serde(untagged)]
enum ItemContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    InputText { text: Cow<'a, str> },
    InputImage { image_url: Cow<'a, str>, detail: &'static str },
}

/// The items of one message: what the model says is an item each, what it is told shares one.
fn items<'a>(message: &'a Message, asked: &Asked<'a>) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    let mut told = Vec::new();
    for piece in pieces(message, asked) {
        match piece {
            Piece::Text { text, with } if message.role() == Role::Assistant => {
                let role = Role::Assistant.as_str();
                items.push(Item::Message { role, content: ItemContent::Text(text), with });
            }
            Piece::Text { text, .. } => told.push(Part::InputText { text }),
            Piece::Image(image) => {
                told.push(Part::InputImage { image_url: image.to_url(), detail: "auto" });
            }
            Piece::Call { id, name, arguments, .. } => {
                items.push(Item::FunctionCall { call_id: id, name, arguments });
            }
            Piece::Result { call, text, .. } => {
                items.push(Item::FunctionCallOutput { call_id: call, output: text });
            }
            Piece::Opaque(value) => items.push(Item::Opaque(value)),
        }
    }
    if !told.is_empty() {
        let content = match told.pop() {
            Some(Part::InputText { text }) if told.is_empty() => ItemContent::Text(text),
            last => {
                told.extend(last);
                ItemContent::Parts(told)
            }
        };
        items.push(Item::Message { role: message.role().as_str(), content, with: Map::new() });
    }
    items
}
