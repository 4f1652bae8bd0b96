//! An end marker need not repeat the key.

use polyloop::{ContextFragment, Key, ParseFragment, Render};

/// What another program said.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<external_{source}>", "</external>"), max_chars = 2_000, body = "{text}")]
struct External {
    source: Key,
    text: String,
}

pub(crate) fn main() {
    let said = External { source: Key::new("browser").unwrap(), text: "done".into() };
    let text = said.render().unwrap();
    assert_eq!(text.text(), "<external_browser>done</external>");
    assert_eq!(External::parse(text.text()).unwrap().source.as_str(), "browser");
}
