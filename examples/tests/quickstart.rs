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
#[path = "../quickstart/report.rs"]
mod report;
#[path = "../quickstart/seen.rs"]
mod seen;
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
