//! The fields of a tuple struct are named by their place.

use polyloop::{ContextFragment, Render};

/// How far the work is.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<progress>", "</progress>"), max_chars = 200, body = "{0} of {1}")]
struct Progress(u32, u32);

pub(crate) fn main() {
    assert_eq!(Progress(3, 9).render().unwrap().text(), "<progress>3 of 9</progress>");
}
