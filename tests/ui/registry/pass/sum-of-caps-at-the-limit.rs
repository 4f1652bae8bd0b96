//! The caps may fill the limit.

use polyloop::{ContextFragment, Registry, registry};

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{text}", at_most = 2)]
struct Directory {
    text: String,
}

registry! { struct App { fragments: [Directory], max_chars: 400 } }

pub(crate) fn main() {
    assert_eq!(App::SPEC.max_chars, Some(400));
}
