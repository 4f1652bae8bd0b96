use polyloop::tool;

/// Reads a file.
#[tool]
struct ReadFile;

fn main() {}
