use polyloop::{registry, tool};

struct Store;

/// Reads a file.
#[tool]
async fn read_file(
    store: &Store,
) -> String {
    let _ = (store,);
    String::new()
}

registry! { struct App { state: Store, tools: [read_file] } }

fn main() {}
