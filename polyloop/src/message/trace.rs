//! From a place in a message back to where it comes from.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use super::{Block, Content, Message, Origin};

/// A stretch of a message that comes from one recorded item.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Stretch {
    /// Where it is in [`Message::written`], in bytes.
    pub bytes: Range<usize>,
    /// Where it is there, in characters.
    pub chars: Range<usize>,
    /// The recorded item, its kind, and the tool that it belongs to.
    pub origin: Origin,
}

impl Message {
    /// Returns everything that counts for its [size](Self::chars), block by block, with nothing between: texts, the names and
    /// arguments of calls, results. Ids of calls are left out, and an image has no text.
    #[must_use]
    pub fn written(&self) -> String {
        self.blocks().iter().map(written).collect()
    }

    /// Tells where a range of [`written`](Self::written) comes from, in bytes: every character of it from exactly one item, in
    /// order and without a gap. A character that the range cuts is taken whole; what lies beyond the end is nothing.
    #[must_use]
    pub fn trace(&self, bytes: Range<usize>) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let (mut bytes_before, mut chars_before) = (0, 0);
        for block in self.blocks() {
            let text = written(block);
            let inside = |at: usize| at.saturating_sub(bytes_before).min(text.len());
            let start = text.floor_char_boundary(inside(bytes.start));
            let end = text.ceil_char_boundary(inside(bytes.end));
            if start < end {
                let chars_to = |at: usize| chars_before + text.get(..at).unwrap_or_default().chars().count();
                stretches.push(Stretch {
                    bytes: bytes_before + start..bytes_before + end,
                    chars: chars_to(start)..chars_to(end),
                    origin: block.origin().clone(),
                });
            }
            bytes_before += text.len();
            chars_before += text.chars().count();
        }
        stretches
    }

    /// Tells where a range of [`written`](Self::written) comes from, in characters; as [`trace`](Self::trace).
    #[must_use]
    pub fn trace_chars(&self, chars: Range<usize>) -> Vec<Stretch> {
        let written = self.written();
        let byte = |chars| written.char_indices().nth(chars).map_or(written.len(), |(at, _)| at);
        self.trace(byte(chars.start)..byte(chars.end))
    }
}

/// Everything of a block that counts for its size.
fn written(block: &Block) -> Cow<'_, str> {
    match block.content() {
        Content::Text { text } => Cow::Borrowed(text),
        Content::ToolCall { name, arguments, .. } => [&**name, &**arguments].concat().into(),
        Content::ToolResult { parts, .. } => parts.concat().into(),
        Content::ProviderState { state } => Cow::Borrowed(state.data()),
        // What it counts for is a measure, and no text.
        Content::Image { .. } => Cow::Borrowed(""),
    }
}
