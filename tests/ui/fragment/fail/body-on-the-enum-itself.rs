use polyloop::{ContextFragment, registry};

/// Whether to ask first.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<approval>", "</approval>"), max_chars = 200, body = "Ask.")]
enum Approval {
    Always,
    Never { reason: String },
}

registry! { struct App { fragments: [Approval] } }

fn main() {}
