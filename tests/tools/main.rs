//! Tools: what the model is shown, what is taken, what is refused, and what becomes of a call.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something else shall fail loudly"
)]
#![allow(clippy::unused_async, reason = "a tool is async, also where it has nothing to wait for")]

mod arguments;
mod beyond_the_type;
mod bounds;
mod descriptions;
mod documentation;
mod language;
mod outcomes;
mod processes;
mod refusals;
mod returns;
mod schema_enums;
mod schema_rules;
mod schema_scalars;
mod schema_types;
mod sets;
mod state;
mod support;
