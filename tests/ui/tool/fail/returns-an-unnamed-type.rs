use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file() -> impl std::fmt::Display {
    "text"
}

registry! { struct App { tools: [read_file] } }

fn main() {}
