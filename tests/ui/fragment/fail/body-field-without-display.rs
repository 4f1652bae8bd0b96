use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path} since {since}")]
struct WorkingDirectory {
    path: String,
    since: std::time::Duration,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
