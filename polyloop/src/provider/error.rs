//! What can go wrong while a client is set up.

use thiserror::Error;

/// Says why a client was not built. It never holds a key, nor the value of a header.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// Environment variables are not set.
    #[error("{}", missing(.names))]
    Missing {
        /// The names of the variables.
        names: Vec<&'static str>,
    },
    /// The base URL cannot be used.
    #[error("the base URL {reason}")]
    BaseUrl {
        /// What is wrong and what to do.
        reason: &'static str,
    },
    /// The name of the model is empty.
    #[error("the name of the model is empty; name one that the server has")]
    EmptyModel,
    /// The key cannot stand in a header.
    #[error("the key has characters that no header takes; look for a line break")]
    InvalidKey,
    /// A header cannot be sent.
    #[error("the header `{name}` {reason}")]
    Header {
        /// The header's name.
        name: String,
        /// What is wrong and what to do.
        reason: &'static str,
    },
    /// A member of the body cannot be set.
    #[error("the parameter `{name}` {reason}")]
    Parameter {
        /// The member's name.
        name: String,
        /// What is wrong and what to do.
        reason: &'static str,
    },
    /// What should be a body cannot be read back.
    #[error("the body cannot be read back: {reason}; give the bytes of `OpenAi::body`, whole and unchanged")]
    Body {
        /// What is wrong.
        reason: String,
    },
    /// There can be no encrypted connection.
    #[error("no TLS connection can be made: {reason}")]
    Tls {
        /// What is wrong.
        reason: String,
    },
}

fn missing(names: &[&str]) -> String {
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() == 1 {
        format!("{list} is not set; set it")
    } else {
        format!("{list} are not set; set them")
    }
}
