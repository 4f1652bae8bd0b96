use polyloop::prelude::*;
use polyloop::Run;

/// What a worker is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<task>", "</task>"), max_chars = 200, body = "{text}")]
struct Task {
    text: String,
}

registry! { struct Orchestrator {} }
registry! { struct Worker { fragments: [Task] } }

fn go_on(run: &mut Run<Orchestrator>) {
    let _ = run.follow_up().inject(Task { text: "test".into() });
}

fn main() {}
