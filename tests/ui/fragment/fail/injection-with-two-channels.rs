use polyloop::{ContextFragment, registry};

/// Guidance that is pasted in.
#[derive(ContextFragment)]
#[fragment(slot = injection("skill"), max_chars = 8_000, body = "{content}")]
struct Skill {
    #[fragment(channel)]
    channel: String,
    content: String,
}

registry! { struct App { fragments: [Skill] } }

fn main() {}
