use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    path: String,
) -> String {
    let _ = (path,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
