use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    /// Path below the root.
    #[arg(length(-1..=5))]
    path: String,
) -> String {
    let _ = (path,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
