use polyloop::{registry, tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct All {
    /// How many lines.
    lines: u32,
}

/// Reads a file.
#[tool]
async fn read_file(
    #[arg(flatten)] all: All,
    /// Path below the root.
    path: String,
) -> String {
    let _ = (all, path);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
