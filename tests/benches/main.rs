//! Ratios, measured inside one run.
//!
//! `cargo bench` prints one table. Nothing here is an absolute time: each line sets two things against each other that
//! were measured in turns on the same machine, so that a slow or busy machine slows both. A goal that is missed is
//! marked and ends nothing; only measuring that goes wrong does.
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![allow(clippy::expect_used, clippy::panic, reason = "measuring that goes wrong ends the run")]

mod barriers;
mod calls;
mod dispatch;
mod kinds;
mod layouts;
mod measure;
mod neutralise;
mod recognise;
mod runs;
mod sending;
mod serving;
mod steps;
mod summaries;
mod table;
mod telling;
mod tools;

use table::Table;

fn main() {
    // What `cargo bench -- dispatch` names; all of it unless something is named.
    let named: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    // `cargo test --benches` only wants to know that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let mut table = Table::new();
    for (name, measure) in [
        ("recognise", recognise::measure as fn(&mut Table)),
        ("neutralise", neutralise::measure),
        ("dispatch", dispatch::measure),
        ("steps", steps::measure),
        ("layouts", layouts::measure),
        ("sending", sending::measure),
        ("barriers", barriers::measure),
        ("calls", calls::measure),
        ("runs", runs::measure),
        ("telling", telling::measure),
        ("summaries", summaries::measure),
        ("serving", serving::measure),
    ] {
        if named.is_empty() || named.iter().any(|named| named == name) {
            measure(&mut table);
        }
    }
    table.finish();
}
