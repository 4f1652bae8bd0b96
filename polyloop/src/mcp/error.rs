//! What can go wrong between this program and one that speaks the protocol.

use thiserror::Error;

use crate::error::{BuildError, RecordError, SetError, ToolsRefused};

/// The reason why a server or a client of the protocol cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum McpError {
    /// The tools cannot be served.
    #[error(transparent)]
    Tools(#[from] SetError),
    /// Clients cannot read the arguments of tools.
    #[error("the tools cannot be listed: {0}")]
    Unreadable(#[from] ToolsRefused),
    /// A text that clients are told is refused.
    #[error(transparent)]
    Texts(#[from] BuildError),
    /// A fragment cannot be rendered.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A fragment is not for people.
    #[error("`{kind}` is not shown to people, so it is no resource; add `visible` to `{type_name}`")]
    NotVisible {
        /// The fragment's kind.
        kind: &'static str,
        /// The fragment's type.
        type_name: &'static str,
    },
    /// A lock file cannot be read or written.
    #[error("the lock file is of no use: {reason}")]
    Lock {
        /// Why.
        reason: String,
    },
    /// The tools of a server are not those that are pinned.
    #[error("the tools of `{server}` are not those that are pinned; read what differs, and pin them anew:\n{}", .differences.join("\n"))]
    Changed {
        /// The server's name in the lock file.
        server: String,
        /// What differs, a line for each place.
        differences: Vec<String>,
    },
    /// What a server says of its tools is refused.
    #[error("the server's list of tools is refused: {reason}; ask whoever runs the server")]
    List {
        /// Why.
        reason: String,
    },
    /// An address that other machines reach, and nobody said that they may.
    #[error("`{address}` is reached from other machines; call `beyond_this_machine` if that is meant")]
    NotLoopback {
        /// The address.
        address: std::net::SocketAddr,
    },
    /// The other side cannot be spoken with.
    #[error("the connection failed: {reason}")]
    Connection {
        /// What the SDK says.
        reason: String,
    },
}

impl McpError {
    pub(super) fn connection(error: impl std::fmt::Display) -> Self {
        Self::Connection { reason: error.to_string() }
    }
}
