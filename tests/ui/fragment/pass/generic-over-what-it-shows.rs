//! A generic fragment asks of its parameter what its body needs.

use polyloop::{ContextFragment, Render};

/// What is planned.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<plan>", "</plan>"), max_chars = 200, body = "{steps}")]
struct Plan<T> {
    steps: T,
}

pub(crate) fn main() {
    assert_eq!(Plan { steps: 3 }.render().unwrap().text(), "<plan>3</plan>");
    assert_eq!(Plan { steps: "three" }.render().unwrap().text(), "<plan>three</plan>");
}
