//! Runs every example.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

mod fragments;
mod gateway;
mod import;
mod injections;
mod long_session;
mod mcp;
mod own_interpreter;
mod providers;
mod quickstart;
mod real_model;
mod runs;
mod support;
mod tools_with_state;
