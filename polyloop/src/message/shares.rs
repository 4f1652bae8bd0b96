//! The size of a prompt by kind and tool, kept up to date with each message.

use std::borrow::Cow;
use std::sync::Arc;

use rpds::RedBlackTreeMapSync;
use serde::Serialize;

use super::Block;

/// The part of a prompt that comes from one kind and tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Share {
    /// The kind of the items.
    pub kind: String,
    /// The tool that the items belong to, if any.
    pub tool: Option<String>,
    /// How many blocks.
    pub blocks: usize,
    /// How many characters.
    pub chars: usize,
}

type Key = (Cow<'static, str>, Option<Arc<str>>);

/// The shares of a prompt that is still growing. A clone is cheap, and leaves the original unchanged.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares(RedBlackTreeMapSync<Key, Count>);

#[derive(Clone, Copy, Debug)]
struct Count {
    /// How many kinds and tools appeared before.
    place: usize,
    blocks: usize,
    chars: usize,
}

impl Shares {
    pub(super) fn add(&mut self, block: &Block) {
        let key = block.origin().share();
        match self.0.get_mut(&key) {
            Some(count) => {
                count.blocks += 1;
                count.chars += block.chars();
            }
            None => self.0.insert_mut(key, Count { place: self.0.size(), blocks: 1, chars: block.chars() }),
        }
    }

    /// Returns the shares in the order of their first blocks.
    pub(super) fn list(&self) -> Vec<Share> {
        let mut counts: Vec<(&Key, &Count)> = self.0.iter().collect();
        counts.sort_unstable_by_key(|(_, count)| count.place);
        let share = |((kind, tool), count): (&Key, &Count)| Share {
            kind: kind.clone().into_owned(),
            tool: tool.as_deref().map(str::to_owned),
            blocks: count.blocks,
            chars: count.chars,
        };
        counts.into_iter().map(share).collect()
    }
}
