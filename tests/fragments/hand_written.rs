//! An implementation by hand is the derived one in every respect.

use polyloop::__private::check_specs;
use polyloop::prelude::*;
use polyloop::{
    Body, Channel, FragmentEntry, FragmentSpec, Legacy, Lifetime, OnCompact, OnFork, Overflow, Piece, Pin,
    Slot,
};
use proptest::prelude::*;

mod derived {
    use super::*;

    #[derive(ContextFragment)]
    #[fragment(role = developer, markers("<clock_{zone}>", "</clock>"), lifetime = latest, max_chars = 60)]
    #[fragment(absent = "The clock stopped.", overflow = cut(tail), notice = "[{left_out}]")]
    #[fragment(legacy("<time>", "</time>"), body = "it is {time}, {comment}!")]
    pub(super) struct Clock {
        pub(super) zone: Key,
        pub(super) time: u64,
        pub(super) comment: String,
    }

    registry! { pub(super) struct App { fragments: [Clock, Other] } }
}

mod by_hand {
    use super::*;

    pub(super) struct Clock {
        pub(super) zone: Key,
        pub(super) time: u64,
        pub(super) comment: String,
    }

    impl ContextFragment for Clock {
        const SPEC: FragmentSpec = FragmentSpec::new("clock", Role::Developer, 60)
            .declared("Clock", "", 0)
            .markers("<clock_{key}>", "</clock>")
            .legacy(&[Legacy::Pair("<time>", "</time>")])
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
    // The next statement of a `latest` kind is recorded, however it is declared.
    left.inject(derived::Clock { zone: zone(), time: 8, comment: "x".into() }).unwrap();
    right.inject(by_hand::Clock { zone: zone(), time: 8, comment: "x".into() }).unwrap();
    assert_eq!(crate::support::texts(&left), crate::support::texts(&right));
    assert_eq!(
        crate::support::texts(&left),
        ["<clock_utc>it is 7, x!</clock>", "<clock_utc>it is 8, x!</clock>"]
    );
}

/// What is said of a description in a registry.
fn fault(spec: &FragmentSpec) -> String {
    let entries = [FragmentEntry { kind: (), spec: Box::leak(Box::new(*spec)) }];
    check_specs(&entries).text().to_owned()
}

#[test]
fn a_description_by_hand_is_checked_like_a_derived_one() {
    fn base() -> FragmentSpec {
        FragmentSpec::new("note", Role::User, 100).markers("<note>", "</note>")
    }
    let latest = || base().lifetime(Lifetime::Latest).absent("Gone.");
    let injection = || FragmentSpec::new("note", Role::User, 100).slot(Slot::Injection(Channel::Named("x")));
    let named = |kind| FragmentSpec::new(kind, Role::User, 100).markers("<note>", "</note>");
    let table = [
        (named("Note"), "`feature.name`"),
        (named("polyloop.note"), "reserved"),
        (base().was(&["Old"]), "former kind"),
        (base().was(&["old", "note"]), "its own kind"),
        (FragmentSpec::new("note", Role::Tool, 100).markers("<n>", "</n>"), "`tool`"),
        (FragmentSpec::new("note", Role::User, 100), "no markers"),
        (base().unmarked(" "), "no markers"),
        (FragmentSpec::new("note", Role::User, 0).unmarked("why"), "no `max_chars`"),
        (FragmentSpec::new("note", Role::User, 13).markers("<note>", "</note>"), "its markers take up"),
        (FragmentSpec::new("note", Role::User, 40_001).unmarked("why"), "`large`"),
        (base().large(" "), "without a reason"),
        (base().at_most(0), "`at_most` of 0"),
        (base().lifetime(Lifetime::Latest), "can become false"),
        (latest().absent(" "), "empty `absent`"),
        (base().absent("Gone."), "without being `latest`"),
        (base().lifetime(Lifetime::Once).on_compact(OnCompact::Keep), "news of one turn"),
        (base().on_compact(OnCompact::Restate), "restated"),
        (base().on_fork(OnFork::Refresh), "refreshed"),
        (latest().change(), "record its `state`"),
        (base().state().change(), "must be `latest`"),
        (base().notice("{left_out}"), "never cuts"),
        (base().overflow(Overflow::CutTail).notice("cut"), "put `{left_out}`"),
        (base().overflow(Overflow::CutTail).notice("{{left_out}}"), "put `{left_out}`"),
        (base().markers("", "</note>"), "empty marker"),
        (base().markers("<note>", ""), "empty marker"),
        (base().markers(" <note>", "</note>"), "white space"),
        (base().markers("<note>", "</note>\n"), "white space"),
        (base().markers("<{key} {key}>", "</note>"), "brace"),
        (base().markers("<{name}>", "</note>"), "brace"),
        (base().markers("<note}>", "</note>"), "brace"),
        (base().markers("<{key}s>", "</note>"), "ends a key"),
        (base().markers("note {key}", "</note>"), "ends a key"),
        (base().markers("{key}>", "</note>"), "before it"),
        (base().markers("<note>", "</{key}>"), "its begin marker lacks"),
        (base().legacy(&[Legacy::Pair("<n>", "")]), "empty marker"),
        (base().legacy(&[Legacy::Prefix("x"), Legacy::Prefix(" n")]), "white space"),
        (injection().role_of_the_system(), "is an injection"),
        (injection().markers("<n>", "</n>"), "is an injection"),
        (injection().rank(1), "is an injection"),
        (injection().pin(Pin::Top), "is an injection"),
        (injection().slot(Slot::Injection(Channel::Named(""))), "no name"),
    ];
    for (spec, expected) in table {
        let said = fault(&spec);
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

trait OfTheSystem {
    fn role_of_the_system(self) -> Self;
}

impl OfTheSystem for FragmentSpec {
    /// No setter does that; a field can be set all the same.
    fn role_of_the_system(mut self) -> Self {
        self.role = Role::System;
        self
    }
}

#[test]
fn a_sound_description_by_hand_is_taken() {
    let base = || FragmentSpec::new("feature.note_1", Role::System, 30);
    for spec in [
        base().unmarked("why"),
        base().markers("<{{note}} {key}>", "</{{note}}>").was(&["note"]),
        base()
            .markers("<n {key}>", "</n {key}>")
            .legacy(&[Legacy::Prefix("# {key}:"), Legacy::Pair("<o>", "</o>")]),
        base().unmarked("why").slot(Slot::Injection(Channel::Field)).at_most(3),
        base().markers("äöü", "äöü").overflow(Overflow::CutMiddle).notice("{{{left_out}}}"),
        FragmentSpec::new("n", Role::User, 7).markers("日本日", "日本日"),
        base()
            .markers("<n>", "</n>")
            .lifetime(Lifetime::Latest)
            .absent("x")
            .state()
            .change()
            .on_fork(OnFork::Drop),
        base().markers("<n>", "</n>").lifetime(Lifetime::Once).on_compact(OnCompact::Drop),
    ] {
        assert_eq!(fault(&spec), "", "{spec:?}");
    }
}
