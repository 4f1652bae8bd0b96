use polyloop::toolbox;

struct Workspace;

#[toolbox]
impl Workspace {
    /// Reads a file.
    #[tool]
    async fn read(&self) -> u32 {
        7
    }
}

polyloop::registry! { struct App { state: Workspace, tools: [workspace_tools::read] } }

fn main() {}
