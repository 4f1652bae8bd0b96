use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 30, body = "{path}", lifetime = latest)]
#[fragment(absent = "No directory is open any more.")]
struct WorkingDirectory {
    path: String,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
