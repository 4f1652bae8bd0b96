//! A tuple struct provides its parts.

use polyloop::{Provide, State};

struct Database(u8);

struct Mail(u8);

#[derive(State)]
struct Workspace(Database, Mail);

pub(crate) fn main() {
    let workspace = Workspace(Database(1), Mail(2));
    let (database, mail): (&Database, &Mail) = (workspace.provide(), workspace.provide());
    assert_eq!((database.0, mail.0), (1, 2));
}
