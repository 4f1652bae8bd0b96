//! Every option of a fragment arrives in its description, with the stated defaults.

use polyloop::prelude::*;
use polyloop::{
    Absent, Channel, FragmentSpec, Legacy, Lifetime, Marker, Marking, Memory, OnCompact, OnFork, OnRollback,
    Overflow, Piece, Pin, Slot,
};

/// The description of a fragment with these options beside a role, markers, a cap and a body.
macro_rules! spec {
    ($($option:tt)*) => {{
        #[derive(ContextFragment, serde::Serialize, serde::Deserialize)]
        #[fragment(role = user, markers("<it>", "</it>"), max_chars = 100, body = "{text}")]
        #[fragment($($option)*)]
        #[allow(dead_code, reason = "only its description is looked at")]
        struct It { text: String }
        impl It {
            #[allow(dead_code, reason = "one row of the table names it")]
            fn change(_: &Self, _: &Self) -> Option<polyloop::Body> { None }
        }
        placeless(It::SPEC)
    }};
}

/// The description of an injection with these options.
macro_rules! injection {
    ($($option:tt)*) => {{
        #[derive(ContextFragment)]
        #[fragment(max_chars = 100, body = "{text}", $($option)*)]
        #[allow(dead_code, reason = "only its description is looked at")]
        struct It { text: String }
        placeless(It::SPEC)
    }};
}

fn placeless(mut spec: FragmentSpec) -> FragmentSpec {
    assert!(spec.file.ends_with("spec_data.rs") && spec.line > 0, "{}:{}", spec.file, spec.line);
    (spec.file, spec.line) = ("", 0);
    spec
}

/// A change of the description without any options.
type Change = fn(&mut FragmentSpec);

#[track_caller]
fn assert_table(base: &FragmentSpec, rows: &[(FragmentSpec, Change)]) {
    for (found, change) in rows {
        let mut expected = *base;
        change(&mut expected);
        assert_eq!(format!("{found:#?}"), format!("{expected:#?}"));
    }
}

#[test]
fn the_safe_thing_needs_no_words() {
    let spec = spec!();
    assert_eq!((spec.kind, spec.type_name, spec.role), ("it", "It", Role::User));
    let (begin, end) = (Marker::new("<it>"), Marker::new("</it>"));
    assert_eq!(spec.marking, Marking::Marked { begin, end });
    assert!(spec.was.is_empty() && spec.legacy.is_empty());
    assert!(!spec.standalone && !spec.visible && !spec.change && !spec.state && !spec.raw);
    assert_eq!((spec.slot, spec.rank, spec.pin), (Slot::Run, 0, None));
    assert_eq!((spec.lifetime, spec.absent), (Lifetime::Sticky, None));
    assert_eq!((spec.on_compact, spec.on_fork), (OnCompact::Keep, OnFork::Keep));
    assert_eq!((spec.on_rollback, spec.memory), (OnRollback::Trim, Memory::Exclude));
    assert_eq!((spec.max_chars, spec.large, spec.at_most), (100, None, 8));
    assert_eq!((spec.overflow, spec.notice), (Overflow::Refuse, None));
    assert_eq!(spec.templates, [[Piece::Field("text")]]);
}

#[test]
fn identity_and_place_arrive() {
    assert_table(
        &spec!(),
        &[
            (spec!(kind = "room.it"), |spec| spec.kind = "room.it"),
            (spec!(was = "a", was = "b.c"), |spec| spec.was = &["a", "b.c"]),
            (spec!(legacy("<o>", "</o>"), legacy("<p {key}>", "</p>"), legacy_prefix = "Old:"), |spec| {
                spec.legacy =
                    &[Legacy::Pair("<o>", "</o>"), Legacy::Pair("<p {key}>", "</p>"), Legacy::Prefix("Old:")];
            }),
            (spec!(standalone), |spec| spec.standalone = true),
            (spec!(slot = run), |spec| spec.slot = Slot::Run),
            (spec!(slot = goal), |spec| spec.slot = Slot::Goal),
            (spec!(slot = turn), |spec| spec.slot = Slot::Turn),
            (spec!(rank = 7), |spec| spec.rank = 7),
            (spec!(rank = -7), |spec| spec.rank = -7),
            (spec!(pin = top), |spec| spec.pin = Some(Pin::Top)),
            (spec!(pin = bottom), |spec| spec.pin = Some(Pin::Bottom)),
        ],
    );
}

#[test]
fn policies_arrive() {
    assert_table(
        &spec!(),
        &[
            (spec!(visible), |spec| spec.visible = true),
            (spec!(on_compact = keep), |spec| {
                spec.on_compact = OnCompact::Keep;
                spec.on_compact_stated = true;
            }),
            (spec!(on_compact = drop), |spec| {
                spec.on_compact = OnCompact::Drop;
                spec.on_compact_stated = true;
            }),
            (spec!(on_fork = keep), |spec| spec.on_fork = OnFork::Keep),
            (spec!(on_fork = drop), |spec| spec.on_fork = OnFork::Drop),
            (spec!(on_rollback = trim), |spec| spec.on_rollback = OnRollback::Trim),
            (spec!(on_rollback = keep), |spec| spec.on_rollback = OnRollback::Keep),
            (spec!(memory = include), |spec| spec.memory = Memory::Include),
            (spec!(memory = exclude), |spec| spec.memory = Memory::Exclude),
            (spec!(state), |spec| spec.state = true),
            (spec!(raw), |spec| spec.raw = true),
        ],
    );
}

