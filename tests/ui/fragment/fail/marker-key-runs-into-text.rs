use polyloop::{ContextFragment, Key, registry};

/// What another program said.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<external_{source}s>", "</external>"))]
#[fragment(max_chars = 2_000, body = "{text}")]
struct ExternalContext {
    source: Key,
    text: String,
}

registry! { struct App { fragments: [ExternalContext] } }

fn main() {}
