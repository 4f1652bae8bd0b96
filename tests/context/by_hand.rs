//! A latest type that is written by hand.

use polyloop::{
    Body, ContextFragment, FragmentSpec, LatestFragment, Registered, Registry, RetractableFragment, Role,
    Session, Statement, registry,
};

use crate::wording::{expect, is_silent};

/// By hand: what the derive writes is all that a latest type is.
struct Clock(u64);

impl ContextFragment for Clock {
    const SPEC: FragmentSpec = FragmentSpec::new("clock", Role::Developer, 60)
        .markers("<clock>", "</clock>")
        .lifetime(polyloop::Lifetime::Latest)
        .absent("It has stopped.")
        .at_most(8);

    fn body(&self) -> Body {
        Body::new().value(self.0)
    }
}

impl LatestFragment for Clock {
    fn change_since(&self, _: &str) -> Option<Body> {
        unreachable!("no state is recorded")
    }
}

impl RetractableFragment for Clock {}

registry! { struct ByHand { fragments: [Clock] } }

fn is_registered<R: Registry, F: Registered<R>>() -> bool {
    !R::SPEC.fragments.is_empty() && !F::SPEC.kind.is_empty()
}

#[test]
fn a_type_by_hand_is_told_like_any_other() {
    assert!(is_registered::<ByHand, Clock>());
    let mut session = Session::<ByHand>::new();
    session.sync(Clock(1)).unwrap();
    assert!(is_silent(session.sync(Clock(1))));
    session.sync(Clock(2)).unwrap();
    session.retract::<Clock>().unwrap();
    let expected = [
        ("<clock>1</clock>", Statement::Full),
        ("<clock>2</clock>", Statement::Full),
        ("<clock>It has stopped.</clock>", Statement::Retraction),
    ];
    expect(&session, &expected);
}
