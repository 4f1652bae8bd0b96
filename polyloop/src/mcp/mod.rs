//! The Model Context Protocol, both ways: a registry as a server, and the pinned tools of a server as tools of a registry.
//!
//! Comes with the feature `mcp`. The protocol itself is that of the official SDK, [`rmcp`]; whatever is a transport there is one
//! here.
//!
//! - [`Server`]: the tools of a registry, called through the same checks and handlers as by an agent, and its visible
//!   fragments as resources.

mod answer;
mod error;
mod handler;
mod resources;
mod server;

pub use error::McpError;
pub use resources::Resources;
pub use rmcp;
pub use server::Server;
