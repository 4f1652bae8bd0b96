use polyloop::tool;

struct Workspace;

impl Workspace {
    /// Reads a file.
    #[tool]
    async fn read_file(&self) -> String {
        String::new()
    }
}

fn main() {}
