//! The hash of a list of messages, carried along: a further message costs its own bytes.

use super::{Content, ImageSource, Message, Prompt};

/// Bytes of small parts that are hashed at once: each time costs more than to put them together.
const GATHERED: usize = 512;

/// The hash over what a model sees of all messages so far: who speaks, and what; not where it comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningHash {
    hasher: blake3::Hasher,
    messages: usize,
}

impl RunningHash {
    /// Takes the messages of a prompt that are new, and returns the hash over all, as hexadecimal digits.
    pub(crate) fn extend(&mut self, prompt: &Prompt) -> String {
        let mut small = Vec::with_capacity(GATHERED);
        for message in prompt.messages_from(self.messages) {
            each_part(message, |part| {
                // With its length in front, so that no two messages run together to the same bytes.
                small.extend_from_slice(&(part.len() as u64).to_le_bytes());
                if small.len() + part.len() <= GATHERED {
                    small.extend_from_slice(part.as_bytes());
                } else {
                    self.hasher.update(&small);
                    self.hasher.update(part.as_bytes());
                    small.clear();
                }
            });
        }
        self.hasher.update(&small);
        self.messages = prompt.messages().len();
        self.hasher.finalize().to_hex().to_string()
    }
}

/// Where two prompts differ first: the message, counted from 1, and the byte of what the model sees of it, from 0.
pub(crate) fn first_difference(one: &Prompt, other: &Prompt) -> Option<(usize, usize)> {
    let bytes = |message: Option<&Message>| {
        let mut bytes = Vec::new();
        if let Some(message) = message {
            each_part(message, |part| {
                bytes.extend_from_slice(part.as_bytes());
                bytes.push(0);
            });
        }
        bytes
    };
    (0..one.messages().len().max(other.messages().len())).find_map(|at| {
        let (left, right) = (bytes(one.message(at)), bytes(other.message(at)));
        let same = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
        (left != right).then_some((at + 1, same))
    })
}

/// What a model sees of a message, part by part.
fn each_part(message: &Message, mut take: impl FnMut(&str)) {
    take(message.role().as_str());
    for block in message.blocks() {
        match block.content() {
            Content::Text { text } => {
                take("text");
                take(text);
            }
            Content::ToolCall { id, name, arguments } => {
                take("call");
                take(id);
                take(name);
                take(arguments);
            }
            Content::ToolResult { call, parts } => {
                take("result");
                take(call);
                parts.iter().for_each(|part| take(part));
            }
            Content::Image { image } => match image.source() {
                ImageSource::Data { media_type, base64 } => {
                    take("image");
                    take(media_type);
                    take(base64);
                }
                ImageSource::Url(url) => {
                    take("image at");
                    take(url);
                }
            },
            Content::ProviderState { state } => {
                take("state of");
                take(state.provider());
                take(state.data());
            }
        }
    }
    take("end");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::RunningHash;
    use crate::message::{Block, Content, Image, ItemId, Message, Origin, Prompt, Role};

    fn hash(image: Image) -> String {
        let origin = Origin::of(ItemId(1), "test".into(), None);
        let mut prompt = Prompt::empty();
        prompt.push(Message::of(Role::User, [Block::of(Content::Image { image }, origin)]));
        RunningHash::default().extend(&prompt)
    }

    #[test]
    fn of_an_image_everything_counts_that_a_model_sees() {
        let image = |made: Result<Image, _>| made.unwrap_or_else(|error| unreachable!("{error}"));
        let images = [
            Image::new("image/png", "abc", 1),
            Image::new("image/gif", "abc", 1),
            Image::new("image/png", "abd", 1),
            Image::url("https://example.org/a", 1),
            Image::url("https://example.org/b", 1),
        ];
        let hashes: BTreeSet<String> = images.into_iter().map(|made| hash(image(made))).collect();
        assert_eq!(hashes.len(), 5);
        assert!(hashes.contains(&hash(image(Image::new("image/png", "abc", 2)))), "a measure is not seen");
    }
}
