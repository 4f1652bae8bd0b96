//! Roles, blocks and messages.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Image, ProviderState};

/// The role in which somebody speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The operator of the model, above everybody else.
    System,
    /// The developer of the application.
    Developer,
    /// The person, or the runtime speaking in the person's place.
    User,
    /// The model.
    Assistant,
    /// The result of a native tool call; no fragment may have this role.
    Tool,
}

impl Role {
    /// Returns the role's name as providers spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The id of a recorded item of a session; never reused, never a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemId(pub(crate) u64);

impl fmt::Display for ItemId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "item {}", self.0)
    }
}

/// The origin of a block: the recorded item, its kind, and the tool it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Origin {
    item: ItemId,
    kind: Cow<'static, str>,
    tool: Option<Arc<str>>,
}

impl Origin {
    pub(crate) fn of(item: ItemId, kind: Cow<'static, str>, tool: Option<Arc<str>>) -> Self {
        Self { item, kind, tool }
    }

    /// Returns the id of the recorded item.
    #[must_use]
    pub fn item(&self) -> ItemId {
        self.item
    }

    /// Returns the kind and the tool, under which the size of the block is counted.
    pub(super) fn share(&self) -> (Cow<'static, str>, Option<Arc<str>>) {
        (self.kind.clone(), self.tool.clone())
    }

    /// Returns the kind: a fragment's kind, or a built-in one such as `polyloop.observation`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the name of the tool whose call or observation this is.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }
}

/// The content of a block: a text, an image, a call, the result of a call, or what a provider adds to its own reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Plain text.
    Text {
        /// The text, as the model gets it.
        text: Arc<str>,
    },
    /// A native tool call of the model.
    ToolCall {
        /// The library's own id of the call.
        id: Arc<str>,
        /// The tool's name.
        name: Arc<str>,
        /// The arguments as the model sent them, as text.
        arguments: Arc<str>,
    },
    /// The result of a native tool call.
    ToolResult {
        /// The id of the call that this answers.
        call: Arc<str>,
        /// The observation, one text a block.
        parts: Arc<[Arc<str>]>,
    },
    /// An image of a person.
    Image {
        /// The image, with its measure.
        image: Image,
    },
    /// What only the provider of a reply can read of it; it stands before the rest of the reply.
    ProviderState {
        /// The state, with the provider to which it goes back.
        state: ProviderState,
    },
}

impl Content {
    /// Measures the content in characters (Unicode scalar values): texts, tool names and arguments, and the data of a
    /// provider; not ids. An image counts as many as its host states. There is no content without a measure.
    fn chars(&self) -> usize {
        match self {
            Self::Text { text } => text.chars().count(),
            Self::ToolCall { name, arguments, .. } => name.chars().count() + arguments.chars().count(),
            Self::ToolResult { parts, .. } => parts.iter().map(|part| part.chars().count()).sum(),
            Self::Image { image } => image.chars(),
            Self::ProviderState { state } => state.data().chars().count(),
        }
    }
}

impl Content {
    /// Measures the content in bytes, as a request carries it; the escapes of JSON are not counted.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text { text } => text.len(),
            Self::ToolCall { name, arguments, .. } => name.len() + arguments.len(),
            Self::ToolResult { parts, .. } => parts.iter().map(|part| part.len()).sum(),
            Self::Image { image } => image.bytes(),
            Self::ProviderState { state } => state.data().len(),
        }
    }
}

/// One part of a message, with its origin and its size.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Block {
    content: Content,
    origin: Origin,
    chars: usize,
}

impl Block {
    pub(crate) fn of(content: Content, origin: Origin) -> Self {
        let chars = content.chars();
        Self { content, origin, chars }
    }

    /// Returns what the block says.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Returns the plain text, if the block is text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text { text } => Some(text),
            _ => None,
        }
    }

    /// Returns where the block comes from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the size in characters.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.chars
    }
}

/// One message of a prompt. Cloning shares the content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Message {
    role: Role,
    blocks: Arc<[Block]>,
}

impl Message {
    pub(crate) fn of(role: Role, blocks: impl Into<Arc<[Block]>>) -> Self {
        Self { role, blocks: blocks.into() }
    }

    /// Returns who speaks.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the blocks, in order.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Whether a model is told the same by both, byte for byte, whichever items say it. `==` compares the items too.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.role == other.role
            && self.blocks.iter().map(Block::content).eq(other.blocks.iter().map(Block::content))
    }

    /// Returns the size in characters: the sum over the blocks.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.blocks.iter().map(Block::chars).sum()
    }

    /// Returns the texts of all text blocks and tool results, one after another, with nothing between them. Tool calls,
    /// images and what only a provider can read are left out; a client for a provider reads [`blocks`](Self::blocks).
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for block in &*self.blocks {
            match block.content() {
                Content::Text { text: part } => text.push_str(part),
                Content::ToolResult { parts, .. } => parts.iter().for_each(|part| text.push_str(part)),
                Content::ToolCall { .. } | Content::Image { .. } | Content::ProviderState { .. } => {}
            }
        }
        text
    }
}
