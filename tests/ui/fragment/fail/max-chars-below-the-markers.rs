use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), body = "{path}")]
#[fragment(max_chars = 11)]
struct WorkingDirectory {
    path: String,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
