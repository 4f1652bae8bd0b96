//! The Model Context Protocol: what a client is told of a registry, what becomes of its calls, and how the tools of another
//! server become tools of a registry. The other side is the official SDK in all of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something else shall fail loudly"
)]
#![allow(clippy::unused_async, reason = "a tool is async, also where it has nothing to wait for")]

mod approvals;
mod calls;
mod declared;
mod hostile;
mod hostile_answers;
mod hostile_server;
mod http;
mod listing;
mod numbers;
mod order;
mod pinned;
mod remote;
mod resources;
mod support;
mod while_it_runs;
