//! A reason stands in for a cancellation.

use polyloop::{ContextFragment, Render};

/// What time it is.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<now>", "</now>"), max_chars = 200, body = "{seconds}")]
#[fragment(lifetime = latest, never_retracted = "there is always a time")]
struct Now {
    seconds: u64,
}

pub(crate) fn main() {
    assert!(Now { seconds: 1 }.render().is_ok());
}
