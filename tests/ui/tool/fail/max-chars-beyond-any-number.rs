use polyloop::{registry, tool};

/// Reads a file.
#[tool(max_chars = 99999999999999999999999)]
async fn read_file() -> String {
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
