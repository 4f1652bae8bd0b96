//! Doubled braces are text.

use polyloop::{ContextFragment, Render};

/// How to answer.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<form>", "</form>"), max_chars = 200, body = "{{\"answer\": {answer}}}")]
struct Form {
    answer: u8,
}

pub(crate) fn main() {
    assert_eq!(Form { answer: 7 }.render().unwrap().text(), "<form>{\"answer\": 7}</form>");
}
