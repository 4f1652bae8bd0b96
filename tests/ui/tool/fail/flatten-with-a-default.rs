use polyloop::{registry, tool};

#[derive(Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct All {
    /// How many lines.
    lines: u32,
}

/// Reads a file.
#[tool]
async fn read_file(
    #[arg(flatten, default)] all: All,
) -> String {
    let _ = (all,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
