//! A value that can be serialized is returned as its JSON.

use polyloop::{Json, Registry, registry, tool};

#[derive(serde::Serialize)]
struct Found {
    line: u32,
}

/// Reads a file.
#[tool]
async fn read_file() -> Json<Found> {
    Json(Found { line: 7 })
}

registry! { struct App { tools: [read_file] } }

pub(crate) fn main() {
    assert!(App::tools().is_ok());
}
