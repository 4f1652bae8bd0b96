use polyloop::prelude::*;
use polyloop::RunHandle;

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

registry! { struct Orchestrator {} }
registry! { struct Worker { tools: [read_file] } }

fn tell(handle: &RunHandle<Orchestrator>) {
    let _ = handle.enable::<read_file>();
}

fn main() {}
