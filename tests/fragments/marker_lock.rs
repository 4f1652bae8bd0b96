//! Markers are a contract that a committed file keeps.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use polyloop::__private::assert_marker_lock as check;
use polyloop::assert_marker_lock;

use crate::support::App;

/// A module with a registry of these fragments, each with its options.
macro_rules! version {
    ($module:ident: $($name:ident($($option:tt)*))*) => {
        mod $module {
            use polyloop::prelude::*;
            $(
                #[derive(ContextFragment)]
                #[fragment(role = user, max_chars = 100, body = "text", $($option)*)]
                #[allow(dead_code, reason = "only its markers are looked at")]
                pub(super) struct $name;
            )*
            registry! { pub(super) struct Set { fragments: [$($name),*] } }
        }
    };
}

version!(first: Plan(markers("<plan>", "</plan>")));
version!(grown: Plan(markers("<plan>", "</plan>")) Mode(markers("<mode>", "</mode>")) Hint(unmarked = "short"));
version!(changed: Plan(markers("<the_plan>", "</plan>")));
version!(kept: Plan(markers("<the_plan>", "</plan>"), legacy("<plan>", "</plan>")));
version!(renamed: Strategy(markers("<plan>", "</plan>"), was = "plan"));
version!(renamed_only: Strategy(markers("<plan>", "</plan>")));
version!(removed: Mode(markers("<mode>", "</mode>")));
version!(removed_and_kept:
    Mode(markers("<mode>", "</mode>"), was = "plan", legacy("<plan>", "</plan>")));
version!(prefixed: Plan(markers("<plan>", "</plan>"), legacy_prefix = "My \"plan\":\n"));
version!(unmarked: Plan(unmarked = "given up"));

fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    (folder, path)
}

fn read(folder: &str) -> String {
    fs::read_to_string(Path::new(folder).join("markers.lock")).unwrap()
}

/// The forms in the file, without its comments.
fn forms(folder: &str) -> Vec<String> {
    read(folder).lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn a_file_that_is_not_there_is_written_and_then_holds() {
    let (_kept, folder) = folder();
    check::<first::Set>(&folder, "markers.lock").unwrap();
    assert_eq!(forms(&folder), [r#"plan "<plan>" "</plan>""#]);
    let written = read(&folder);
    check::<first::Set>(&folder, "markers.lock").unwrap();
    assert_eq!(read(&folder), written);
}

#[test]
fn a_new_kind_is_added_and_what_was_there_stays() {
    let (_kept, folder) = folder();
    check::<first::Set>(&folder, "markers.lock").unwrap();
    let before = read(&folder);
    check::<grown::Set>(&folder, "markers.lock").unwrap();
    assert!(read(&folder).starts_with(&before));
    assert_eq!(forms(&folder), [r#"plan "<plan>" "</plan>""#, r#"mode "<mode>" "</mode>""#]);
}

#[test]
fn a_new_kind_goes_on_its_own_line_whatever_the_file_ends_with() {
    for (newline, end) in [("\n", ""), ("\r\n", "\r\n"), ("\n", "\n\n")] {
        let (_kept, folder) = folder();
        let text = format!("# ours{newline}plan \"<plan>\" \"</plan>\"{end}");
        fs::write(Path::new(&folder).join("markers.lock"), text).unwrap();
        check::<grown::Set>(&folder, "markers.lock").unwrap();
        let lines: Vec<String> = forms(&folder).into_iter().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, [r#"plan "<plan>" "</plan>""#, r#"mode "<mode>" "</mode>""#]);
        check::<grown::Set>(&folder, "markers.lock").unwrap();
        assert!(check::<removed::Set>(&folder, "markers.lock").is_err());
    }
}

#[test]
fn a_changed_marker_fails_with_the_line_to_add_and_passes_with_it() {
    let (_kept, folder) = folder();
    check::<first::Set>(&folder, "markers.lock").unwrap();
    let before = read(&folder);
    let said = check::<changed::Set>(&folder, "markers.lock").unwrap_err();
    assert!(said.contains(r#"add to `Plan`: #[fragment(legacy("<plan>", "</plan>"))]"#), "{said}");
    assert_eq!(read(&folder), before);
    check::<kept::Set>(&folder, "markers.lock").unwrap();
    assert_eq!(forms(&folder), [r#"plan "<plan>" "</plan>""#, r#"plan "<the_plan>" "</plan>""#]);
}

#[test]
fn giving_up_markers_fails_as_well() {
    let (_kept, folder) = folder();
    check::<first::Set>(&folder, "markers.lock").unwrap();
    let said = check::<unmarked::Set>(&folder, "markers.lock").unwrap_err();
    assert!(said.contains(r#"add to `Plan`: #[fragment(legacy("<plan>", "</plan>"))]"#), "{said}");
}

#[test]
fn a_removed_kind_fails_until_another_says_that_it_was_that_kind() {
    let (_kept, folder) = folder();
    check::<first::Set>(&folder, "markers.lock").unwrap();
    let said = check::<removed::Set>(&folder, "markers.lock").unwrap_err();
    assert!(said.contains(r#"#[fragment(was = "plan", legacy("<plan>", "</plan>"))]"#), "{said}");
    check::<removed_and_kept::Set>(&folder, "markers.lock").unwrap();
}

#[test]
fn a_renamed_kind_says_what_it_was() {
    let (_kept, folder) = folder();
    check::<first::Set>(&folder, "markers.lock").unwrap();
    assert!(check::<renamed_only::Set>(&folder, "markers.lock").is_err());
    check::<renamed::Set>(&folder, "markers.lock").unwrap();
    // From now on the new name is kept as well.
    assert_eq!(forms(&folder), [r#"plan "<plan>" "</plan>""#, r#"strategy "<plan>" "</plan>""#]);
    assert!(check::<first::Set>(&folder, "markers.lock").is_err());
}

#[test]
fn an_old_prefix_is_kept_with_its_quotes_and_line_breaks() {
    let (_kept, folder) = folder();
    check::<prefixed::Set>(&folder, "markers.lock").unwrap();
    check::<prefixed::Set>(&folder, "markers.lock").unwrap();
    assert_eq!(forms(&folder).len(), 2);
    let said = check::<first::Set>(&folder, "markers.lock").unwrap_err();
    assert!(said.contains(r#"add to `Plan`: #[fragment(legacy_prefix = "My \"plan\":\n")]"#), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_or_written_is_an_error() {
    let (_kept, folder) = folder();
    fs::create_dir(Path::new(&folder).join("markers.lock")).unwrap();
    assert!(check::<first::Set>(&folder, "markers.lock").unwrap_err().contains("`markers.lock`"));
    assert!(check::<first::Set>(&folder, "nowhere/markers.lock").unwrap_err().contains("written"));
}

#[test]
fn the_macro_panics_with_the_line_to_add() {
    let (_kept, folder) = folder();
    let file = format!("{folder}/markers.lock");
    assert_marker_lock!(first::Set, &file);
    let panicked = catch_unwind(|| assert_marker_lock!(changed::Set, &file)).unwrap_err();
    let said = panicked.downcast_ref::<String>().unwrap();
    assert!(said.contains(r#"legacy("<plan>", "</plan>")"#), "{said}");
}

#[test]
fn the_markers_of_these_tests_are_those_of_the_committed_file() {
    assert_marker_lock!(App, "fragments/markers.lock");
}
