//! A fragment may be registered in several registries.

use polyloop::prelude::*;

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{text}")]
struct Directory {
    text: String,
}

registry! { struct Orchestrator { fragments: [Directory] } }
registry! { struct Worker { fragments: [Directory] } }

pub(crate) fn main() {
    let directory = || Directory { text: "/srv".into() };
    assert!(Session::<Orchestrator>::new().inject(directory()).is_ok());
    assert!(Session::<Worker>::new().inject(directory()).is_ok());
}
