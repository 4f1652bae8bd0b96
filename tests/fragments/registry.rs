//! The closed set of kinds, and its fingerprint.

use std::collections::BTreeMap;
use std::process::Command;
use std::{env, fs};

use polyloop::prelude::*;
use polyloop::{Recognized, Registered};

use crate::support::{App, AppKind, Environment, Process, each_rendered};

/// Breaks when a kind is added: no wildcard.
fn name(kind: AppKind) -> &'static str {
    match kind {
        AppKind::Environment => "environment",
        AppKind::Skill => "skill",
        AppKind::Notification => "notification",
        AppKind::Instructions => "instructions",
        AppKind::External => "external",
        AppKind::Internal => "internal",
        AppKind::Permissions => "permissions",
        AppKind::Rules => "rules",
        AppKind::Short => "short",
        AppKind::Reminder => "reminder",
        AppKind::Process => "process",
    }
}

fn kind<F: Registered<App>>() -> AppKind {
    F::KIND
}

#[test]
fn the_kinds_are_a_closed_enum_in_the_order_of_the_declaration() {
    let listed: Vec<&str> = App::SPEC.fragments.iter().map(|entry| name(entry.kind)).collect();
    let kinds: Vec<&str> = App::SPEC.fragments.iter().map(|entry| entry.spec.kind).collect();
    assert_eq!(listed, kinds);
    assert_eq!(kind::<Environment>(), AppKind::Environment);
    assert_eq!(kind::<Process>(), AppKind::Process);
    assert_eq!(App::SPEC.name, "App");
    assert!(App::SPEC.max_chars.is_none());
}

#[test]
fn what_is_recognised_borrows_from_the_text_and_names_the_kind() {
    for (kind, rendered) in each_rendered("body", "browser") {
        let text = rendered.unwrap().text().to_owned();
        let known: Recognized<'_, AppKind> = App::recognize(&text).unwrap();
        assert_eq!(name(known.kind), name(kind));
        assert_eq!(known.key, text.contains("browser").then_some("browser"));
        assert!(known.body.start > 0 && known.body.end < text.len());
        assert_eq!(known.clone(), known);
    }
}

#[test]
fn an_empty_registry_knows_nothing() {
    registry! { struct Nothing {} }
    assert_eq!(Nothing::recognize("<a>x</a>"), None);
    assert!(!Nothing::holds_marker("<a>x</a>"));
    assert_eq!(Nothing::SPEC.fragments.len(), 0);
    assert_eq!(Session::<Nothing>::new().say("<a>").map(|_| ()), Ok(()));
}

#[test]
fn the_caps_of_a_turn_may_fill_the_limit_exactly() {
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<x>", "</x>"), max_chars = 100, at_most = 3, body = "{0}")]
    struct X(u8);
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<y>", "</y>"), max_chars = 50, lifetime = latest, absent = "No y.", body = "")]
    struct Y;
    registry! { struct Full { fragments: [X, Y], max_chars: 350 } }
    assert_eq!(Full::SPEC.max_chars, Some(350));
    assert!(Full::render(&X(1)).is_ok() && Full::render(&Y).is_ok());
}

const FINGERPRINT_FILE: &str = "POLYLOOP_TESTS_FINGERPRINT_FILE";

