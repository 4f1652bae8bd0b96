//! The sealed prompt.

use std::sync::Arc;

use rpds::VectorSync;
use serde::Serialize;
use serde_json::value::RawValue;

use super::shares::Shares;
use super::{ItemId, Message, RunningHash, Share};

/// A native tool, as the header of a request carries it.
#[derive(Clone, Debug, Serialize)]
pub struct ToolDefinition {
    name: Arc<str>,
    description: Arc<str>,
    parameters: Arc<RawValue>,
}

impl ToolDefinition {
    pub(crate) fn new(name: Arc<str>, description: Arc<str>, parameters: Arc<RawValue>) -> Self {
        Self { name, description, parameters }
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the tool's description.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the JSON Schema of the parameters in canonical form, as JSON text.
    #[must_use]
    pub fn parameters(&self) -> &str {
        self.parameters.get()
    }
}

/// What one request shows a model: messages and native tools.
///
/// Only a layout makes one, from what a session recorded. It is immutable; the next step's prompt shares the old
/// part, so that assembling it costs what is new.
#[derive(Clone, Debug)]
pub struct Prompt {
    messages: VectorSync<Message>,
    tools: Arc<[ToolDefinition]>,
    chars: usize,
    bytes: usize,
    /// How many messages at the front are the run part.
    run_part: usize,
    shares: Shares,
}

impl Prompt {
    pub(crate) fn empty() -> Self {
        Self {
            messages: VectorSync::new_sync(),
            tools: Arc::from([]),
            chars: 0,
            bytes: 0,
            run_part: 0,
            shares: Shares::default(),
        }
    }

    pub(crate) fn push(&mut self, message: Message) {
        self.chars += message.chars();
        message.blocks().iter().for_each(|block| self.shares.add(block));
        self.bytes += message.blocks().iter().map(|block| block.content().bytes()).sum::<usize>();
        self.messages.push_back_mut(message);
    }

    /// Adds a message of fragments that belong to the run as a whole.
    pub(crate) fn push_of_run(&mut self, message: Message) {
        if self.run_part == self.messages.len() {
            self.run_part += 1;
        }
        self.push(message);
    }

    /// How many characters it shares with an earlier one, and the first item that did not stand there; none where all of
    /// the earlier one stands here.
    pub(crate) fn shared_with(&self, earlier: &Self) -> (usize, Option<ItemId>) {
        let mut shared = 0;
        for (at, message) in earlier.messages().enumerate() {
            match self.message(at) {
                Some(same) if same.says_the_same(message) => shared += message.chars(),
                other => {
                    let there = other.map(Message::blocks).unwrap_or_default();
                    let both = there.iter().zip(message.blocks());
                    let same = both.take_while(|(now, before)| now.content() == before.content()).count();
                    let broken = there.get(same).or(message.blocks().get(same)).or(message.blocks().last());
                    return (shared, broken.map(|block| block.origin().item()));
                }
            }
        }
        (shared, None)
    }

    /// The item that it begins with.
    pub(crate) fn first_item(&self) -> Option<ItemId> {
        self.messages().flat_map(Message::blocks).next().map(|block| block.origin().item())
    }

    pub(crate) fn with_tools(mut self, tools: Arc<[ToolDefinition]>) -> Self {
        self.tools = tools;
        self
    }

    /// Returns the messages, in order.
    #[must_use]
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &Message> + DoubleEndedIterator {
        self.messages.iter()
    }

    /// The messages from a place on, without a walk over those before.
    pub(crate) fn messages_from(&self, from: usize) -> impl Iterator<Item = &Message> {
        (from..self.messages.len()).filter_map(|at| self.messages.get(at))
    }

    pub(crate) fn message(&self, at: usize) -> Option<&Message> {
        self.messages.get(at)
    }

    /// Returns how many messages at the front are made of fragments with `slot = run` alone: those that change least from
    /// run to run, so that a provider's cache may be shared up to there.
    #[must_use]
    pub fn run_part(&self) -> usize {
        self.run_part
    }

    /// Returns the native tools of the request's header; empty unless the interpreter reads native calls.
    #[must_use]
    pub fn tools(&self) -> &[ToolDefinition] {
        &self.tools
    }

    pub(crate) fn shared_tools(&self) -> &Arc<[ToolDefinition]> {
        &self.tools
    }

    /// Returns the size of all messages in characters; an image counts as many as its host states. The header is not
    /// counted.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// Returns the size of all messages in bytes: texts as UTF-8, images as base64. The body of a request is somewhat
    /// larger: it adds the header, the names of its fields and the escapes of JSON.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the hash over what a model sees of the messages, as hexadecimal digits (BLAKE3): who speaks, and what; not
    /// the items that say it, nor the tools. Two prompts have the same one only where their messages say the same, byte for
    /// byte. A journal holds it of each request, in `prompt.sealed`.
    #[must_use]
    pub fn messages_hash(&self) -> String {
        RunningHash::default().extend(self)
    }

    /// Tells what filled the prompt: one share for each kind and tool, in order of appearance. Their sum is
    /// [`Prompt::chars`], exactly.
    #[must_use]
    pub fn shares(&self) -> Vec<Share> {
        self.shares.list()
    }
}
