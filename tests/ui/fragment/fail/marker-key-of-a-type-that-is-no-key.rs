use polyloop::{ContextFragment, registry};

/// What another program said.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<external_{source}>", "</external_{source}>"))]
#[fragment(max_chars = 2_000, body = "{text}")]
struct ExternalContext {
    source: u64,
    text: String,
}

registry! { struct App { fragments: [ExternalContext] } }

fn main() {}
