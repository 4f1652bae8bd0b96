use polyloop::prelude::*;

/// Which day it is.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<today>", "</today>"), max_chars = 200, body = "{date}")]
#[fragment(lifetime = latest, never_retracted = "it is always some day")]
struct Today {
    date: String,
}

registry! { struct App { fragments: [Today] } }

fn main() {
    let mut session = Session::<App>::new();
    let _ = session.retract::<Today>();
}
