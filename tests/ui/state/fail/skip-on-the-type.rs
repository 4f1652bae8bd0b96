use polyloop::State;

struct Database;

#[derive(State)]
#[state(skip)]
struct Workspace {
    database: Database,
}

fn main() {}
