use polyloop::State;

struct Database;

struct Mail;

#[derive(State)]
struct Workspace {
    database: Database,
    #[state(skp)]
    mail: Mail,
}

fn main() {}
