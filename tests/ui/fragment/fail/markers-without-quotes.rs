use polyloop::{ContextFragment, registry};

/// A note.
#[derive(ContextFragment)]
#[fragment(role = user, markers(begin, end), max_chars = 100, body = "x")]
struct Note;

registry! { struct App { fragments: [Note] } }

fn main() {}
