use polyloop::State;

struct Database;

#[derive(State)]
struct Workspace {
    main: Database,
    backup: Database,
}

fn main() {}
