use polyloop::toolbox;

struct Workspace;

#[toolbox]
impl Workspace {
    /// Reads a file.
    #[tool]
    async fn read(&self) -> String {
        String::new()
    }

    #[tool]
    const LINES: u32 = 100;
}

fn main() {}
