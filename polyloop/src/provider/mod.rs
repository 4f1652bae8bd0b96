//! What the clients for providers share: options, transport, failures, and the parts of a message.
//!
//! A provider's interface is a [`Protocol`]: a pure function from the options and a sealed prompt to the bytes of a body, and a
//! reader of what comes back, whole or as a stream. Only [`transport`] does something.

mod answered;
mod asked;
mod builder;
mod client;
mod endpoint;
mod error;
mod failure;
mod gathering;
mod options;
mod pieces;
mod protocol;
mod reading;
mod secret;
mod sse;
mod state;
mod stop;
mod tools;
mod transport;
mod turns;

pub use builder::ClientBuilder;
pub use client::Client;
pub use error::ProviderError;
pub use protocol::Protocol;
pub use reading::{read_stream, read_whole};

pub(crate) use answered::{Answered, Ended, cost, count, nullable, read, unreadable};
pub(crate) use asked::{Asked, original_arguments};
pub(crate) use endpoint::below;
pub(crate) use failure::of_answer;
pub(crate) use gathering::{Gathered, Gathering};
pub(crate) use options::{Options, Wanted, entry};
pub(crate) use pieces::{Piece, pieces};
pub(crate) use protocol::{Sealed, Spec};
pub(crate) use stop::{ReasonMember, ReplyIds, StopReason, cut, ended, mixed};
pub(crate) use turns::{Side, Turns, turns};
