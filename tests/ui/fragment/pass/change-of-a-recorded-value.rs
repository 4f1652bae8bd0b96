//! A recorded value can say only what changed.

use polyloop::{Body, ChangedFragment, ContextFragment};
use serde::{Deserialize, Serialize};

/// Where the agent works.
#[derive(ContextFragment, Serialize, Deserialize)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
#[fragment(lifetime = latest, absent = "No longer.", state, change = moved)]
struct WorkingDirectory {
    path: String,
}

fn moved(earlier: &WorkingDirectory, now: &WorkingDirectory) -> Option<Body> {
    (earlier.path != now.path).then(|| Body::new().text("moved"))
}

pub(crate) fn main() {
    let [here, there] = ["/srv", "/tmp"].map(|path| WorkingDirectory { path: path.into() });
    assert!(here.changed(&here).is_none());
    assert!(there.changed(&here).is_some());
}
