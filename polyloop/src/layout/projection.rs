//! The projection of a ledger, carried along: a step costs what it adds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Layout, Template};
use crate::ledger::{Item, ItemContent, Ledger};
use crate::message::{Block, Content, Message, Origin, Prompt, Role};

/// A prompt, and how many of the ledger's items it holds.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    prompt: Prompt,
    /// How many items of the part behind the first seal it holds; `None` before the first part is final.
    projected: Option<usize>,
}

impl Projection {
    pub(crate) fn new() -> Self {
        Self { prompt: Prompt::empty(), projected: None }
    }

    /// Says that the prompt as it was projected last is sealed: its part before the first seal stays, whatever the
    /// layout would say of it now.
    pub(crate) fn seal(&mut self) {
        self.projected.get_or_insert(0);
    }

    /// Projects the ledger. What was projected before stays as it is, and is shared.
    pub(crate) fn project(&mut self, ledger: &Ledger, layout: &dyn Layout, observation: &Template) -> Prompt {
        let (head, tail) = ledger.split();
        if self.projected.is_none() {
            self.prompt = Prompt::empty();
            for item in ordered(head, layout) {
                self.prompt.push(message(item, observation));
            }
            self.projected = ledger.is_sealed().then_some(0);
        }
        if let Some(projected) = &mut self.projected {
            for item in tail.iter().skip(*projected) {
                self.prompt.push(message(item, observation));
            }
            *projected = tail.len();
        }
        self.prompt.clone()
    }
}

/// The items in the layout's order; what it left out stands at the end.
fn ordered<'i>(items: &'i [Item], layout: &dyn Layout) -> Vec<&'i Item> {
    let mut by_id: BTreeMap<_, _> = items.iter().map(|item| (item.id(), item)).collect();
    let mut order: Vec<&Item> = layout.order(items).iter().filter_map(|id| by_id.remove(id)).collect();
    order.extend(by_id.into_values());
    order
}

/// The message of one item.
fn message(item: &Item, observation: &Template) -> Message {
    match item.content() {
        ItemContent::Fragment(fragment) => {
            text_message(fragment.spec.role, fragment.rendered.text().into(), item.origin(None))
        }
        ItemContent::Input { input, .. } => text_message(Role::User, input.text(), item.origin(None)),
        ItemContent::Reply { text, calls, native } => {
            let text_block = text_block(text.clone(), item.origin(None));
            if !native || calls.is_empty() {
                return Message::of(Role::Assistant, [text_block]);
            }
            let calls = calls.iter().map(|call| {
                let content = Content::ToolCall {
                    id: call.id().text(),
                    name: call.action().label().into(),
                    arguments: call.action().payload().into(),
                };
                Block::of(content, item.origin(Some(&call.action().label().into())))
            });
            let text_block = (!text.trim().is_empty()).then_some(text_block);
            Message::of(Role::Assistant, text_block.into_iter().chain(calls).collect::<Vec<_>>())
        }
        ItemContent::Observation { call, tool, native: true, parts } => {
            let content = Content::ToolResult { call: call.text(), parts: parts.clone() };
            Message::of(Role::Tool, [Block::of(content, item.origin(Some(tool)))])
        }
        ItemContent::Observation { tool, native: false, parts, .. } => {
            let blocks = observation.fill_parts(parts).into_iter();
            Message::of(
                Role::User,
                blocks.map(|part| text_block(part, item.origin(Some(tool)))).collect::<Vec<_>>(),
            )
        }
        ItemContent::Synthetic { reply: true, text } => {
            text_message(Role::Assistant, text.clone(), item.origin(None))
        }
        ItemContent::Explanation { text } | ItemContent::Synthetic { reply: false, text } => {
            text_message(Role::User, observation.fill(text).into(), item.origin(None))
        }
    }
}

fn text_message(role: Role, text: Arc<str>, origin: Origin) -> Message {
    Message::of(role, [text_block(text, origin)])
}

fn text_block(text: Arc<str>, origin: Origin) -> Block {
    Block::of(Content::Text { text }, origin)
}
