use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    /// The line.
    #[cfg_attr(all(), arg(range(1..)))]
    line: u32,
) -> String {
    line.to_string()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
