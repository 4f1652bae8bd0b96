//! Ratios, measured inside one run.

fn main() {}
