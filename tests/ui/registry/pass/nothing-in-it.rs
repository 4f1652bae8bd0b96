//! A registry may be empty.

use polyloop::{Registry, registry};

registry! { struct App {} }

pub(crate) fn main() {
    assert!(App::SPEC.fragments.is_empty());
}
