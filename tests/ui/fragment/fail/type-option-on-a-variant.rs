use polyloop::{ContextFragment, registry};

/// Whether to ask first.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<approval>", "</approval>"), max_chars = 200)]
enum Approval {
    #[fragment(body = "Ask before each command.", visible)]
    Always,
    #[fragment(body = "Do not ask: {reason}")]
    Never { reason: String },
}

registry! { struct App { fragments: [Approval] } }

fn main() {}
