//! A struct may hold all arguments.

use polyloop::{Dialect, Registry, registry, tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    /// Path below the root.
    path: String,
}

/// Reads a file.
#[tool]
async fn read_file(#[arg(flatten)] place: Place) -> String {
    place.path
}

registry! { struct App { tools: [read_file] } }

pub(crate) fn main() {
    let shown = App::tools().unwrap().schema_for_model(Dialect::Canonical).unwrap();
    assert!(shown.contains(r#""description":"Path below the root.""#));
}
