//! What holds for all fixtures.

use std::fs;
use std::path::{Path, PathBuf};

use super::PASSES;

/// The most lines that a newcomer is asked to read for one mistake.
const MOST_LINES: usize = 25;

/// Fixtures in which the compiler itself leads to a declaration of ours, and why nothing can be done about it.
const SHOWS_A_DECLARATION: [(&str, &str); 4] = [
    ("mcp_tools/fail/client-of-no-pinned-server", "the bound is one of `Client`, which is public"),
    ("registry/fail/registered-by-hand", "whoever implements a trait is shown what it asks for"),
    ("registry/fail/state-that-cannot-be-shared", "the bound is one of `Registry::State`, which is public"),
    ("tool/fail/error-without-display", "the compiler lists the only implementation for `Result`"),
];

/// What the compiler says about one fixture.
struct Said {
    /// `tool/fail/not-async`
    name: String,
    text: String,
}

impl Said {
    fn has_five_mistakes(&self) -> bool {
        self.name.contains("/five-mistakes-")
    }

    /// The first line of each error.
    fn errors(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter(|line| line.starts_with("error"))
    }

    /// The lines that lead into the library's own source, each with the line before.
    fn own_source(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.text.lines();
        lines.clone().zip(lines.skip(1)).filter(|(_, line)| line.contains("/polyloop/src/"))
    }
}

/// The fixtures of one sort, as paths below this folder.
fn fixtures(sort: &str, extension: &str) -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let folders = fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().path().join(sort));
    let files = folders.filter(|folder| folder.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = files.map(|entry| entry.unwrap().path());
    let mut chosen: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.strip_prefix(&here).unwrap().to_owned())
        .collect();
    chosen.sort();
    chosen
}

fn all_said() -> Vec<Said> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let read = |path: PathBuf| Said {
        text: fs::read_to_string(here.join(&path)).unwrap(),
        name: path.with_extension("").to_str().unwrap().replace('\\', "/"),
    };
    fixtures("fail", "stderr").into_iter().map(read).collect()
}

/// Asserts that no fixture breaks a rule; names all that do.
fn assert_none(broken: &[String]) {
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn there_are_enough_fixtures_and_each_has_its_text() {
    let fails = fixtures("fail", "rs");
    let with_text: Vec<PathBuf> =
        fixtures("fail", "stderr").iter().map(|path| path.with_extension("rs")).collect();
    assert_eq!(fails, with_text);
    let five = all_said().iter().filter(|said| said.has_five_mistakes()).count();
    assert!(five >= 10, "{five} fixtures with five mistakes");
    assert!(fails.len() - five >= 90, "{} fixtures with one mistake", fails.len() - five);
    assert!(PASSES.len() >= 28, "{} fixtures without a mistake", PASSES.len());
}

#[test]
fn every_fixture_without_a_mistake_is_run() {
    let mut listed: Vec<PathBuf> = PASSES.iter().map(PathBuf::from).collect();
    listed.sort();
    assert_eq!(listed, fixtures("pass", "rs"));
}

#[test]
fn one_mistake_is_one_short_error() {
    let mut broken = Vec::new();
    for said in all_said().iter().filter(|said| !said.has_five_mistakes()) {
        let (errors, lines) = (said.errors().count(), said.text.lines().count());
        if errors != 1 || lines > MOST_LINES {
            broken.push(format!("{}: {errors} errors in {lines} lines", said.name));
        }
    }
    assert_none(&broken);
}

#[test]
fn five_mistakes_of_one_item_are_told_in_one_build() {
    let all = all_said();
    let five = all.iter().filter(|said| said.has_five_mistakes());
    let too_few = five.filter(|said| said.errors().count() != 5);
    assert_none(
        &too_few.map(|said| format!("{}: {} errors", said.name, said.errors().count())).collect::<Vec<_>>(),
    );
}

#[test]
fn a_message_is_a_lower_case_fact_without_a_full_stop() {
    let mut broken = Vec::new();
    for said in all_said() {
        for line in said.errors() {
            let (_, message) = line.split_once(": ").unwrap();
            let message = message.strip_prefix("evaluation panicked: ").unwrap_or(message);
            if message.ends_with('.') || message.starts_with(char::is_uppercase) {
                broken.push(format!("{}: {message}", said.name));
            }
        }
    }
    assert_none(&broken);
}

/// Errors with a code are the compiler's, and so is the one about futures.
#[test]
fn a_message_of_ours_has_a_remedy() {
    let is_ours = |line: &&str| {
        let is_macro = line.starts_with("error: ") && !line.starts_with("error: future cannot be sent");
        is_macro || line.starts_with("error[E0080]: evaluation panicked: ")
    };
    let mut broken = Vec::new();
    for said in all_said() {
        let facts = said.errors().filter(is_ours).filter(|line| !line.contains("; "));
        broken.extend(facts.map(|line| format!("{}: {line}", said.name)));
    }
    assert_none(&broken);
}

#[test]
fn nothing_else_is_said() {
    let hidden = ["__private", "polyloop-derive/src", "$RUST", "$CARGO"];
    let mut broken = Vec::new();
    for said in all_said() {
        let names = hidden.iter().filter(|hidden| said.text.contains(*hidden));
        broken.extend(names.map(|hidden| format!("{}: shows `{hidden}`", said.name)));
        if said.text.lines().any(|line| line.starts_with("warning")) {
            broken.push(format!("{}: warns", said.name));
        }
    }
    assert_none(&broken);
}

/// Whoever calls a method by hand may be shown its signature; an expansion shows nothing of ours.
#[test]
fn our_own_source_is_not_shown() {
    let mut broken = Vec::new();
    for said in all_said() {
        let is_call = said.name.starts_with("session/");
        let is_known = SHOWS_A_DECLARATION.iter().any(|(name, _)| *name == said.name);
        let is_signature = |above: &str| {
            is_call
                && (above.starts_with("note: required by a bound in `")
                    || above == "note: method defined here")
        };
        let shown = said.own_source().filter(|(above, _)| !(is_known || is_signature(above)));
        broken.extend(shown.map(|(_, line)| format!("{}: {line}", said.name)));
    }
    assert_none(&broken);
}
