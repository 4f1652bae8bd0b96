use polyloop::prelude::*;

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
#[fragment(lifetime = latest, absent = "The directory is gone.")]
struct WorkingDirectory {
    path: String,
}

registry! { struct App {} }

fn main() {
    let mut session = Session::<App>::new();
    let _ = session.sync(WorkingDirectory { path: "/srv".into() });
}
