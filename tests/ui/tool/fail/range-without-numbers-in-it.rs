use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    /// Lines to read.
    #[arg(range(9..=1))]
    lines: u32,
) -> String {
    let _ = (lines,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