#[test]
fn bounds_arrive() {
    #[derive(ContextFragment)]
    #[fragment(role = user, unmarked = "a copy", max_chars = 40_001, large = "whole files", body = "text")]
    struct Large;
    assert_table(
        &spec!(),
        &[
            (spec!(at_most = 3), |spec| spec.at_most = 3),
            (spec!(overflow = refuse), |spec| spec.overflow = Overflow::Refuse),
            (spec!(overflow = cut(head)), |spec| spec.overflow = Overflow::CutHead),
            (spec!(overflow = cut(tail)), |spec| spec.overflow = Overflow::CutTail),
            (spec!(overflow = cut(middle)), |spec| spec.overflow = Overflow::CutMiddle),
            (spec!(overflow = cut(tail), notice = "-{left_out}-"), |spec| {
                spec.overflow = Overflow::CutTail;
                spec.notice = Some("-{left_out}-");
            }),
        ],
    );
    assert_eq!((Large::SPEC.max_chars, Large::SPEC.large), (40_001, Some("whole files")));
}

#[test]
fn roles_and_giving_up_recognition_arrive() {
    macro_rules! of_role {
        ($role:ident) => {{
            #[derive(ContextFragment)]
            #[fragment(role = $role, unmarked = "it is short", max_chars = 10, body = "x")]
            struct It;
            assert_eq!(It::SPEC.marking, Marking::Unmarked("it is short"));
            It::SPEC.role
        }};
    }
    let roles = [of_role!(user), of_role!(developer), of_role!(system), of_role!(assistant)];
    assert_eq!(roles, [Role::User, Role::Developer, Role::System, Role::Assistant]);
}

#[test]
fn the_defaults_of_latest_and_once_are_their_own() {
    fn latest(spec: &mut FragmentSpec) {
        spec.lifetime = Lifetime::Latest;
        spec.absent = Some(Absent::Says("Gone."));
        spec.on_compact = OnCompact::Restate;
        spec.on_fork = OnFork::Refresh;
        spec.at_most = 1;
    }
    assert_table(
        &spec!(),
        &[
            (spec!(lifetime = sticky), |_| {}),
            (spec!(lifetime = once), |spec| {
                spec.lifetime = Lifetime::Once;
                spec.on_compact = OnCompact::Drop;
            }),
            (spec!(lifetime = latest, absent = "Gone."), latest),
            (spec!(lifetime = latest, never_retracted = "it cannot"), |spec| {
                latest(spec);
                spec.absent = Some(Absent::Never("it cannot"));
            }),
            (spec!(lifetime = latest, absent = "Gone.", state, change = It::change), |spec| {
                latest(spec);
                spec.state = true;
                spec.change = true;
            }),
        ],
    );
}

#[test]
fn what_is_written_goes_before_a_default_in_any_order() {
    let written = |mut spec: FragmentSpec| {
        assert_eq!(spec.lifetime, Lifetime::Latest);
        assert_eq!((spec.on_compact, spec.on_fork, spec.at_most), (OnCompact::Keep, OnFork::Drop, 1));
        spec.lifetime = Lifetime::Once;
        format!("{spec:?}")
    };
    let after = spec!(lifetime = latest, absent = "Gone.", on_compact = keep, on_fork = drop);
    let before = spec!(on_compact = keep, on_fork = drop, at_most = 1, absent = "Gone.", lifetime = latest);
    assert_eq!(written(after), written(before));
}

#[test]
fn an_injection_is_an_unmarked_raw_message_of_the_user() {
    #[derive(ContextFragment)]
    #[fragment(slot = injection, max_chars = 100, body = "{text}")]
    #[allow(dead_code, reason = "only its description is looked at")]
    struct ByField {
        #[fragment(channel)]
        channel: String,
        text: String,
    }
    let named = injection!(slot = injection("skill"));
    assert_eq!(named.slot, Slot::Injection(Channel::Named("skill")));
    assert_eq!(named.channel(), Some("skill"));
    assert_eq!(
        (named.role, named.standalone, named.raw, named.rank, named.pin),
        (Role::User, true, true, 0, None)
    );
    assert!(matches!(named.marking, Marking::Unmarked(why) if !why.is_empty()));
    assert_eq!((named.lifetime, named.at_most), (Lifetime::Sticky, 8));
    assert_eq!((ByField::SPEC.slot, ByField::SPEC.channel()), (Slot::Injection(Channel::Field), None));
    assert_eq!((ByField::SPEC.standalone, ByField::SPEC.raw), (true, true));
    assert_table(
        &named,
        &[
            (injection!(slot = injection("skill"), role = user), |_| {}),
            (injection!(at_most = 2, slot = injection("skill"), overflow = cut(head)), |spec| {
                spec.at_most = 2;
                spec.overflow = Overflow::CutHead;
            }),
        ],
    );
}

#[test]
fn a_field_may_be_raw_alone_and_a_key_may_have_any_name() {
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<it {name}=>", "</it {name}=>"), max_chars = 100, body = "{a}{{{b}}}{a}")]
    #[allow(dead_code, reason = "only its description is looked at")]
    struct It {
        name: Key,
        a: String,
        #[fragment(raw)]
        b: String,
    }
    let (begin, end) = (Marker::new("<it {key}=>"), Marker::new("</it {key}=>"));
    assert_eq!(It::SPEC.marking, Marking::Marked { begin, end });
    let pieces = [Piece::Field("a"), Piece::Text("{"), Piece::Raw("b"), Piece::Text("}"), Piece::Field("a")];
    assert_eq!((It::SPEC.templates, It::SPEC.raw), (&[&pieces[..]][..], false));
}

#[test]
fn a_kind_is_the_types_name_in_snake_case() {
    #[derive(ContextFragment)]
    #[fragment(role = user, unmarked = "short", max_chars = 10, body = "x")]
    struct HttpContextV2;
    assert_eq!(
        (HttpContextV2::SPEC.kind, HttpContextV2::SPEC.type_name),
        ("http_context_v2", "HttpContextV2")
    );
}
