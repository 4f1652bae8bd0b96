//! What can go wrong with an image.

use thiserror::Error;

/// The reason why something is no image that a model could be shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImageError {
    /// It has no measure, so nobody could say how large a prompt with it is.
    #[error("the image has no measure; say as how many characters it counts, 1 or more")]
    NoMeasure,
    /// Its media type is none of an image.
    #[error("`{media_type}` is no media type of an image; give one such as `image/png`")]
    MediaType {
        /// The media type.
        media_type: String,
    },
    /// It names a file, or something else from which no provider can fetch it.
    #[error(
        "`{url}` is no address that a provider can fetch; give one such as `https://…`, or the data with `Image::new`"
    )]
    Address {
        /// What was given.
        url: String,
    },
    /// There is neither data nor an address.
    #[error("the image is empty; give its data or its address")]
    Empty,
}
