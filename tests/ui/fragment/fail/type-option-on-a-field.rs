use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path} on {host}")]
struct WorkingDirectory {
    path: String,
    #[fragment(max_chars = 9)]
    host: String,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
