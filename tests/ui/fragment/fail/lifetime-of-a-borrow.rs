use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory<'a> {
    path: &'a str,
}

registry! { struct App { fragments: [WorkingDirectory<'static>] } }

fn main() {}
