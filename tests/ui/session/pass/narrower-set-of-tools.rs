//! A narrower set is named by type.

use polyloop::prelude::*;

/// Reads a file.
#[tool]
async fn read_file() -> String {
    String::new()
}

/// Hands in the answer.
#[tool(completes_run)]
async fn submit() -> String {
    String::new()
}

registry! { struct App { tools: [read_file, submit] } }

pub(crate) fn main() {
    let agent = Agent::<App>::builder(Scripted::replies([])).build().unwrap();
    assert_eq!(agent.only::<(submit,)>().tools().len(), 1);
    assert!(agent.without::<submit>().tools().get("read_file").is_some());
}
