//! An executor may carry a tool out; then only its schema is written.

use polyloop::{Dialect, Registry, registry, tool};

/// Searches the web.
#[tool(schema_only, approval)]
async fn search(
    /// What to look for.
    words: String,
) -> String;

registry! { struct App { tools: [search] } }

pub(crate) fn main() {
    let shown = App::tools().unwrap().schema_for_model(Dialect::Canonical).unwrap();
    assert!(shown.contains(r#""words""#));
}
