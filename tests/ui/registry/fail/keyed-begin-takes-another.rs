use polyloop::{ContextFragment, Key, registry};

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<external_{key}>", "</external_{key}>"), max_chars = 200, body = "{text}")]
struct External {
    key: Key,
    text: String,
}

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<external_browser>", "</external_browser>"), max_chars = 200, body = "{text}")]
struct Browser {
    text: String,
}

registry! {
    struct App {
        fragments: [External, Browser],
    }
}

fn main() {}
