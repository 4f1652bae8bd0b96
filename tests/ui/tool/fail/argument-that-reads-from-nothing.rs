use polyloop::{registry, tool};

#[derive(schemars::JsonSchema)]
struct Location {
    path: String,
}

/// Reads a file.
#[tool]
async fn read_file(
    /// Path below the root.
    path: Location,
) -> String {
    let _ = (path,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
