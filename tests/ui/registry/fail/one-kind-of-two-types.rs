use polyloop::{ContextFragment, registry};

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{text}")]
struct Directory {
    text: String,
}

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<folder>", "</folder>"), max_chars = 200, body = "{text}", kind = "directory")]
struct Folder {
    text: String,
}

registry! {
    struct App {
        fragments: [Directory, Folder],
    }
}

fn main() {}
