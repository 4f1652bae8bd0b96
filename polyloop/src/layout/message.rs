//! From items to messages.

use super::Frame;
use crate::event::InputPart;
use crate::fragment::Slot;
use crate::ledger::{Item, ItemContent};
use crate::message::{Block, Content, Message, Prompt, Role};

/// Adds the message of a group of items: one, unless they speak in different roles or one must stand alone.
pub(super) fn push_message<'i>(
    prompt: &mut Prompt,
    group: &[&'i Item],
    observation: &Frame,
    role: impl Fn(&Item) -> Role,
) {
    let may_share = |one: &&'i Item, other: &&'i Item| role(one) == role(other) && may_share(one, other);
    for sharing in group.chunk_by(may_share) {
        if let [first, ..] = sharing {
            let blocks: Vec<Block> = sharing.iter().flat_map(|item| blocks(item, observation)).collect();
            let message = Message::of(role(first), blocks);
            if sharing.iter().all(|item| item.fragment().is_some_and(|spec| spec.slot == Slot::Run)) {
                prompt.push_of_run(message);
            } else {
                prompt.push(message);
            }
        }
    }
}

/// Whether two items may share a message.
fn may_share(one: &Item, other: &Item) -> bool {
    let may_share = |item: &Item| match item.content() {
        ItemContent::Fragment(fragment) => !fragment.spec.standalone,
        ItemContent::Input { .. } => true,
        _ => false,
    };
    match (one.imported_in(), other.imported_in()) {
        (None, None) => may_share(one) && may_share(other),
        // What shared one where it was recorded shares it here, and nothing else does; nothing stands behind a call.
        (first, same) => first == same && !has_calls(one.content()) && one.role() != Role::Tool,
    }
}

fn has_calls(content: &ItemContent) -> bool {
    matches!(content, ItemContent::Reply { calls, .. } if !calls.is_empty())
}

/// What an item says, block by block.
fn blocks(item: &Item, observation: &Frame) -> Vec<Block> {
    let block = |text| Block::of(Content::Text { text }, item.origin(None));
    match item.content() {
        ItemContent::Fragment(fragment) => vec![block(fragment.rendered.text().into())],
        ItemContent::Input { input, .. } => {
            let content = |part: &InputPart| match part {
                InputPart::Text(text) => Content::Text { text: text.clone() },
                InputPart::Image(image) => Content::Image { image: image.clone() },
            };
            input.said().map(|part| Block::of(content(part), item.origin(None))).collect()
        }
        ItemContent::Reply { text, calls, native, state } => {
            let state = state.iter().cloned().map(|state| Content::ProviderState { state });
            let state = state.map(|content| Block::of(content, item.origin(None)));
            let text_block = block(text.clone());
            if !native || calls.is_empty() {
                return state.chain([text_block]).collect();
            }
            let calls = calls.iter().map(|call| {
                let content = Content::ToolCall {
                    id: call.id().text(),
                    name: call.action().label().into(),
                    arguments: call.action().payload().into(),
                };
                Block::of(content, item.origin(Some(&call.action().label().into())))
            });
            state.chain((!text.trim().is_empty()).then_some(text_block)).chain(calls).collect()
        }
        ItemContent::Observation { call, tool, native: true, parts, .. } => {
            let content = Content::ToolResult { call: call.text(), parts: parts.clone() };
            vec![Block::of(content, item.origin(Some(tool)))]
        }
        ItemContent::Observation { tool, native: false, parts, .. } => {
            let blocks = observation.fill_parts(parts).into_iter();
            blocks.map(|text| Block::of(Content::Text { text }, item.origin(Some(tool)))).collect()
        }
        ItemContent::Explanation { text }
        | ItemContent::Synthetic { reply: false, text }
        | ItemContent::Cancelled { text } => {
            vec![block(observation.fill(text).into())]
        }
        ItemContent::Synthetic { reply: true, text }
        | ItemContent::Summary { text, .. }
        | ItemContent::Imported { text, .. }
        | ItemContent::Instruction { text } => vec![block(text.clone())],
    }
}

/// Adds what a model is asked for a summary, behind everything else.
pub(crate) fn push_instruction(prompt: &mut Prompt, instruction: &Item, observation: &Frame) {
    push_message(prompt, &[instruction], observation, Item::role);
}
