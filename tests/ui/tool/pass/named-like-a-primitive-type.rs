//! The type of a tool may have another name than its function.

use polyloop::{Dialect, Registry, registry, tool};

/// Reads a character.
#[tool(type = ReadCharacter)]
async fn char() -> &'static str {
    "c"
}

registry! { struct App { tools: [ReadCharacter] } }

pub(crate) fn main() {
    let shown = App::tools().unwrap().schema_for_model(Dialect::Canonical).unwrap();
    assert!(shown.contains(r#""name":"char""#));
}
