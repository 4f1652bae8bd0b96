use polyloop::{ContextFragment, Key, registry};

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<external_{key}>", "</external>"), max_chars = 200, body = "{text}")]
struct External {
    key: Key,
    text: String,
}

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<external_{source}>", "</external>"), max_chars = 200, body = "{text}")]
struct Other {
    source: Key,
    text: String,
}

registry! {
    struct App {
        fragments: [External, Other],
    }
}

fn main() {}
