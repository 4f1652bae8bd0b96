//! An example.

fn main() {}
