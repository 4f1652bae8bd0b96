//! The Model Context Protocol, both ways: a registry as a server, and the pinned tools of a server as tools of a registry.
//!
//! Comes with the feature `mcp`. The protocol itself is that of the official SDK, [`rmcp`]; whatever is a transport there is one
//! here.
//!
//! - [`Server`]: the tools of a registry, called through the same checks and handlers as by an agent, and its visible
//!   fragments as resources.
//! - [`pin`] writes down what a server says of its tools, [`mcp_tools!`](crate::mcp_tools) makes tools of that, and [`Client`] calls
//!   them: only while the server says the same.

mod answer;
mod answers;
mod busy;
mod client;
mod envelope;
mod error;
mod guard;
mod handler;
#[cfg(feature = "mcp-http")]
mod http;
mod lines;
mod lock;
mod observed;
mod pages;
mod pinning;
mod remote;
mod resources;
mod server;
#[cfg(feature = "mcp-http")]
mod sessions;
mod transport;
mod turns;

pub use client::{Client, PinnedServer};
pub use error::McpError;
#[cfg(feature = "mcp-http")]
pub use http::{HttpServer, ListeningServer};
pub use pinning::pin;
#[doc(hidden)]
pub use remote::remote_call;
pub use resources::Resources;
pub use rmcp;
pub use server::Server;
pub use transport::McpTransport;
