//! Reads a body back, from the API reference alone: roles, texts, calls, results and tools.

use polyloop::{Content, Message, Prompt, Role};
use serde_json::Value;

/// What a message says, whichever side it is read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) role: String,
    pub(crate) text: String,
    /// Id, name and arguments of each call.
    pub(crate) calls: Vec<(String, String, String)>,
    /// The call that is answered.
    pub(crate) answers: Option<String>,
}

/// What a body says: its messages, and the tools with their schemas.
pub(crate) fn body(bytes: &[u8]) -> (Vec<Said>, Vec<(String, String, Value)>) {
    let body: Value = serde_json::from_slice(bytes).unwrap();
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten().map(|tool| {
        assert_eq!(tool["type"], "function");
        let function = &tool["function"];
        (text(&function["name"]), text(&function["description"]), function["parameters"].clone())
    });
    (body["messages"].as_array().unwrap().iter().map(message).collect(), tools.collect())
}

fn message(message: &Value) -> Said {
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten().map(|call| {
        assert_eq!(call["type"], "function");
        let arguments = text(&call["function"]["arguments"]);
        (text(&call["id"]), text(&call["function"]["name"]), unwrapped(&arguments))
    });
    let calls: Vec<_> = calls.collect();
    // Nothing but a message of calls may lack a content.
    assert!(message["content"].is_string() || (message["content"].is_null() && !calls.is_empty()));
    Said {
        role: text(&message["role"]),
        text: message["content"].as_str().unwrap_or_default().to_owned(),
        calls,
        answers: message.get("tool_call_id").map(text),
    }
}

/// Arguments that were no JSON object stand inside one.
fn unwrapped(arguments: &str) -> String {
    let object: serde_json::Map<String, Value> = serde_json::from_str(arguments).expect("always an object");
    match object.get("unreadable_arguments") {
        Some(inner) if object.len() == 1 => text(inner),
        _ => arguments.to_owned(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// What a prompt says.
pub(crate) fn prompt(prompt: &Prompt) -> Vec<Said> {
    prompt.messages().map(said).collect()
}

fn said(message: &Message) -> Said {
    let mut said = Said { role: role(message.role()).to_owned(), text: message.text(), ..Said::default() };
    for block in message.blocks() {
        match block.content() {
            Content::ToolCall { id, name, arguments } => {
                // No arguments at all are an empty object.
                let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
                said.calls.push((id.to_string(), name.to_string(), arguments.to_owned()));
            }
            Content::ToolResult { call, .. } => said.answers = Some(call.to_string()),
            _ => {}
        }
    }
    said
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Developer => "system",
        role => role.as_str(),
    }
}
