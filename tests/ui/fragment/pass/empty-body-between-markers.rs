//! Markers alone can say something.

use polyloop::{ContextFragment, Render};

/// Here the conversation was cut.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cut", "/>"), max_chars = 20, body = "")]
struct Cut;

pub(crate) fn main() {
    assert_eq!(Cut.render().unwrap().text(), "<cut/>");
}
