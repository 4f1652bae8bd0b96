//! Two kinds of one generic type have two names.

use polyloop::{Body, ContextFragment, FragmentSpec, Registry, Role, registry};

struct Note<const N: usize>;

impl ContextFragment for Note<1> {
    const SPEC: FragmentSpec = FragmentSpec::new("first", Role::User, 60).markers("<first>", "</first>");

    fn body(&self) -> Body {
        Body::new().text("one")
    }
}

impl ContextFragment for Note<2> {
    const SPEC: FragmentSpec = FragmentSpec::new("second", Role::User, 60).markers("<second>", "</second>");

    fn body(&self) -> Body {
        Body::new().text("two")
    }
}

registry! { struct App { fragments: [Note<1> as First, Note<2> as Second] } }

pub(crate) fn main() {
    assert_eq!(App::recognize("<second>two</second>").unwrap().kind, AppKind::Second);
}
