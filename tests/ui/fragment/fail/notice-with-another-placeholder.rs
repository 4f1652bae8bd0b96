use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), body = "{path}")]
#[fragment(max_chars = 200, overflow = cut(tail), notice = "{left_out} of {path}")]
struct WorkingDirectory {
    path: String,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
