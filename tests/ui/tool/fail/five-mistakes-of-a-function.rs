use polyloop::{registry, tool};

#[tool]
fn read_file<T>(path: String) {
    drop(path);
}

registry! { struct App { tools: [read_file] } }

fn main() {}
