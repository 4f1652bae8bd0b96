//! What a strict provider refuses.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::{ModelError, ModelErrorClass};
use crate::message::{Content, Message, Prompt, Role};

/// Checks a request: nothing empty, every call answered directly behind it and once, no result without a call.
pub(super) fn check(prompt: &Prompt) -> Result<(), ModelError> {
    let mut seen: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut open: Vec<Arc<str>> = Vec::new();
    for (number, message) in (1..).zip(prompt.messages()) {
        if is_empty(message) {
            return refuse(number, "is empty");
        }
        if message.role() != Role::Tool && !open.is_empty() {
            return refuse(number, "stands before the results of the calls in front of it");
        }
        for block in message.blocks() {
            match block.content() {
                Content::ToolCall { id, .. } if !seen.insert(id.clone()) => {
                    return refuse(number, "has a call with an id that another call has");
                }
                Content::ToolCall { id, .. } => open.push(id.clone()),
                Content::ToolResult { call, .. } => {
                    let Some(position) = open.iter().position(|id| id == call) else {
                        return refuse(number, "is the result of no call in front of it");
                    };
                    open.remove(position);
                }
                Content::Text { .. } => {}
            }
        }
    }
    if open.is_empty() { Ok(()) } else { refuse(prompt.messages().len(), "has a call that nothing answers") }
}

fn is_empty(message: &Message) -> bool {
    message.blocks().iter().all(|block| match block.content() {
        Content::Text { text } => text.trim().is_empty(),
        Content::ToolResult { parts, .. } => parts.iter().all(|part| part.trim().is_empty()),
        Content::ToolCall { .. } => false,
    })
}

fn refuse(number: usize, what: &str) -> Result<(), ModelError> {
    Err(ModelError::new(ModelErrorClass::BadRequest, format!("message {number} {what}")))
}
