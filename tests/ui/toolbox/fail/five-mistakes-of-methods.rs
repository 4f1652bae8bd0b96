use polyloop::toolbox;

struct Workspace;

#[toolbox]
impl Workspace {
    /// Reads a file.
    #[tool]
    fn read(&self) -> String {
        String::new()
    }

    #[tool]
    async fn write(&mut self, text: String) -> String {
        text
    }

    /// Searches.
    #[tool(replay = maybe)]
    async fn search(&self) -> String {
        String::new()
    }
}

fn main() {}
