use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "x")]
union WorkingDirectory {
    path: u8,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
