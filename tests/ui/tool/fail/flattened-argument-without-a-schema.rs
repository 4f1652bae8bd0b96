use polyloop::{registry, tool};

#[derive(serde::Deserialize)]
struct Location {
    path: String,
}

/// Reads a file.
#[tool]
async fn read_file(
    #[arg(flatten)] place: Location,
) -> String {
    let _ = (place,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
