//! The body of a request: a pure function of the options and the prompt.
//!
//! Names and shapes are those of the API reference of OpenAI, chat completions, *create*. The members stand in a
//! fixed order with the messages last, so that a longer prompt's body begins with the shorter one's.

use std::borrow::Cow;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::message::{Content, Image, ImageSource, Message, Prompt, Role, ToolDefinition};

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

/// What stands in every body of a client.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) model: String,
    pub(super) developer_role: DeveloperRole,
    pub(super) temperature: Option<f64>,
    pub(super) seed: Option<i64>,
    pub(super) max_tokens: Option<u32>,
    pub(super) max_completion_tokens: Option<u32>,
    pub(super) parallel_tool_calls: Option<bool>,
    pub(super) response_format: Option<ResponseFormat>,
    pub(super) stream: bool,
    /// Members of the user's own, in the order given.
    pub(super) parameters: Vec<(String, Value)>,
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

impl Header {
    /// The bytes of the body.
    pub(super) fn body(&self, prompt: &Prompt) -> Vec<u8> {
        // Texts, numbers and JSON that was read: there is nothing in it that cannot be written.
        serde_json::to_vec(&Body { header: self, prompt }).unwrap_or_default()
    }

    /// Everything that decides over a body beside the prompt and the model's name, as JSON text.
    pub(super) fn parameters(&self) -> String {
        serde_json::to_string(&Parameters(self)).unwrap_or_default()
    }

    /// The members that do not depend on the prompt.
    fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if let Some(temperature) = self.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if let Some(seed) = self.seed {
            map.serialize_entry("seed", &seed)?;
        }
        if let Some(most) = self.max_tokens {
            map.serialize_entry("max_tokens", &most)?;
        }
        if let Some(most) = self.max_completion_tokens {
            map.serialize_entry("max_completion_tokens", &most)?;
        }
        if let Some(format) = &self.response_format {
            map.serialize_entry("response_format", format)?;
        }
        if self.stream {
            map.serialize_entry("stream", &true)?;
            map.serialize_entry("stream_options", &StreamOptions { include_usage: true })?;
        }
        for (name, value) in &self.parameters {
            map.serialize_entry(name, value)?;
        }
        Ok(())
    }
}

struct Parameters<'a>(&'a Header);

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.members(&mut map)?;
        if let Some(parallel) = self.0.parallel_tool_calls {
            map.serialize_entry("parallel_tool_calls", &parallel)?;
        }
        if self.0.developer_role != DeveloperRole::default() {
            map.serialize_entry("developer_role", Role::Developer.as_str())?;
        }
        map.end()
    }
}

struct Body<'a> {
    header: &'a Header,
    prompt: &'a Prompt,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { header, prompt } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &header.model)?;
        header.members(&mut map)?;
        // Servers refuse an empty list of tools, and the switch without tools.
        if !prompt.tools().is_empty() {
            map.serialize_entry("tools", &Tools(prompt.tools()))?;
            if let Some(parallel) = header.parallel_tool_calls {
                map.serialize_entry("parallel_tool_calls", &parallel)?;
            }
        }
        map.serialize_entry("messages", &Messages { prompt, developer_role: header.developer_role })?;
        map.end()
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

struct Tools<'a>(&'a [ToolDefinition]);

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Tool<'a> {
            r#type: &'static str,
            function: &'a ToolDefinition,
        }
        serializer.collect_seq(self.0.iter().map(|function| Tool { r#type: "function", function }))
    }
}

struct Messages<'a> {
    prompt: &'a Prompt,
    developer_role: DeveloperRole,
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for message in self.prompt.messages() {
            for part in parts(message, self.developer_role) {
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
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}

/// The messages of one message of ours: one, or one for each result of a call.
fn parts(message: &Message, developer_role: DeveloperRole) -> Vec<WireMessage<'_>> {
    let role = match (message.role(), developer_role) {
        (Role::Developer, DeveloperRole::System) => Role::System,
        (role, _) => role,
    };
    let mut results = Vec::new();
    let mut said: Vec<WirePart<'_>> = Vec::new();
    let mut tool_calls = Vec::new();
    let mut item = None;
    for block in message.blocks() {
        let goes_on = item.replace(block.origin().item()) == Some(block.origin().item());
        match block.content() {
            Content::Text { text } => match said.last_mut() {
                Some(WirePart::Text { text: before }) if goes_on => *before += &**text,
                _ => said.push(WirePart::Text { text: Cow::Borrowed(text) }),
            },
            Content::Image { image } => {
                said.push(WirePart::ImageUrl { image_url: WireImage { url: Url(image) } });
            }
            Content::ToolCall { id, name, arguments } => {
                let function = WireFunction { name, arguments: wire_arguments(arguments) };
                tool_calls.push(WireCall { id, r#type: "function", function });
            }
            Content::ToolResult { call, parts } => results.push(WireMessage {
                role: Role::Tool.as_str(),
                content: Some(WireContent::Text(joined(parts.iter().map(|part| &**part)))),
                tool_calls: Vec::new(),
                tool_call_id: Some(call),
            }),
        }
    }
    if !said.is_empty() || !tool_calls.is_empty() || results.is_empty() {
        let content = content(said, !tool_calls.is_empty());
        results.insert(0, WireMessage { role: role.as_str(), content, tool_calls, tool_call_id: None });
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

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> Cow<'a, str> {
    let mut joined = Cow::Borrowed("");
    for text in texts {
        joined += text;
    }
    joined
}

/// The member that holds arguments which are no JSON object.
const UNREADABLE: &str = "unreadable_arguments";

/// What is sent of a call's arguments.
///
/// Several servers read the arguments of old calls, and refuse the whole request where they are no JSON object. A
/// model that once wrote something else would end its run so. Such a text is sent inside an object, and can be read
/// back from it; no arguments at all are an empty object.
fn wire_arguments(arguments: &str) -> Cow<'_, str> {
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    match serde_json::from_str::<Value>(arguments) {
        // An object that looks like a wrapped text is wrapped as well, so that reading back is never wrong.
        Ok(Value::Object(members)) if !(members.len() == 1 && members.contains_key(UNREADABLE)) => {
            Cow::Borrowed(arguments)
        }
        _ => Cow::Owned(serde_json::json!({ UNREADABLE: arguments }).to_string()),
    }
}

/// What a model wrote as arguments, of what was sent of them.
pub(super) fn original_arguments(sent: &str) -> Result<String, serde_json::Error> {
    let mut members: serde_json::Map<String, Value> = serde_json::from_str(sent)?;
    match members.remove(UNREADABLE) {
        Some(Value::String(text)) if members.is_empty() => Ok(text),
        _ => Ok(sent.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::wire_arguments;

    #[test]
    fn arguments_are_sent_as_they_are_or_inside_an_object() {
        for same in ["{}", r#"{ "a" : 1 }"#, r#"{"a":1,"a":2}"#, r#"{"unreadable_arguments":1,"b":2}"#] {
            assert_eq!(wire_arguments(same), same);
        }
        assert_eq!(wire_arguments(" "), "{}");
        for (text, sent) in [
            (r#"{"a":"#, r#"{"unreadable_arguments":"{\"a\":"}"#),
            ("[1]", r#"{"unreadable_arguments":"[1]"}"#),
            (r#"{"unreadable_arguments":1}"#, r#"{"unreadable_arguments":"{\"unreadable_arguments\":1}"}"#),
        ] {
            assert_eq!(wire_arguments(text), sent);
        }
    }
}
