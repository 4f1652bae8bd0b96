use polyloop::{registry, tool};

#[tool(description = 5)]
async fn read_file() -> String {
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
