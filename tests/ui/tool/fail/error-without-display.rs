use polyloop::{registry, tool};

struct Missing;

/// Reads a file.
#[tool]
async fn read_file() -> Result<String, Missing> {
    Err(Missing)
}

registry! { struct App { tools: [read_file] } }

fn main() {}
