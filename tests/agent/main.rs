//! The loop around a model: when it stops, how it acts, what it sends, and how a project puts its own parts in.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something else shall fail loudly"
)]
#![allow(clippy::unused_async, reason = "a tool is async, also where it has nothing to wait for")]

mod approvals;
mod batches;
mod calls_per_reply;
mod cancelling;
mod executors;
mod interpreters;
mod layout;
mod own_executors;
mod prefix;
mod remarks;
mod replies;
mod retries;
mod side_by_side;
mod sizes;
mod stop_order;
mod support;
mod templates;
mod told;
mod turns;
