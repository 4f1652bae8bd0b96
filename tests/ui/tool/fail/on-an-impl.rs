use polyloop::tool;

struct Workspace;

#[tool]
impl Workspace {}

fn main() {}
