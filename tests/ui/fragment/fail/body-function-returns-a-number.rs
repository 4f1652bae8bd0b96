use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = length)]
struct WorkingDirectory {
    path: String,
}

fn length(directory: &WorkingDirectory) -> usize {
    directory.path.len()
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
