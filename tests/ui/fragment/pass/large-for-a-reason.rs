//! A fragment may be large, if it says why.

use polyloop::{ContextFragment, Render};

/// A whole file.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<file>", "</file>"), max_chars = 100_000, body = "{text}")]
#[fragment(large = "source files are read whole", at_most = 2)]
struct File {
    text: String,
}

pub(crate) fn main() {
    assert!(File { text: "x".repeat(50_000) }.render().is_ok());
}
