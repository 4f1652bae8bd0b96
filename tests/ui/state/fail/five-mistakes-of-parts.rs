use polyloop::State;

struct Database;

struct Mail;

#[derive(State)]
#[state(skip)]
struct Workspace {
    main: Database,
    backup: Database,
    archive: Database,
    #[state(skp)]
    mail: Mail,
    #[state(crate = polyloop)]
    owner: Mail,
}

fn main() {}
