use polyloop::{ContextFragment, registry};

/// Whether to ask first.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<approval>", "</approval>"), max_chars = 200)]
enum Approval {
    #[fragment(body = "Ask before each command.")]
    Always,
    #[fragment(body = "Do not ask: {reasons}")]
    Never { reasons: Vec<String> },
}

registry! { struct App { fragments: [Approval] } }

fn main() {}
