use polyloop::{ContextFragment, registry};

/// A note.
#[derive(ContextFragment)]
#[fragment(role = static, markers("<note>", "</note>"), max_chars = 100, body = "x")]
struct Note;

registry! { struct App { fragments: [Note] } }

fn main() {}
