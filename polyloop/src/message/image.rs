//! Images, as a model is shown them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::error::ImageError;

/// An image beside a person's words: its data or its address, and the measure that its host states.
///
/// A prompt is measured in characters, and an image has none. So its host says how many it counts as: what it costs in the
/// budget of a prompt. Of an image that costs 800 tokens, at four characters a token, that is 3 200.
///
/// ```
/// use polyloop::{Image, ImageError};
///
/// let photo = Image::new("image/png", b"\x89PNG...", 3_200)?;
/// let elsewhere = Image::url("https://example.org/a.png", 3_200)?;
/// assert_eq!((photo.chars(), elsewhere.chars()), (3_200, 3_200));
/// assert_eq!(Image::new("image/png", b"\x89PNG...", 0), Err(ImageError::NoMeasure));
/// # Ok::<(), ImageError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "WrittenImage")]
pub struct Image {
    source: ImageSource,
    chars: usize,
}

/// The place of an image's data.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImageSource {
    /// It goes with the request.
    Data {
        /// The media type, such as `image/png`.
        media_type: Arc<str>,
        /// The data as base64 text.
        base64: Arc<str>,
    },
    /// It stands at an address, from which the provider fetches it.
    Url(Arc<str>),
}

impl Image {
    /// Makes an image of its data.
    ///
    /// # Errors
    ///
    /// When there is no data, the media type is none of an image, or the measure is 0.
    pub fn new(media_type: &str, bytes: impl AsRef<[u8]>, chars: usize) -> Result<Self, ImageError> {
        let base64 = STANDARD.encode(bytes).into();
        Self::checked(ImageSource::Data { media_type: media_type.into(), base64 }, chars)
    }

    /// Makes an image that the provider fetches from its address. What stands there may change; what is recorded and
    /// checked is the address.
    ///
    /// # Errors
    ///
    /// When the address is empty or has no scheme such as `https:`, or the measure is 0.
    pub fn url(url: impl Into<String>, chars: usize) -> Result<Self, ImageError> {
        Self::checked(ImageSource::Url(url.into().into()), chars)
    }

    /// Makes an image of its address, which may be its data: what [`to_url`](Self::to_url) returns.
    pub(crate) fn at(url: &str, chars: usize) -> Result<Self, ImageError> {
        match url.strip_prefix("data:").and_then(|data| data.split_once(";base64,")) {
            // Data that does not decode is none.
            Some((media_type, base64)) => {
                Self::new(media_type, STANDARD.decode(base64).unwrap_or_default(), chars)
            }
            None => Self::url(url, chars),
        }
    }

    /// The one way to an image: one without a measure does not exist.
    fn checked(source: ImageSource, chars: usize) -> Result<Self, ImageError> {
        match &source {
            ImageSource::Data { media_type, .. } if !is_of_an_image(media_type) => {
                Err(ImageError::MediaType { media_type: media_type.to_string() })
            }
            ImageSource::Data { base64: content, .. } | ImageSource::Url(content)
                if content.trim().is_empty() =>
            {
                Err(ImageError::Empty)
            }
            ImageSource::Url(url) if !has_a_scheme(url) => Err(ImageError::Address { url: url.to_string() }),
            _ if chars == 0 => Err(ImageError::NoMeasure),
            _ => Ok(Self { source, chars }),
        }
    }

    /// Returns where its data is.
    #[must_use]
    pub fn source(&self) -> &ImageSource {
        &self.source
    }

    /// Returns its measure: as how many characters it counts.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// The size of its data or of its address in a request, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match &self.source {
            ImageSource::Data { base64, .. } => base64.len(),
            ImageSource::Url(url) => url.len(),
        }
    }

    /// Returns its address, or its data as one: `data:image/png;base64,…`.
    #[must_use]
    pub fn to_url(&self) -> Cow<'_, str> {
        match &self.source {
            ImageSource::Data { media_type, base64 } => format!("data:{media_type};base64,{base64}").into(),
            ImageSource::Url(url) => (&**url).into(),
        }
    }
}

fn is_of_an_image(media_type: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
    media_type.strip_prefix("image/").is_some_and(|kind| !kind.is_empty() && kind.bytes().all(is_plain))
}

/// Whether a text begins as RFC 3986 says of an address. One letter is a drive, and so a file.
fn has_a_scheme(url: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
    url.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(is_plain)
    })
}

/// An image as a journal holds it.
#[derive(Deserialize)]
struct WrittenImage {
    source: ImageSource,
    chars: usize,
}

impl TryFrom<WrittenImage> for Image {
    type Error = ImageError;

    fn try_from(WrittenImage { source, chars }: WrittenImage) -> Result<Self, ImageError> {
        Self::checked(source, chars)
    }
}

impl fmt::Debug for ImageSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Nobody reads a megabyte of it.
            Self::Data { media_type, base64 } => {
                write!(formatter, "Data({media_type}, {} characters of base64)", base64.len())
            }
            Self::Url(url) => write!(formatter, "Url({url:?})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Image, ImageError};

    #[test]
    fn what_is_no_image_is_refused() {
        for (made, error) in [
            (Image::new("image/png", "abc", 0), ImageError::NoMeasure),
            (Image::url("https://example.org/a", 0), ImageError::NoMeasure),
            (Image::new("image/png", "", 1), ImageError::Empty),
            (Image::url(" ", 1), ImageError::Empty),
        ] {
            assert_eq!(made, Err(error));
        }
        for media_type in ["", "png", "image/", "text/html", "image/png;base64,", "image/a b"] {
            let refused = Image::new(media_type, "abc", 1).map_err(|error| error.to_string());
            assert!(refused.is_err_and(|error| error.contains("is no media type of an image")));
        }
        assert!(Image::new("image/svg+xml", "<svg/>", 1).is_ok());
    }

    #[test]
    fn a_file_is_no_address() {
        for url in ["/srv/a.png", "a.png", "C:\\a.png", "./a:b.png", ":a", "1a:b"] {
            assert_eq!(Image::url(url, 1), Err(ImageError::Address { url: url.to_owned() }));
        }
        assert!(
            ["https://example.org/a", "gs://bucket/a.png", "data:,"]
                .iter()
                .all(|url| Image::url(*url, 1).is_ok())
        );
    }

    #[test]
    fn what_is_read_back_is_checked_as_well() {
        let written = r#"{"source":{"data":{"media_type":"image/png","base64":"YWJj"}},"chars":7}"#;
        let image: Image = serde_json::from_str(written).unwrap_or_else(|error| unreachable!("{error}"));
        assert_eq!(Image::new("image/png", "abc", 7), Ok(image.clone()));
        assert_eq!(serde_json::to_string(&image).ok().as_deref(), Some(written));
        assert_eq!(image.to_url(), "data:image/png;base64,YWJj");
        let refused = serde_json::from_str::<Image>(&written.replace('7', "0"));
        assert!(refused.is_err_and(|error| error.to_string().contains("has no measure")));
    }
}
