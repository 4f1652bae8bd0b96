use polyloop::toolbox;

/// Reads a file.
#[toolbox]
async fn read_file() -> String {
    String::new()
}

fn main() {}
