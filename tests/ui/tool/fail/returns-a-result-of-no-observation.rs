use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file() -> Result<u32, String> {
    Ok(7)
}

registry! { struct App { tools: [read_file] } }

fn main() {}
