use polyloop::State;

#[derive(State)]
struct Workspace;

fn main() {}
