//! A cut says how much it left out.

use polyloop::{ContextFragment, Render};

/// The end of a log.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<log>", "</log>"), max_chars = 60, body = "{text}")]
#[fragment(overflow = cut(head), notice = "[{left_out} characters before this] ")]
struct Log {
    text: String,
}

pub(crate) fn main() {
    let log = Log { text: format!("{}end", "x".repeat(90)) };
    assert!(log.render().unwrap().text().ends_with("end</log>"));
}
