//! What a prompt says, in the words of a body that was read back.

use polyloop::{ChatMessage, ChatPart, Content, Message, OpenAi, Prompt, ReplyCall, Role};

/// The messages of a body.
pub(crate) fn messages(body: &[u8]) -> Vec<ChatMessage> {
    OpenAi::decode(body).unwrap().messages
}

/// What a prompt says.
pub(crate) fn prompt(prompt: &Prompt, developer: &str) -> Vec<ChatMessage> {
    prompt.messages().map(|message| said(message, developer)).collect()
}

/// The name of a tool as every provider takes it.
fn portable(name: &str) -> String {
    let is_taken = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let mut sent: String = name.chars().map(|letter| if is_taken(letter) { letter } else { '_' }).collect();
    if !sent.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        sent.insert(0, '_');
    }
    sent.truncate(64);
    sent
}

fn said(message: &Message, developer: &str) -> ChatMessage {
    let role = match message.role() {
        Role::Developer => developer,
        role => role.as_str(),
    };
    let mut said = ChatMessage { role: role.to_owned(), text: message.text(), ..ChatMessage::default() };
    let mut item = None;
    for block in message.blocks() {
        let goes_on = item.replace(block.origin().item()) == Some(block.origin().item());
        match block.content() {
            Content::ToolCall { id, name, arguments } => {
                // No arguments at all are an empty object.
                let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
                let [id, arguments] = [id, arguments].map(ToString::to_string);
                let name = portable(name);
                said.calls.push(ReplyCall { id, name, arguments });
            }
            Content::ToolResult { call, .. } => said.answers = Some(call.to_string()),
            Content::Image { image } => said.parts.push(ChatPart::Image(image.to_url().into_owned())),
            Content::Text { text } => match said.parts.last_mut() {
                // Texts of one item are sent as one.
                Some(ChatPart::Text(before)) if goes_on => before.push_str(text),
                _ => said.parts.push(ChatPart::Text(text.to_string())),
            },
            other => panic!("{other:?} is not known here"),
        }
    }
    if let [ChatPart::Text(_)] = said.parts[..] {
        said.parts.clear();
    }
    said
}
