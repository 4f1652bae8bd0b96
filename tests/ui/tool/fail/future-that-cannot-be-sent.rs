use polyloop::{registry, tool};

/// Reads a file.
#[tool]
async fn read_file() -> String {
    let text = std::rc::Rc::new(String::from("text"));
    tokio::task::yield_now().await;
    text.to_string()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
