use polyloop::{registry, tool};

#[doc = concat!("Reads ", "a file.")]
#[tool]
async fn read_file() -> String {
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
