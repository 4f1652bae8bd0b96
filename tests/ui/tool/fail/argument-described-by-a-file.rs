use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    #[doc = include_str!("path.md")]
    path: String,
) -> String {
    path
}

registry! { struct App { tools: [read_file] } }

fn main() {}
