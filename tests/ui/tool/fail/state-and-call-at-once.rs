use polyloop::{CallContext, registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    #[state]
    #[call]
    call: &CallContext,
) -> String {
    let _ = (call,);
    String::new()
}

registry! { struct App { tools: [read_file] } }

fn main() {}
