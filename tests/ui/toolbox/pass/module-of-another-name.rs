//! The module of the tools may be named.

use polyloop::{Registry, registry, toolbox};

struct Workspace {
    root: String,
}

#[toolbox(module = files)]
impl Workspace {
    /// Tells the root.
    #[tool]
    async fn root(&self) -> String {
        self.root.clone()
    }

    /// Tells whether a path is below the root.
    #[tool]
    async fn holds(
        &self,
        /// The path.
        path: String,
    ) -> String {
        path.starts_with(&self.root).to_string()
    }
}

registry! { struct App { state: Workspace, tools: [files::root, files::holds] } }

pub(crate) fn main() {
    assert_eq!(App::tools().unwrap().len(), 2);
}
