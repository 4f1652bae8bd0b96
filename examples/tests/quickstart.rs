//! The quickstart: its program from outside, its tools from inside.

#![allow(dead_code, reason = "what only draws is tested through the program")]

#[path = "../quickstart/comments.rs"]
mod comments;
#[path = "../quickstart/context.rs"]
mod context;
#[path = "../quickstart/git.rs"]
mod git;
#[path = "../quickstart/planner.rs"]
mod planner;
mod program;
mod real_model;
#[path = "../quickstart/report.rs"]
mod report;
#[path = "../quickstart/seen.rs"]
mod seen;
#[path = "../quickstart/text.rs"]
mod text;
mod toolbox;
#[path = "../quickstart/tools.rs"]
mod tools;
#[path = "../quickstart/workspace.rs"]
mod workspace;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// Makes a directory with these files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(directory.path(), path, text.as_bytes());
    }
    directory
}

fn write(directory: &Path, path: &str, bytes: &[u8]) {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_long_owner_gets_the_room_that_the_remarks_leave() {
    let owner = "Somebody With A Name Of Fifty Columns, Department B";
    let finding = |text: &str| report::Finding {
        path: "a.rs".into(),
        line: 1,
        word: "TODO".into(),
        text: text.into(),
        owner: Some(owner.into()),
    };
    let short = report::Report::new(vec![finding("look.")], Vec::new());
    assert!(text::report(&short, 100).contains(owner));
    let long = report::Report::new(vec![finding(&"look ".repeat(30))], Vec::new());
    let printed = text::report(&long, 100);
    assert!(printed.contains("Somebody With A Name Of …"), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 100), "{printed}");
}
