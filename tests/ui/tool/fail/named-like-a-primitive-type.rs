use polyloop::{registry, tool};

/// Reads a character.
#[tool]
async fn char() -> String {
    String::new()
}

registry! { struct App { tools: [char] } }

fn main() {}
