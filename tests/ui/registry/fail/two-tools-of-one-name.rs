use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

/// Reads a file.
#[tool(name = "read_file")]
async fn load_file() -> String {
    String::new()
}

registry! {
    struct App {
        tools: [read_file, load_file],
    }
}

fn main() {}
