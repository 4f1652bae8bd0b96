use polyloop::{registry, tool};

/// Reads a file.
#[tool(tiemout = "30s", replay = maybe, read_only, destructive, approval = true, name = "read file")]
async fn read_file() -> String {
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
