use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), body = "{path}")]
#[fragment(max_chars = 200, lifetime = latest, absent = "No longer.", at_most = 2)]
struct WorkingDirectory {
    path: String,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
