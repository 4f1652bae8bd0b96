//! An implementation by hand is the derived one in every respect.

use polyloop::prelude::*;
use polyloop::{Body, FragmentSpec, Lifetime, Overflow, Piece};
use proptest::prelude::*;

mod derived {
    use super::*;

    #[derive(ContextFragment)]
    #[fragment(role = developer, markers("<clock_{zone}>", "</clock>"), lifetime = latest, max_chars = 60)]
    #[fragment(absent = "The clock stopped.", overflow = cut(tail), notice = "[{left_out}]")]
    #[fragment(legacy("<time>", "</time>"), body = "it is {time}, {comment}!")]
    pub(super) struct Clock {
        pub(super) zone: polyloop::Key,
        pub(super) time: u64,
        pub(super) comment: String,
    }

    registry! { pub(super) struct App { fragments: [Clock, Other] } }
}

mod by_hand {
    use super::*;

    pub(super) struct Clock {
        pub(super) zone: polyloop::Key,
        pub(super) time: u64,
        pub(super) comment: String,
    }

    impl ContextFragment for Clock {
        const SPEC: FragmentSpec = FragmentSpec::new("clock", Role::Developer, 60)
            .declared("Clock", "", 0)
            .markers("<clock_{key}>", "</clock>")
            .legacy(&[polyloop::Legacy::Pair("<time>", "</time>")])
            .lifetime(Lifetime::Latest)
            .absent("The clock stopped.")
            .overflow(Overflow::CutTail)
            .notice("[{left_out}]")
            .templates(&[&[
                Piece::Text("it is "),
                Piece::Field("time"),
                Piece::Text(", "),
                Piece::Field("comment"),
                Piece::Text("!"),
            ]]);

        fn body(&self) -> Body {
            let body = Body::new().text("it is ").value(self.time).text(", ").value(&self.comment).text("!");
            body.key(self.zone.as_str())
        }
    }

    registry! { pub(super) struct App { fragments: [Clock, Other] } }
}

#[derive(ContextFragment)]
#[fragment(role = user, markers("<other>", "</other>"), max_chars = 60, body = "")]
struct Other;

/// The description, without where in the source it stands.
fn described(mut spec: FragmentSpec) -> String {
    (spec.file, spec.line) = ("", 0);
    format!("{spec:?}")
}

#[test]
fn the_descriptions_are_equal() {
    assert_eq!(described(derived::Clock::SPEC), described(by_hand::Clock::SPEC));
    assert_eq!(derived::App::fingerprint().unwrap(), by_hand::App::fingerprint().unwrap());
    assert!(by_hand::Clock::matches("<time>9</time>"));
    assert!(by_hand::App::render(&Other).is_ok());
}

proptest! {
    #![proptest_config(crate::properties::config(256))]

    #[test]
    fn the_renderings_are_equal(
        zone in "[a-z]{1,8}|other",
        time in any::<u64>(),
        comment in "(<|/|clock|clock>|</other>|&lt;|é|\n|x){0,12}",
    ) {
        let zone = crate::support::key(&zone);
        let one = derived::Clock { zone: zone.clone(), time, comment: comment.clone() };
        let other = by_hand::Clock { zone, time, comment };
        prop_assert_eq!(one.render(), other.render());
        let (one, other) = (derived::App::render(&one), by_hand::App::render(&other));
        prop_assert_eq!(&one, &other);
        if let Ok(rendered) = one {
            let known = by_hand::App::recognize(rendered.text()).unwrap();
            prop_assert_eq!(known.kind, by_hand::AppKind::Clock);
            let same = derived::App::recognize(rendered.text()).unwrap();
            prop_assert_eq!((known.key, known.body, known.legacy), (same.key, same.body, same.legacy));
            prop_assert!(by_hand::Clock::matches(rendered.text()));
        }
    }
}

#[test]
fn sessions_record_both_alike() {
    let zone = || crate::support::key("utc");
    let mut left = Session::<derived::App>::new();
    let mut right = Session::<by_hand::App>::new();
    left.inject(derived::Clock { zone: zone(), time: 7, comment: "x".into() }).unwrap();
    right.inject(by_hand::Clock { zone: zone(), time: 7, comment: "x".into() }).unwrap();
    // `latest` defaults to one a turn, however it is declared.
    assert!(left.inject(derived::Clock { zone: zone(), time: 8, comment: "x".into() }).is_err());
    assert!(right.inject(by_hand::Clock { zone: zone(), time: 8, comment: "x".into() }).is_err());
    assert_eq!(crate::support::texts(&left), crate::support::texts(&right));
    assert_eq!(crate::support::texts(&left), ["<clock_utc>it is 7, x!</clock>"]);
}
