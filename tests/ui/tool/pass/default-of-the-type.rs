//! A bare `default` is the default of the type.

use polyloop::{Dialect, Registry, registry, tool};

/// Reads a file.
#[tool]
async fn read_file(
    /// Lines to skip.
    #[arg(default, range(0..=100))]
    skip: u32,
) -> String {
    skip.to_string()
}

registry! { struct App { tools: [read_file] } }

pub(crate) fn main() {
    let shown = App::tools().unwrap().schema_for_model(Dialect::Canonical).unwrap();
    assert!(shown.contains(r#""default":0"#));
    assert!(shown.contains(r#""maximum":100"#));
}
