//! A field may name the channel of an injection.

use polyloop::{ContextFragment, Render};

/// Guidance that is pasted in.
#[derive(ContextFragment)]
#[fragment(slot = injection, max_chars = 8_000, body = "{content}")]
struct Guidance {
    #[fragment(channel)]
    channel: String,
    #[fragment(id)]
    entry: u32,
    content: String,
}

pub(crate) fn main() {
    let guidance = Guidance { channel: "skill".into(), entry: 7, content: "Be brief.".into() };
    assert_eq!(guidance.render().unwrap().text(), "Be brief.");
}
