use polyloop::prelude::*;
use polyloop::RunHandle;

/// What a worker is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<task>", "</task>"), max_chars = 200, body = "{text}")]
struct Task {
    text: String,
}

registry! { struct Orchestrator {} }
registry! { struct Worker { fragments: [Task] } }

fn tell(handle: &RunHandle<Orchestrator>) {
    let _ = handle.inject(Task { text: "test".into() });
}

fn main() {}
