//! A person's own words: text and images, in their order.

use std::fmt;
use std::sync::Arc;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::message::Image;

/// Holds a person's own words: text, and images beside it. They are never reclassified, whatever they look like.
///
/// ```
/// use polyloop::{Image, UserInput};
///
/// let only_text = UserInput::from("What is this?");
/// let with_images = UserInput::from("What do these have in common?")
///     .image(Image::url("https://example.org/a.png", 3_200)?)
///     .image(Image::url("https://example.org/b.png", 3_200)?)
///     .text("Answer in one word.");
/// assert_eq!(with_images.parts().len(), 4);
/// assert_eq!(only_text.as_str(), "What is this?");
/// # Ok::<(), polyloop::ImageError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserInput {
    parts: Arc<[InputPart]>,
    /// The texts of all parts together.
    text: Arc<str>,
}

/// One part of a person's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InputPart {
    /// What was typed.
    Text(Arc<str>),
    /// An image.
    Image(Image),
}

impl UserInput {
    /// Makes an input without a part, to begin with.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text, as a part of its own.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.part(InputPart::Text(text.into().into()))
    }

    /// Adds an image.
    #[must_use]
    pub fn image(self, image: Image) -> Self {
        self.part(InputPart::Image(image))
    }

    /// Returns the text: that of all parts, one behind another with nothing between them. It is empty where there are
    /// only images.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the parts, in their order.
    #[must_use]
    pub fn parts(&self) -> &[InputPart] {
        &self.parts
    }

    /// Returns the images, in their order.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        self.parts.iter().filter_map(|part| match part {
            InputPart::Image(image) => Some(image),
            InputPart::Text(_) => None,
        })
    }

    /// The parts that say something: no model is shown a text of nothing but white space.
    pub(crate) fn said(&self) -> impl Iterator<Item = &InputPart> {
        self.parts.iter().filter(|part| !matches!(part, InputPart::Text(text) if text.trim().is_empty()))
    }

    /// Whether it says nothing.
    pub(crate) fn is_blank(&self) -> bool {
        self.said().next().is_none()
    }

    /// The size of what it says, in characters.
    pub(crate) fn chars(&self) -> usize {
        let chars = |part: &InputPart| match part {
            InputPart::Text(text) => text.chars().count(),
            InputPart::Image(image) => image.chars(),
        };
        self.said().map(chars).sum()
    }

    /// The size of what it says, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let bytes = |part: &InputPart| match part {
            InputPart::Text(text) => text.len(),
            InputPart::Image(image) => image.bytes(),
        };
        self.said().map(bytes).sum()
    }

    /// The same with other texts in the place of these.
    pub(crate) fn with_texts(&self, mut other: impl FnMut(&str) -> String) -> Self {
        let part = |part: &InputPart| match part {
            InputPart::Text(text) => InputPart::Text(other(text).into()),
            InputPart::Image(image) => InputPart::Image(image.clone()),
        };
        self.parts.iter().map(part).collect()
    }

    fn part(self, part: InputPart) -> Self {
        self.parts.iter().cloned().chain([part]).collect()
    }
}

impl FromIterator<InputPart> for UserInput {
    fn from_iter<I: IntoIterator<Item = InputPart>>(parts: I) -> Self {
        let parts: Arc<[InputPart]> = parts.into_iter().collect();
        let mut texts = parts.iter().filter_map(|part| match part {
            InputPart::Text(text) => Some(text),
            InputPart::Image(_) => None,
        });
        let text = match (texts.next(), texts.next()) {
            (None, _) => Arc::default(),
            (Some(only), None) => only.clone(),
            (Some(first), Some(second)) => {
                [first, second].into_iter().chain(texts).map(|text| &**text).collect::<String>().into()
            }
        };
        Self { parts, text }
    }
}

impl From<&str> for UserInput {
    fn from(text: &str) -> Self {
        Self::new().text(text)
    }
}

impl From<String> for UserInput {
    fn from(text: String) -> Self {
        Self::new().text(text)
    }
}

impl From<Image> for UserInput {
    fn from(image: Image) -> Self {
        Self::new().image(image)
    }
}

/// One text alone is written as text; else the parts as a list.
impl Serialize for UserInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &*self.parts {
            [InputPart::Text(text)] => serializer.serialize_str(text),
            parts => parts.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for UserInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;

        impl<'de> Visitor<'de> for Words {
            type Value = UserInput;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a person's words: a text, or a list of texts and images")
            }

            fn visit_str<E>(self, text: &str) -> Result<UserInput, E> {
                Ok(text.into())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<UserInput, A::Error> {
                let parts = Vec::<InputPart>::deserialize(SeqAccessDeserializer::new(parts))?;
                Ok(parts.into_iter().collect())
            }
        }

        deserializer.deserialize_any(Words)
    }
}

#[cfg(test)]
mod tests {
    use super::UserInput;
    use crate::message::Image;

    fn image() -> Image {
        Image::url("https://example.org/a.png", 5).unwrap_or_else(|error| unreachable!("{error}"))
    }

    #[test]
    fn words_come_back_as_they_were_written() {
        for (input, written) in [
            (UserInput::from("a \"b\""), r#""a \"b\"""#),
            (UserInput::from(""), r#""""#),
            (UserInput::new(), "[]"),
            (UserInput::from("a").text("b"), r#"[{"text":"a"},{"text":"b"}]"#),
            (
                UserInput::from(image()).text("a"),
                r#"[{"image":{"source":{"url":"https://example.org/a.png"},"chars":5}},{"text":"a"}]"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&input).ok().as_deref(), Some(written));
            assert_eq!(serde_json::from_str::<UserInput>(written).ok(), Some(input));
        }
        assert!(serde_json::from_str::<UserInput>("1").is_err());
        assert!(serde_json::from_str::<UserInput>(r#"[{"sound":"a"}]"#).is_err());
    }

    #[test]
    fn the_text_is_that_of_all_parts() {
        assert_eq!(UserInput::from("a").image(image()).text("b").text("c").as_str(), "abc");
        assert_eq!(UserInput::from(image()).as_str(), "");
    }

    #[test]
    fn white_space_alone_says_nothing_and_an_image_does() {
        assert!(UserInput::new().is_blank() && UserInput::from(" \n").text("\t").is_blank());
        let input = UserInput::from(image()).text(" ");
        assert!(!input.is_blank());
        assert_eq!((input.said().count(), input.chars()), (1, 5));
        assert_eq!(UserInput::from("äö").image(image()).chars(), 7);
    }
}
