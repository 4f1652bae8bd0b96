use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    /// Lines to read.
    #[arg(range(..=MOST))]
    lines: u32,
) -> String {
    let _ = (lines,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
