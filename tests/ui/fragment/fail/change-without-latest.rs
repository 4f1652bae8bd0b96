use polyloop::{Body, ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
#[fragment(state, change = moved)]
#[derive(serde::Serialize, serde::Deserialize)]
struct WorkingDirectory {
    path: String,
}

fn moved(earlier: &WorkingDirectory, now: &WorkingDirectory) -> Option<Body> {
    (earlier.path != now.path).then(|| Body::new().text("moved"))
}

registry! { struct App { fragments: [WorkingDirectory] } }

fn main() {}
