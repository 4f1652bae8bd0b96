use polyloop::{ContextFragment, registry};

/// A note.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<note>", "</note>"), max_chars = , body = "x")]
struct Note;

registry! { struct App { fragments: [Note] } }

fn main() {}
