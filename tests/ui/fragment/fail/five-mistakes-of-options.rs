use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = usr, markers("<cwd>", "</cwd> "), body = "{path}")]
#[fragment(lifetme = latest, at_most = 0)]
struct WorkingDirectory {
    path: String,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
