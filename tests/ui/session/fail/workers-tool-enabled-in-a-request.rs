use polyloop::prelude::*;

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

registry! { struct Orchestrator {} }
registry! { struct Worker { tools: [read_file] } }

fn ask(agent: &Agent<Orchestrator>) {
    let _ = agent.on(()).enable::<read_file>();
}

fn main() {}
