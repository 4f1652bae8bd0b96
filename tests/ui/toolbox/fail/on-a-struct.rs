use polyloop::toolbox;

#[toolbox]
struct Workspace;

fn main() {}
