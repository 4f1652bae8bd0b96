use polyloop::toolbox;

struct Workspace<T>(T);

#[toolbox]
impl<T: Send + Sync + 'static> Workspace<T> {
    /// Reads a file.
    #[tool]
    async fn read(&self) -> String {
        String::new()
    }
}

fn main() {}
