//! The body of a request: a pure function of the options and the prompt.
//!
//! Names and shapes are those of the API reference of OpenAI, chat completions, *create*. The members stand in a
//! fixed order with the messages last, so that a longer prompt's body begins with the shorter one's.

use std::borrow::Cow;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::ChatCompletions;
use super::reasoning::{OF_CALL, of_message};
use crate::dialect::LoweredTools;
use crate::message::{Image, ImageSource, Message, Role};
use crate::provider::{Asked, Options, Piece, entry, pieces};

/// Says under which role the developer's messages are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeveloperRole {
    /// As `system`, which every server knows.
    #[default]
    System,
    /// As `developer`, which newer models of OpenAI tell apart.
    Developer,
}

/// Says what form the reply's text must have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResponseFormat {
    /// Some JSON object.
    JsonObject,
    /// JSON that a schema describes.
    JsonBySchema {
        /// The schema's name: letters, digits, `_` and `-`.
        name: String,
        /// The JSON Schema.
        schema: Value,
        /// Whether the server must hold the model to the schema.
        strict: bool,
    },
}

impl ResponseFormat {
    /// Makes the form of a JSON Schema that the server must hold the model to.
    #[must_use]
    pub fn json_schema(name: impl Into<String>, schema: Value) -> Self {
        Self::JsonBySchema { name: name.into(), schema, strict: true }
    }
}

impl Serialize for ResponseFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Described<'a> {
            name: &'a str,
            strict: bool,
            schema: &'a Value,
        }
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::JsonObject => map.serialize_entry("type", "json_object")?,
            Self::JsonBySchema { name, schema, strict } => {
                map.serialize_entry("type", "json_schema")?;
                map.serialize_entry("json_schema", &Described { name, strict: *strict, schema })?;
            }
        }
        map.end()
    }
}

/// The members that are written here.
pub(super) const OWN_MEMBERS: [&str; 11] = [
    "model",
    "temperature",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "response_format",
    "stream",
    "stream_options",
    "tools",
    "parallel_tool_calls",
    "messages",
];

/// The bytes of the body.
pub(super) fn body(chat: &ChatCompletions, options: &Options, asked: &Asked<'_>) -> Vec<u8> {
    // Texts, numbers and JSON that was read: there is nothing in it that cannot be written.
    serde_json::to_vec(&Body { chat, options, asked }).unwrap_or_default()
}

/// Everything that decides over a body beside the prompt and the model's name, as JSON text.
pub(super) fn parameters(chat: &ChatCompletions, options: &Options) -> String {
    serde_json::to_string(&Parameters { chat, options }).unwrap_or_default()
}

/// The members that do not depend on the prompt.
fn members<M: SerializeMap>(chat: &ChatCompletions, options: &Options, map: &mut M) -> Result<(), M::Error> {
    entry(map, "temperature", options.temperature.as_ref())?;
    entry(map, "seed", chat.seed.as_ref())?;
    entry(map, "max_tokens", options.max_tokens.as_ref())?;
    entry(map, "max_completion_tokens", chat.max_completion_tokens.as_ref())?;
    entry(map, "response_format", chat.response_format.as_ref())?;
    if options.stream {
        map.serialize_entry("stream", &true)?;
        map.serialize_entry("stream_options", &StreamOptions { include_usage: true })?;
    }
    options.own(map)
}

struct Parameters<'a> {
    chat: &'a ChatCompletions,
    options: &'a Options,
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        members(self.chat, self.options, &mut map)?;
        entry(&mut map, "parallel_tool_calls", self.options.parallel_tool_calls.as_ref())?;
        if self.chat.developer_role != DeveloperRole::default() {
            map.serialize_entry("developer_role", Role::Developer.as_str())?;
        }
        if self.chat.drops_reasoning {
            map.serialize_entry("return_reasoning", &false)?;
        }
        map.serialize_entry("schemas", &self.options.schemas)?;
        map.end()
    }
}

struct Body<'a> {
    chat: &'a ChatCompletions,
    options: &'a Options,
    asked: &'a Asked<'a>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { chat, options, asked } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &options.model)?;
        members(chat, options, &mut map)?;
        // Servers refuse an empty list of tools, and the switch without tools.
        if !asked.prompt.tools().is_empty() {
            map.serialize_entry("tools", &Tools(asked.tools))?;
            entry(&mut map, "parallel_tool_calls", options.parallel_tool_calls.as_ref())?;
        }
        map.serialize_entry("messages", &Messages { asked, chat })?;
        map.end()
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

