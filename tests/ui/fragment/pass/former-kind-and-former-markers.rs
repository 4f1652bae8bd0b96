//! What was written once stays recognisable.

use polyloop::{ContextFragment, Recognize};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
#[fragment(was = "cwd", legacy("<dir>", "</dir>"), legacy_prefix = "Directory: ")]
struct WorkingDirectory {
    path: String,
}

pub(crate) fn main() {
    for text in ["<cwd>/srv</cwd>", "<dir>/srv</dir>", "Directory: /srv"] {
        assert!(WorkingDirectory::matches(text), "{text}");
    }
    assert!(!WorkingDirectory::matches("/srv"));
}
