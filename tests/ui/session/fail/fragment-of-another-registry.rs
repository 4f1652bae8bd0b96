use polyloop::prelude::*;

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
struct WorkingDirectory {
    path: String,
}

registry! { struct Orchestrator {} }
registry! { struct Worker { fragments: [WorkingDirectory] } }

fn main() {
    let mut session = Session::<Orchestrator>::new();
    let _ = session.inject(WorkingDirectory { path: "/srv".into() });
}
