//! Recognition may be given up, if that is written down.

use polyloop::{ContextFragment, Render};

/// Told once, when little room is left.
#[derive(ContextFragment)]
#[fragment(role = developer, unmarked = "a reminder for this turn only", lifetime = once, max_chars = 200)]
#[fragment(slot = turn, body = "{left} characters of context are left.")]
struct RoomLeft {
    left: usize,
}

pub(crate) fn main() {
    assert_eq!(RoomLeft { left: 9 }.render().unwrap().text(), "9 characters of context are left.");
}
