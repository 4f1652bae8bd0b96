use polyloop::{registry, tool};

struct Workspace;

/// Reads a file.
#[tool]
async fn read_file(
    #[state]
    #[arg(default)]
    workspace: &Workspace,
) -> String {
    let _ = (workspace,);
    String::new()
}

registry! { struct App { state: Workspace, tools: [read_file] } }

fn main() {}
