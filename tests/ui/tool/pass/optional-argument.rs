//! An `Option` need not be given.

use polyloop::{Dialect, Registry, registry, tool};

/// Reads a file.
#[tool(replay = safe)]
async fn read_file(
    /// Path below the root.
    path: String,
    /// Lines to read.
    lines: Option<u32>,
) -> String {
    format!("{path} {lines:?}")
}

registry! { struct App { tools: [read_file] } }

pub(crate) fn main() {
    let shown = App::tools().unwrap().schema_for_model(Dialect::Canonical).unwrap();
    assert!(shown.contains(r#""required":["path"]"#));
}
