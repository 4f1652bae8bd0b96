use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 50_000, body = "{path}")]
#[fragment(lifetime = sticky, absent = "No longer.", on_compact = restate)]
#[fragment(on_fork = refresh, notice = "{left_out} characters are missing")]
struct WorkingDirectory {
    path: String,
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
