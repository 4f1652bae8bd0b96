//! Schemas for each reader: lowered, and read back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod arguments;
mod cases;
mod documented;
mod hostile;
mod properties;
mod readers;
mod shapes;
mod types;
