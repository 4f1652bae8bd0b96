//! A placeholder names a raw identifier without its `r#`.

use polyloop::{ContextFragment, Render};

/// What an object is.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<type>", "</type>"), max_chars = 200, body = "{type}")]
struct Object {
    r#type: String,
}

pub(crate) fn main() {
    assert_eq!(Object { r#type: "file".into() }.render().unwrap().text(), "<type>file</type>");
}
