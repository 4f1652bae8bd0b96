use polyloop::{ContextFragment, registry};

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("Hint:", "."), max_chars = 200, body = "{text}")]
struct Hint {
    text: String,
}

/// What is told.
#[derive(ContextFragment)]
#[fragment(role = user, markers("Hint: careful:", "!."), max_chars = 200, body = "{text}")]
struct Warning {
    text: String,
}

registry! {
    struct App {
        fragments: [Hint, Warning],
    }
}

fn main() {}
