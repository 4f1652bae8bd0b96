//! A tool borrows state and learns about its call; the model sees neither.

use polyloop::{CallContext, Dialect, Registry, registry, tool};

struct Workspace;

/// Reads a file.
#[tool]
async fn read_file(#[state] _: &Workspace, #[call] call: &CallContext) -> String {
    format!("{call:?}")
}

registry! { struct App { state: Workspace, tools: [read_file] } }

pub(crate) fn main() {
    let shown = App::tools().unwrap().schema_for_model(Dialect::Canonical).unwrap();
    assert!(shown.contains(r#""properties":{}"#));
}
