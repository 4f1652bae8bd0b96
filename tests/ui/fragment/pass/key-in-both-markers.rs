//! A key stands in the begin and in the end.

use polyloop::{ContextFragment, Key, Render};

/// What another program said.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<external_{source}>", "</external_{source}>"), max_chars = 2_000, body = "{text}")]
struct External {
    source: Key,
    text: String,
}

pub(crate) fn main() {
    let said = External { source: Key::new("browser").unwrap(), text: "done".into() };
    assert_eq!(said.render().unwrap().text(), "<external_browser>done</external_browser>");
}
