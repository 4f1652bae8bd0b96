//! Reads a body back.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::event::ReplyCall;
use crate::provider::{ProviderError, original_arguments};

/// What the body of a request says, read back from its bytes: see [`OpenAi::decode`](crate::OpenAi::decode).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatBody {
    /// The model's name.
    pub model: String,
    /// Every member beside the model's name, tools and messages, in its order.
    pub parameters: Map<String, Value>,
    /// The native tools.
    pub tools: Vec<ChatTool>,
    /// The messages.
    pub messages: Vec<ChatMessage>,
}

/// A native tool of a [`ChatBody`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChatTool {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The JSON Schema of its parameters, as the text that was sent.
    pub parameters: String,
}

/// A message of a [`ChatBody`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChatMessage {
    /// The role under which it was sent.
    pub role: String,
    /// The text, that of all parts together; empty beside calls or images alone.
    pub text: String,
    /// The texts and images in their order, where there are several or there is an image; else empty.
    pub parts: Vec<ChatPart>,
    /// The calls, with their arguments as the model wrote them; `{}` where it wrote none. A tool that there is not has the
    /// name that was sent.
    pub calls: Vec<ReplyCall>,
    /// The reasoning that goes back to the provider: `reasoning_content`, `reasoning`, `reasoning_details`.
    pub reasoning: Map<String, Value>,
    /// The `extra_content` of each call that has one, by the call's place.
    pub call_extras: Vec<(usize, Value)>,
    /// The id of the call that it answers.
    pub answers: Option<String>,
}

/// A part of a [`ChatMessage`] with images.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChatPart {
    /// A text.
    Text(String),
    /// The address of an image, or its data as one.
    Image(String),
}

#[derive(Deserialize)]
struct Body<'a> {
    model: String,
    #[serde(default, borrow)]
    tools: Vec<Typed<Tool<'a>>>,
    messages: Vec<WireMessage>,
}

/// What is always a function.
#[derive(Deserialize)]
struct Typed<T> {
    #[serde(default)]
    id: String,
    r#type: Function,
    function: T,
    #[serde(default)]
    extra_content: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Function {
    Function,
}

#[derive(Deserialize)]
struct Tool<'a> {
    name: String,
    description: String,
    #[serde(borrow)]
    parameters: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMessage {
    role: String,
    content: Option<WireContent>,
    #[serde(default)]
    tool_calls: Vec<Typed<Call>>,
    tool_call_id: Option<String>,
    reasoning_content: Option<Value>,
    reasoning: Option<Value>,
    reasoning_details: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WireContent {
    Text(String),
    Parts(Vec<WirePart>),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum WirePart {
    Text { text: String },
    ImageUrl { image_url: WireImage },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireImage {
    url: String,
}

#[derive(Deserialize)]
struct Call {
    name: String,
    arguments: String,
}

/// Reads what [`body`](super::request::body) wrote.
pub(super) fn decode(body: &[u8]) -> Result<ChatBody, ProviderError> {
    let refuse = |error: serde_json::Error| ProviderError::Body { reason: error.to_string() };
    let Body { model, tools, messages } = serde_json::from_slice(body).map_err(refuse)?;
    let mut parameters: Map<String, Value> = serde_json::from_slice(body).map_err(refuse)?;
    parameters.retain(|name, _| !["model", "tools", "messages"].contains(&name.as_str()));
    let tool =
        |Typed { function: Tool { name, description, parameters }, r#type: Function::Function, .. }| {
            ChatTool { name, description, parameters: RawValue::get(parameters).to_owned() }
        };
    Ok(ChatBody {
        model,
        parameters,
        tools: tools.into_iter().map(tool).collect(),
        messages: messages.into_iter().map(message).collect::<Result<_, _>>()?,
    })
}

fn message(message: WireMessage) -> Result<ChatMessage, ProviderError> {
    let WireMessage { role, content, tool_calls, tool_call_id: answers, .. } = message;
    let reasoning = [
        ("reasoning_content", message.reasoning_content),
        ("reasoning", message.reasoning),
        ("reasoning_details", message.reasoning_details),
    ];
    let reasoning =
        reasoning.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    if content.is_none() && tool_calls.is_empty() {
        let reason = format!("a message of the role `{role}` has neither a content nor calls");
        return Err(ProviderError::Body { reason });
    }
    let extra = |(place, call): (usize, &Typed<Call>)| Some((place, call.extra_content.clone()?));
    let call_extras = tool_calls.iter().enumerate().filter_map(extra).collect();
    let call = |Typed { id, function: Call { name, arguments }, r#type: Function::Function, .. }| {
        let arguments = original_arguments(&arguments)
            .map_err(|error| ProviderError::Body { reason: format!("the arguments of `{name}`: {error}") })?;
        Ok(ReplyCall { id, name, arguments })
    };
    let calls = tool_calls.into_iter().map(call).collect::<Result<_, _>>()?;
    let (text, parts) = said(content);
    Ok(ChatMessage { role, text, parts, calls, reasoning, call_extras, answers })
}

/// The text, and the parts where there are any.
fn said(content: Option<WireContent>) -> (String, Vec<ChatPart>) {
    let parts = match content {
        None => return (String::new(), Vec::new()),
        Some(WireContent::Text(text)) => return (text, Vec::new()),
        Some(WireContent::Parts(parts)) => parts,
    };
    let mut texts = String::new();
    let part = |part| match part {
        WirePart::Text { text } => {
            texts.push_str(&text);
            ChatPart::Text(text)
        }
        WirePart::ImageUrl { image_url: WireImage { url } } => ChatPart::Image(url),
    };
    let parts = parts.into_iter().map(part).collect();
    (texts, parts)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn what_is_no_body_is_refused_with_what_is_wrong() {
        for (body, reason) in [
            ("", "EOF while parsing"),
            (r#"{"model":"m"}"#, "missing field `messages`"),
            (r#"{"messages":[]}"#, "missing field `model`"),
            (r#"{"model":"m","messages":[{"role":"user","content":null}]}"#, "neither a content nor calls"),
            (
                r#"{"model":"m","messages":[{"role":"user","content":"a","name":"b"}]}"#,
                "unknown field `name`",
            ),
            (
                r#"{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"["}}]}]}"#,
                "the arguments of `f`",
            ),
            (
                r#"{"model":"m","tools":[{"type":"other","function":{}}],"messages":[]}"#,
                "unknown variant `other`",
            ),
        ] {
            let error = decode(body.as_bytes()).map_err(|error| error.to_string());
            assert!(error.as_ref().is_err_and(|error| error.contains(reason)), "{body}: {error:?}");
        }
    }
}
