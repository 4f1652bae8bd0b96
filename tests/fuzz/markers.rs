//! Any bytes, as texts and as values of fragments: recognised as the rules say, neutralised, read back.
#![no_main]

#[path = "../fragments/any_bytes/mod.rs"]
mod any_bytes;
#[path = "../fragments/reference.rs"]
mod reference;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| any_bytes::check(bytes));
