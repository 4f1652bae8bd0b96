use polyloop::prelude::*;

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

registry! { struct Orchestrator {} }
registry! { struct Worker { tools: [read_file] } }

fn narrow(agent: &Agent<Orchestrator>) {
    let _ = agent.only::<(read_file,)>();
}

fn main() {}
