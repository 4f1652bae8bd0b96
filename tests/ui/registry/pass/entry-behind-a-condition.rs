//! An entry may depend on the configuration.

use polyloop::{ContextFragment, Registry, registry};

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{text}")]
struct Directory {
    text: String,
}

registry! {
    struct App {
        fragments: [#[cfg(any())] Missing, Directory],
        tools: [#[cfg(any())] missing],
    }
}

pub(crate) fn main() {
    assert_eq!(App::SPEC.fragments.len(), 1);
}
