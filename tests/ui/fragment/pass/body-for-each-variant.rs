//! Each variant of an enum has a body of its own.

use polyloop::{ContextFragment, Render};

/// Whether to ask first.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<approval>", "</approval>"), max_chars = 200)]
enum Approval {
    #[fragment(body = "Ask before each command.")]
    Always,
    #[fragment(body = "Do not ask: {reason}")]
    Never { reason: String },
    #[fragment(body = Self::listed)]
    For(Vec<String>),
}

impl Approval {
    fn listed(&self) -> String {
        match self {
            Self::For(commands) => format!("Ask before {}.", commands.join(", ")),
            Self::Always | Self::Never { .. } => String::new(),
        }
    }
}

pub(crate) fn main() {
    let texts = [
        Approval::Always,
        Approval::Never { reason: "a sandbox".into() },
        Approval::For(vec!["rm".into(), "mv".into()]),
    ]
    .map(|approval| approval.render().unwrap().text().to_owned());
    assert_eq!(texts[0], "<approval>Ask before each command.</approval>");
    assert_eq!(texts[1], "<approval>Do not ask: a sandbox</approval>");
    assert_eq!(texts[2], "<approval>Ask before rm, mv.</approval>");
}
