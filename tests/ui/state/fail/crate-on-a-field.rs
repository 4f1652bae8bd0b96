use polyloop::State;

struct Database;

#[derive(State)]
struct Workspace {
    #[state(crate = polyloop)]
    database: Database,
}

fn main() {}
