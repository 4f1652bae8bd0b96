use polyloop::State;

#[derive(State)]
enum Workspace {
    Local,
    Remote,
}

fn main() {}
