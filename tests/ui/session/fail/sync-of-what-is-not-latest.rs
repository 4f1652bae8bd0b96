use polyloop::prelude::*;

/// What is left to do.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<plan>", "</plan>"), max_chars = 200, body = "{text}")]
struct Plan {
    text: String,
}

registry! { struct App { fragments: [Plan] } }

fn main() {
    let mut session = Session::<App>::new();
    let _ = session.sync(Plan { text: "test".into() });
}
