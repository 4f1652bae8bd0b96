//! The clients for providers, against a server of our own that answers from scripts and misbehaves on demand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something else shall fail loudly"
)]
#![allow(clippy::needless_pass_by_value, reason = "what a server says is written where it is said")]
#![allow(clippy::unused_async, reason = "a tool is async, also where it has nothing to wait for")]

mod agent;
mod anthropic;
mod any_stream;
mod bodies;
mod called;
mod conversation;
mod decode;
mod endings;
mod failures;
mod gemini;
mod hostile;
mod late_notes;
mod options;
mod reasoning;
mod replies;
mod responses;
mod seals;
mod secrets;
mod server;
mod streams;
mod support;
mod tools;
mod turns;
