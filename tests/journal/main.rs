//! The journal: what is durable before what, what is checked before a request leaves, and how a run goes on.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something else shall fail loudly"
)]
#![allow(clippy::unused_async, reason = "a tool is async, also where it has nothing to wait for")]

mod before_sending;
mod bodies;
mod children;
mod clock;
mod definitions;
mod delayed;
mod effective;
mod elsewhere;
mod forged;
mod golden;
mod kill_matrix;
mod kill_notes;
mod kill_persons;
mod killed_process;
mod late_outcomes;
mod left_off;
mod order;
mod recovery;
mod retention;
mod retired;
mod run_budgets;
mod seeded;
mod sessions;
mod sqlite;
mod sqlite_blobs;
mod sqlite_damage;
mod sqlite_files;
mod sqlite_sharing;
mod stop_checks;
mod support;
mod transfer;
mod trust;
mod verifying;
mod whole_runs;
