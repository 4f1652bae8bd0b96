//! A part may be kept back.

use polyloop::{Provide, State};

struct Database(u8);

#[derive(State)]
struct Workspace {
    database: Database,
    #[state(skip)]
    backup: Database,
}

pub(crate) fn main() {
    let workspace = Workspace { database: Database(1), backup: Database(2) };
    let Database(provided) = workspace.provide();
    assert_eq!((*provided, workspace.backup.0), (1, 2));
}
