//! Event streams that are cut, spliced, repeated and reordered: a reply is made only of one message that ended.
#![no_main]

#[path = "../providers/any_stream/mod.rs"]
mod any_stream;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| any_stream::check(bytes));
