use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    path: &str,
    #[arg(range(9..=1))] lines: u32,
    /// What to look for.
    #[arg(rename = "the words", pattern = "[a-z")]
    words: String,
) -> String {
    let _ = (path, lines, words);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
