use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    /// Line and column.
    (line, column): (u32, u32),
) -> String {
    let _ = (line, column);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
