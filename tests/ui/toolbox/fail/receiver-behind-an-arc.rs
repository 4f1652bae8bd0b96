use polyloop::toolbox;

struct Workspace;

#[toolbox]
impl Workspace {
    /// Reads a file.
    #[tool]
    async fn read(self: std::sync::Arc<Self>) -> String {
        String::new()
    }
}

polyloop::registry! { struct App { state: Workspace, tools: [workspace_tools::read] } }

fn main() {}