struct Tools<'a>(&'a LoweredTools);

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Tool<'a> {
            r#type: &'static str,
            function: Function<'a>,
        }
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            description: &'a str,
            parameters: &'a RawValue,
            // Not every server knows the switch.
            #[serde(skip_serializing_if = "Option::is_none")]
            strict: Option<bool>,
        }
        serializer.collect_seq(self.0.iter().map(|tool| Tool {
            r#type: "function",
            function: Function {
                name: tool.definition().name(),
                description: tool.definition().description(),
                parameters: tool.schema(),
                strict: tool.is_strict().then_some(true),
            },
        }))
    }
}

struct Messages<'a> {
    asked: &'a Asked<'a>,
    chat: &'a ChatCompletions,
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for message in self.asked.prompt.messages() {
            for part in parts(message, self.asked, self.chat) {
                list.serialize_element(&part)?;
            }
        }
        list.end()
    }
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Option<WireContent<'a>>,
    #[serde(flatten)]
    reasoning: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireContent<'a> {
    /// One text: some servers take no list of parts, and some put line breaks between them.
    Text(Cow<'a, str>),
    /// Texts and images; only where there is an image, or where several things are said, which are not to run together.
    Parts(Vec<WirePart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WirePart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: WireImage<'a> },
}

#[derive(Serialize)]
struct WireImage<'a> {
    url: Url<'a>,
}

/// The address of an image, written without a copy of its data.
struct Url<'a>(&'a Image);

impl Serialize for Url<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.source() {
            ImageSource::Data { media_type, base64 } => {
                serializer.collect_str(&format_args!("data:{media_type};base64,{base64}"))
            }
            ImageSource::Url(url) => serializer.serialize_str(url),
        }
    }
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WireFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

/// The messages of one message of ours: one, or one for each result of a call.
fn parts<'a>(message: &'a Message, asked: &Asked<'a>, chat: &ChatCompletions) -> Vec<WireMessage<'a>> {
    let role = match (message.role(), chat.developer_role) {
        (Role::Developer, DeveloperRole::System) => Role::System,
        (role, _) => role,
    };
    let mut results = Vec::new();
    let mut said: Vec<WirePart<'_>> = Vec::new();
    let mut tool_calls = Vec::new();
    let mut reasoning = Map::new();
    for piece in pieces(message, asked) {
        match piece {
            Piece::Text { text, .. } => said.push(WirePart::Text { text }),
            Piece::Image(image) => said.push(WirePart::ImageUrl { image_url: WireImage { url: Url(image) } }),
            Piece::Call { id, name, arguments, mut with } => {
                let function = WireFunction { name, arguments };
                let extra_content = with.remove(OF_CALL).filter(|_| !chat.drops_reasoning);
                tool_calls.push(WireCall { id, r#type: "function", function, extra_content });
            }
            Piece::Result { call, text, .. } => results.push(WireMessage {
                role: Role::Tool.as_str(),
                content: Some(WireContent::Text(text)),
                reasoning: Map::new(),
                tool_calls: Vec::new(),
                tool_call_id: Some(call),
            }),
            Piece::Opaque(_) if chat.drops_reasoning => {}
            Piece::Opaque(state) => reasoning.extend(of_message(state)),
        }
    }
    if !said.is_empty() || !tool_calls.is_empty() || results.is_empty() {
        let content = content(said, !tool_calls.is_empty());
        let role = role.as_str();
        results.insert(0, WireMessage { role, content, reasoning, tool_calls, tool_call_id: None });
    }
    results
}

/// What is said, as one text where there are only texts; calls need none beside them.
fn content(mut said: Vec<WirePart<'_>>, beside_calls: bool) -> Option<WireContent<'_>> {
    match (said.pop(), said.is_empty()) {
        (None, _) => (!beside_calls).then_some(WireContent::Text(Cow::Borrowed(""))),
        (Some(WirePart::Text { text }), true) => Some(WireContent::Text(text)),
        (Some(last), _) => {
            said.push(last);
            Some(WireContent::Parts(said))
        }
    }
}
