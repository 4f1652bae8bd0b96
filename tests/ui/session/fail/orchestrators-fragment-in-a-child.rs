use polyloop::prelude::*;
use polyloop::CallContext;

/// What is to be done in all.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<plan>", "</plan>"), max_chars = 200, body = "{text}")]
struct Plan {
    text: String,
}

registry! { struct Orchestrator { fragments: [Plan] } }
registry! { struct Worker {} }

fn delegate(worker: &Agent<Worker>, call: &CallContext) {
    let _ = worker.child(call, ()).inject(Plan { text: "test".into() });
}

fn main() {}
