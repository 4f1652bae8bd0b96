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
                Content::Text { .. } | Content::Image { .. } | Content::ProviderState { .. } => {}
            }
        }
    }
    if open.is_empty() { Ok(()) } else { refuse(prompt.messages().len(), "has a call that nothing answers") }
}

fn is_empty(message: &Message) -> bool {
    message.blocks().iter().all(|block| match block.content() {
        Content::Text { text } => text.trim().is_empty(),
        Content::ToolResult { parts, .. } => parts.iter().all(|part| part.trim().is_empty()),
        Content::ProviderState { .. } => true,
        Content::ToolCall { .. } | Content::Image { .. } => false,
    })
}

fn refuse(number: usize, what: &str) -> Result<(), ModelError> {
    Err(ModelError::new(ModelErrorClass::BadRequest, format!("message {number} {what}")))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::message::{Block, Content, ItemId, Message, Origin, Prompt, Role};

    fn message(role: Role, contents: impl IntoIterator<Item = Content>) -> Message {
        let origin = || Origin::of(ItemId(1), "test".into(), None);
        Message::of(
            role,
            contents.into_iter().map(|content| Block::of(content, origin())).collect::<Vec<_>>(),
        )
    }

    fn text(text: &str) -> Message {
        message(Role::User, [Content::Text { text: text.into() }])
    }

    fn calls<const N: usize>(ids: [&str; N]) -> Message {
        let call = |id: &str| Content::ToolCall { id: id.into(), name: "a".into(), arguments: "".into() };
        message(Role::Assistant, ids.map(call))
    }

    fn result(id: &str, part: &str) -> Message {
        message(Role::Tool, [Content::ToolResult { call: id.into(), parts: [part.into()].into() }])
    }

    fn refusal<const N: usize>(messages: [Message; N]) -> Option<String> {
        let mut prompt = Prompt::empty();
        for message in messages {
            prompt.push(message);
        }
        check(&prompt).err().map(|error| error.message().to_owned())
    }

    #[test]
    fn what_a_strict_provider_refuses_is_refused() {
        let refused = |messages| refusal::<3>(messages).unwrap_or_default();
        assert_eq!(refused([text("a"), text(" "), text("b")]), "message 2 is empty");
        assert_eq!(refused([text("a"), message(Role::User, []), text("b")]), "message 2 is empty");
        assert_eq!(refused([text("a"), calls(["1"]), result("1", " ")]), "message 3 is empty");
        assert_eq!(
            refused([text("a"), calls(["1"]), text("b")]),
            "message 3 stands before the results of the calls in front of it"
        );
        assert_eq!(
            refused([text("a"), calls(["1", "2"]), result("1", "b")]),
            "message 3 has a call that nothing answers"
        );
        let no_call = "is the result of no call in front of it";
        assert_eq!(refused([text("a"), text("b"), result("1", "c")]), format!("message 3 {no_call}"));
        assert_eq!(
            refused([calls(["1"]), result("1", "a"), result("1", "b")]),
            format!("message 3 {no_call}")
        );
        let twice = "has a call with an id that another call has";
        assert_eq!(refused([calls(["1"]), result("1", "a"), calls(["1"])]), format!("message 3 {twice}"));
        assert_eq!(refused([text("a"), calls(["1", "1"]), result("1", "b")]), format!("message 2 {twice}"));
    }

    #[test]
    fn what_is_right_is_taken() {
        let right = [text("a"), calls(["1", "2"]), result("2", "b"), result("1", "c"), text("d")];
        assert_eq!(refusal(right), None);
        assert_eq!(refusal([]), None);
    }
}
