use polyloop::prelude::*;

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: String,
}

/// What is left to do.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<plan>", "</plan>"), max_chars = 200, body = "{text}")]
struct Plan {
    text: String,
}

registry! { struct App { fragments: [WorkingDirectory, Plan] } }

fn main() {
    let kind = AppKind::WorkingDirectory;
    match kind {
        AppKind::WorkingDirectory => {}
    }
}
