//! The life of a context: what a model was told stays told, in its present form, and nothing else.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something else shall fail loudly"
)]
#![allow(clippy::unused_async, reason = "a tool is async, also where it has nothing to wait for")]

mod approvals;
mod audit;
mod branches;
mod by_hand;
mod clock;
mod compaction;
mod forgeries;
mod forks;
mod imports;
mod last_values;
mod layouts;
mod lineages;
mod notes;
mod prefixes;
mod provider_states;
mod receipts;
mod rollbacks;
mod room;
mod same_id;
mod shown;
mod strategies;
mod support;
mod system_part;
mod telling;
mod trees;
mod wording;
mod words;
