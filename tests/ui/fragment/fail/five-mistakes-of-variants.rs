use polyloop::{ContextFragment, registry};

/// Whether to ask first.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<approval>", "</approval>"), max_chars = 200)]
enum Approval {
    Always,
    #[fragment(body = "Do not ask: {reson}")]
    Never { reason: String },
    #[fragment(body = "Ask when {}.", id)]
    Sometimes { #[fragment(skp)] when: String },
}

registry! { struct App { fragments: [Approval] } }

fn main() {}
