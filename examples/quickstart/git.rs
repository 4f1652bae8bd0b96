//! Who wrote a line, by `git blame`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// What git calls the author of a line that is not committed.
const NOBODY: [&str; 2] = ["Not Committed Yet", "External file (--contents)"];

/// Whether git is there and the directory is inside a work tree.
pub(crate) fn is_repository(directory: &Path) -> bool {
    let answer = run(directory, &["rev-parse", "--is-inside-work-tree"]);
    answer.is_some_and(|answer| answer.trim() == "true")
}

/// Returns the authors of these lines of a file; without those that git does not know.
pub(crate) fn authors(directory: &Path, path: &str, lines: &[u32]) -> BTreeMap<u32, String> {
    let ranges: Vec<String> = lines.iter().map(|line| format!("-L{line},{line}")).collect();
    let mut arguments = vec!["blame", "--porcelain", "--no-textconv"];
    arguments.extend(ranges.iter().map(String::as_str));
    arguments.extend(["--", path]);
    run(directory, &arguments).map(|porcelain| read_porcelain(&porcelain)).unwrap_or_default()
}

/// Reads the porcelain form: a header `<commit> <old line> <line> …`, what is new about the commit, the line itself.
fn read_porcelain(porcelain: &str) -> BTreeMap<u32, String> {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut commits: Vec<(u32, &str)> = Vec::new();
    let mut commit = "";
    let mut at_header = true;
    for line in porcelain.lines() {
        if at_header {
            let mut parts = line.split(' ');
            commit = parts.next().unwrap_or_default();
            commits.extend(parts.nth(1).and_then(|line| line.parse().ok()).map(|line| (line, commit)));
            at_header = false;
        } else if let Some(name) = line.strip_prefix("author ") {
            names.insert(commit, name);
        } else {
            // The line itself has a tab before it, and ends the entry.
            at_header = line.starts_with('\t');
        }
    }
    let known = |commit| names.get(commit).filter(|name| !NOBODY.contains(name)).map(ToString::to_string);
    commits.into_iter().filter_map(|(line, commit)| Some((line, known(commit)?))).collect()
}

/// Runs git and returns what it printed; none if there is no git or it refused.
fn run(directory: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(["-c", "core.fsmonitor=false"]).args(arguments);
    // A hook of git sets these; they would name another repository.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    let output = command.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
