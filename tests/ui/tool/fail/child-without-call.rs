use polyloop::{registry, tool};

/// Lets somebody else do it.
#[tool(replay = child)]
async fn delegate() -> String {
    String::new()
}

registry! { struct App { tools: [delegate] } }

fn main() {}
