use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    /// How many lines.
    #[arg(default = , range(1..))]
    lines: u32,
) -> String {
    lines.to_string()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
