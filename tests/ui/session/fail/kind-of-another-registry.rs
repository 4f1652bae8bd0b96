use polyloop::prelude::*;

/// What a worker is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<task>", "</task>"), max_chars = 200, body = "{text}")]
struct Task {
    text: String,
}

registry! { struct Orchestrator {} }
registry! { struct Worker { fragments: [Task] } }

fn is_task(text: &str) -> bool {
    Orchestrator::recognize(text).is_some_and(|known| known.kind == WorkerKind::Task)
}

fn main() {}
