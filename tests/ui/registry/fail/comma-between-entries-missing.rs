use polyloop::{ContextFragment, registry, tool};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: String,
}

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

registry! {
    struct App {
        fragments: [WorkingDirectory WorkingDirectory],
        tools: [read_file],
    }
}

fn main() {}