#[test]
fn the_fingerprint_is_equal_in_fresh_processes() {
    let own = App::fingerprint().unwrap();
    if let Some(file) = env::var_os(FINGERPRINT_FILE) {
        fs::write(file, own).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for process in ["first", "second"] {
        let file = folder.path().join(process);
        let status = Command::new(env::current_exe().unwrap())
            .args(["registry::the_fingerprint_is_equal_in_fresh_processes", "--exact"])
            .env(FINGERPRINT_FILE, &file)
            .output()
            .unwrap()
            .status;
        assert!(status.success());
        assert_eq!(fs::read_to_string(file).unwrap(), own);
    }
}

/// The fingerprint of a registry of one fragment with these options.
macro_rules! fingerprint {
    ([$($part:tt)*] $($option:tt)*) => {{
        #[derive(ContextFragment, serde::Serialize, serde::Deserialize)]
        #[fragment($($option)*)]
        struct It { a: String, b: String }
        impl It {
            #[allow(dead_code, reason = "one registry names it")]
            fn change(_: &Self, _: &Self) -> Option<polyloop::Body> { None }
        }
        /// Looks.
        #[tool]
        #[allow(dead_code, reason = "one registry names it")]
        async fn look(/** Where to look. */ path: String) -> String { path }
        registry! { struct One { fragments: [It], $($part)* } }
        assert!(One::render(&It { a: "x".into(), b: "y".into() }).is_ok());
        (One::fingerprint().unwrap(), stringify!([$($part)*] $($option)*))
    }};
}

/// The same, with these options beside the usual ones.
macro_rules! usual {
    ([$($part:tt)*] $($option:tt)*) => {
        fingerprint!([$($part)*] role = user, markers("<i>", "</i>"), max_chars = 90, body = "{a} {b}", $($option)*)
    };
}

fn assert_distinct(found: &[(String, &str)]) {
    let mut seen = BTreeMap::new();
    for (fingerprint, options) in found {
        if let Some(other) = seen.insert(fingerprint, options) {
            panic!("one fingerprint for `{other}` and `{options}`");
        }
    }
}

#[test]
fn the_fingerprint_does_not_depend_on_the_place_in_the_source() {
    assert_eq!(usual!([]).0, usual!([]).0);
}

#[test]
fn another_option_is_another_fingerprint() {
    assert_distinct(&[
        usual!([]),
        usual!([] kind = "room.it"),
        usual!([] was = "old"),
        usual!([] was = "older"),
        usual!([] legacy("<o>", "</o>")),
        usual!([] legacy("<o>", "</p>")),
        usual!([] legacy_prefix = "<o>"),
        usual!([] standalone),
        usual!([] slot = goal),
        usual!([] slot = turn),
        usual!([] rank = 1),
        usual!([] pin = top),
        usual!([] pin = bottom),
        usual!([] lifetime = once),
        usual!([] lifetime = latest, absent = "Gone."),
        usual!([] lifetime = latest, absent = "Gone!"),
        usual!([] lifetime = latest, never_retracted = "Gone."),
        usual!([] lifetime = latest, absent = "Gone.", state),
        usual!([] lifetime = latest, absent = "Gone.", state, change = It::change),
        usual!([] visible),
        usual!([] on_compact = drop),
        usual!([] on_fork = drop),
        usual!([] on_rollback = keep),
        usual!([] memory = include),
        usual!([] at_most = 7),
        usual!([] raw),
        usual!([] overflow = cut(head)),
        usual!([] overflow = cut(tail)),
        usual!([] overflow = cut(middle)),
        usual!([] overflow = cut(tail), notice = "[{left_out}]"),
        usual!([max_chars: 1_000]),
        usual!([max_chars: 1_001]),
        usual!([tools: [look]]),
        usual!([tools: [look], scalars: exact]),
    ]);
}

#[test]
fn other_words_are_another_fingerprint() {
    assert_distinct(&[
        fingerprint!([] role = user, markers("<i>", "</i>"), max_chars = 90, body = "{a} {b}"),
        fingerprint!([] role = developer, markers("<i>", "</i>"), max_chars = 90, body = "{a} {b}"),
        fingerprint!([] role = user, markers("<I>", "</i>"), max_chars = 90, body = "{a} {b}"),
        fingerprint!([] role = user, markers("<i>", "</I>"), max_chars = 90, body = "{a} {b}"),
        fingerprint!([] role = user, markers("<i>", "</i>"), max_chars = 91, body = "{a} {b}"),
        fingerprint!([] role = user, markers("<i>", "</i>"), max_chars = 90, body = "{a}  {b}"),
        fingerprint!([] role = user, markers("<i>", "</i>"), max_chars = 90, body = "{b} {a}"),
        fingerprint!([] role = user, unmarked = "<i>", max_chars = 90, body = "{a} {b}"),
        fingerprint!([] role = user, unmarked = "why", max_chars = 90, body = "{a} {b}"),
        fingerprint!([] slot = injection("one"), max_chars = 90, body = "{a} {b}"),
        fingerprint!([] slot = injection("two"), max_chars = 90, body = "{a} {b}"),
        fingerprint!([] role = user, unmarked = "w", max_chars = 50_000, large = "one", body = "{a} {b}"),
        fingerprint!([] role = user, unmarked = "w", max_chars = 50_000, large = "two", body = "{a} {b}"),
    ]);
}
