use polyloop::{ContextFragment, registry};

/// What there is.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "the overview")]
struct Übersicht;

registry! { struct App { fragments: [Übersicht] } }

fn main() {}
