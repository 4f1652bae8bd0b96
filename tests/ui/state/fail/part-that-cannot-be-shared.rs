use polyloop::State;

struct Database {
    open: std::cell::Cell<u32>,
}

#[derive(State)]
struct Workspace {
    database: Database,
}

fn main() {}
