use polyloop::{registry, tool};

#[doc = concat!(" ", "\n")]
#[tool]
async fn read_file() -> String {
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
