use polyloop::{CallContext, registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    #[call] one: &CallContext,
    #[call] other: &CallContext,
) -> String {
    let _ = (one, other);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
