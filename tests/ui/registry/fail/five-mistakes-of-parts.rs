use polyloop::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: String,
}

registry! {
    struct App {
        fragment: [WorkingDirectory],
        state: (),
        state: (),
        tools: read_file,
        max_chars: 0,
        scalars: loose,
    }
}

fn main() {}
