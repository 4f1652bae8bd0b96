//! Fragments: what a runtime tells a model, rendered, bounded, and recognised.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![allow(missing_docs, reason = "the fragments and registries of these tests are read beside their tests")]

mod any_bytes;
mod bounds;
mod forgery;
mod hand_written;
mod marker_lock;
mod neutralising;
mod parsing;
mod properties;
mod recognition;
mod reference;
mod registry;
mod rendering;
mod spec_data;
mod support;
mod words_of_the_user;
