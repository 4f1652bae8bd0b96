use polyloop::toolbox;

trait Disk: Send + Sync {}

#[toolbox]
impl dyn Disk {
    /// Reads a file.
    #[tool]
    async fn read(&self) -> String {
        String::new()
    }
}

fn main() {}
