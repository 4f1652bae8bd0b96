use polyloop::{registry, tool};

#[derive(serde::Deserialize)]
struct Location {
    path: String,
}

/// Reads a file.
#[tool]
async fn read_file(
    /// Paths below the root.
    paths: Vec<Location>,
) -> String {
    let _ = (paths,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
