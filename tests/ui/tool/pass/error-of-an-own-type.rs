//! An error that can be displayed is an error of a tool.

use polyloop::{Registry, registry, tool};

struct Missing;

impl std::fmt::Display for Missing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("there is no such file")
    }
}

/// Reads a file.
#[tool]
async fn read_file() -> Result<String, Missing> {
    Err(Missing)
}

registry! { struct App { tools: [read_file] } }

pub(crate) fn main() {
    assert!(App::tools().is_ok());
}
