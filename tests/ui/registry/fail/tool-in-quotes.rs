use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

registry! { struct App { tools: ["read_file"] } }

fn main() {}
