//! A tool may have a name with `-`.

use polyloop::{Dialect, Registry, registry, tool};

/// Reads a file.
#[tool(name = "read-file")]
async fn read_file() -> String {
    String::new()
}

registry! { struct App { tools: [read_file] } }

pub(crate) fn main() {
    let shown = App::tools().unwrap().schema_for_model(Dialect::Canonical).unwrap();
    assert!(shown.contains(r#""name":"read-file""#));
}
