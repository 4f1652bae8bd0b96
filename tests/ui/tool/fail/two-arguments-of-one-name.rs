use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    /// Path below the root.
    path: String,
    /// The same again.
    #[arg(rename = "path")]
    other: String,
) -> String {
    let _ = (path, other);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
