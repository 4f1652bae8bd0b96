//! What has no `#[tool]` stays as it is.

use polyloop::{Registry, registry, toolbox};

struct Workspace {
    root: String,
}

#[toolbox]
impl Workspace {
    fn new(root: &str) -> Self {
        Self { root: root.to_owned() }
    }

    /// Tells the root.
    #[tool(replay = safe)]
    async fn root(&self) -> String {
        self.root.clone()
    }
}

registry! { struct App { state: Workspace, tools: [workspace_tools::root] } }

pub(crate) fn main() {
    assert_eq!(Workspace::new("/srv").root, "/srv");
    assert!(App::tools().unwrap().get("root").is_some());
}
