use polyloop::{registry, tool};

const PATH: &str = "";

/// Reads a file.
#[tool]
async fn read_file(#[arg(description = PATH)] path: String) -> String {
    path
}

registry! { struct App { tools: [read_file] } }

fn main() {}
