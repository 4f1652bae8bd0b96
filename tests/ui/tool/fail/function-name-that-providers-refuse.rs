use polyloop::{registry, tool};

/// Measures a file.
#[tool]
async fn größe() -> String {
    String::new()
}

registry! { struct App { tools: [größe] } }

fn main() {}
