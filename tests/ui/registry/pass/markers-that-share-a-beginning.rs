//! Markers are told apart by one character.

use polyloop::{ContextFragment, Registry, registry};

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{text}")]
struct Directory {
    text: String,
}

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd_was>", "</cwd_was>"), max_chars = 200, body = "{text}")]
struct Former {
    text: String,
}

registry! { struct App { fragments: [Directory, Former] } }

pub(crate) fn main() {
    assert_eq!(App::recognize("<cwd_was>/srv</cwd_was>").unwrap().kind, AppKind::Former);
}
