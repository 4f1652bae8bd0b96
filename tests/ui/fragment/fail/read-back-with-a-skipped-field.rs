use polyloop::{ContextFragment, ParseFragment};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: String,
    #[fragment(skip)]
    host: String,
}

fn main() {
    let _ = <WorkingDirectory as ParseFragment>::parse("<cwd>/srv</cwd>");
}
