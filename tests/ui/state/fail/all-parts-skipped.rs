use polyloop::State;

struct Database;

#[derive(State)]
struct Workspace {
    #[state(skip)]
    database: Database,
}

fn main() {}
