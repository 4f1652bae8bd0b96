use polyloop::{registry, tool};

/// Reads a file.
#[tool(name = , approval)]
async fn read_file() -> String {
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
