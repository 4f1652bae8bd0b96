use polyloop::{registry, tool};

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
enum Place {
    Disk,
    Net,
}

/// Reads a file.
#[tool]
async fn read_file(
    /// Where to read.
    #[arg(default)]
    place: Place,
) -> String {
    let _ = (place,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
