use polyloop::prelude::*;

/// What a worker is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<task>", "</task>"), max_chars = 200, body = "{text}")]
struct Task {
    text: String,
}

registry! { struct Orchestrator {} }
registry! { struct Worker { fragments: [Task] } }

fn show(task: &Task) {
    let _ = Orchestrator::render(task);
}

fn main() {}
