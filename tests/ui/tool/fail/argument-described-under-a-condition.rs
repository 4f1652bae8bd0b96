use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(#[cfg_attr(all(), doc = "The line.")] line: u32) -> String {
    line.to_string()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
