//! The program, as a person or a script runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::{directory, write};
use crate::support::{command, run_example};

/// The report on the sample, where no repository knows an owner.
const SAMPLE: &str = "\
14 remarks in 8 files

README.md
  12  TODO   describe how a new depot is added.

db/tables.sql
   6  FIXME  two letters, but nothing checks it
  10  TODO   an index for the search by day, once there are enough parcels to
             measure it.

parcels/intake.py
   8  FIXME  the carrier raised this to 35 kg.
  21  TODO   (mira): codes of the old depot have no check digit, and we refuse
             them at the moment. Accept both until the last of them is
             delivered.

parcels/rates.py
  13  XXX    about `return STEPS[-1][1] * zone`
  18  HACK   the till takes a negative price for a refund.

settings.toml
   6  XXX    the test till; the real one needs a key.

sorter/src/lib.rs
  16  TODO   measure how long a round takes when the belt is full.
  29  FIXME  a parcel that went round too often is lost here; hand it to the
             desk.
  38  TODO   about `pub fn lanes() -> u8 {`

web/index.html
   6  TODO   (jon): add an icon.

web/track.js
   7  TODO   say something friendlier when the code is unknown, and offer to
             scan it again.
  14  HACK   rounds to whole kilometres, the page has no room for more.

· binary files, not searched: 1

10 calls: list_files → search → read_file ×6 → blame → submit_report
";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn run(args: &[&str]) -> Output {
    command("quickstart").args(args).output().unwrap()
}

fn data(directory: &Path) -> Value {
    let output = run(&["--json", directory.to_str().unwrap()]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The tools that were called, in order.
fn calls(directory: &Path) -> Vec<String> {
    let data = data(directory);
    data["calls"].as_array().unwrap().iter().map(|call| call["tool"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_report_on_the_sample_is_right() {
    let place = tempfile::tempdir().unwrap();
    copy(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/sample")), place.path());
    let printed = run_example("quickstart", &[place.path().to_str().unwrap()]);
    let (head, rest) = printed.split_once("\n\n").unwrap();
    assert!(head.starts_with("The model is a rule-based planner, not a language model.\n"), "{head}");
    let (report, context) = rest.split_once("\nWhat filled the last prompt, ").unwrap();
    assert_eq!(report, SAMPLE);
    assert!(
        context.contains("\ninput: the goal; reply: the model and its calls; observation: what tools said\n")
    );
    let bar = context.lines().find(|line| line.starts_with('█')).unwrap();
    assert_eq!(bar.chars().count(), 80);
    let (sum, journal) = context.split_once("\n\nEvery event of the run").unwrap();
    assert!(sum.ends_with("100.0 %") && journal.ends_with(").\n"), "{context}");
}

#[test]
fn the_data_agree_with_the_text_and_the_shares_with_the_size() {
    let printed = run_example("quickstart", &[]);
    let data: Value = serde_json::from_str(&run_example("quickstart", &["--json"])).unwrap();
    let mut remarks = 0;
    for file in data["report"]["files"].as_array().unwrap() {
        let (_, section) = printed.split_once(&format!("\n{}\n", file["path"].as_str().unwrap())).unwrap();
        let section = section.split("\n\n").next().unwrap();
        for finding in file["findings"].as_array().unwrap() {
            let text = finding["text"].as_str().unwrap();
            let begin = text.split(' ').take(5).collect::<Vec<_>>().join(" ");
            let word = finding["word"].as_str().unwrap();
            let line = format!("{:>4}  {word:<5}  {begin}", finding["line"].as_u64().unwrap());
            assert!(section.contains(&line), "{line:?} is not in {section:?}");
            remarks += 1;
        }
    }
    assert_eq!((remarks, &data["report"]["remarks"]), (14, &Value::from(14)));
    let shares = data["context"]["shares"].as_array().unwrap();
    let sum: u64 = shares.iter().map(|share| share["chars"].as_u64().unwrap()).sum();
    assert_eq!(data["context"]["chars"], sum);
    let (thousands, rest) = (sum / 1_000, sum % 1_000);
    assert!(printed.contains(&format!("What filled the last prompt, {thousands},{rest:03} characters")));
    assert_eq!(
        printed.lines().filter(|line| line.ends_with("▏") || line.contains(" %")).count(),
        shares.len() + 1
    );
}

#[test]
fn other_files_lead_to_other_calls() {
    let root = directory(&[("a.rs", "fn main() {}\n")]);
    assert_eq!(calls(root.path()), ["list_files", "search", "submit_report"]);
    write(root.path(), "a.rs", b"// HACK: a whole sentence on one line.\n");
    assert_eq!(calls(root.path()), ["list_files", "search", "blame", "submit_report"]);
    write(root.path(), "b.rs", b"// HACK: another whole sentence.\n");
    // No repository knows `a.rs`, so nobody is asked about `b.rs`.
    assert_eq!(calls(root.path()), ["list_files", "search", "blame", "submit_report"]);
    write(root.path(), "c.rs", b"// HACK: a sentence that goes on and\n// on.\nfn c() {}\n");
    assert_eq!(calls(root.path()), ["list_files", "search", "read_file", "blame", "submit_report"]);
    let many = "// HACK: one of many.\n".repeat(150);
    write(root.path(), "d.rs", many.as_bytes());
    assert_eq!(calls(root.path()), ["list_files", "search", "search", "read_file", "blame", "submit_report"]);
}

#[test]
fn the_goal_says_what_is_looked_for() {
    let printed = run_example("quickstart", &["--word", "HACK"]);
    assert!(printed.contains("\n2 remarks in 2 files\n"), "{printed}");
    assert!(!printed.contains("TODO"));
    let refused = run(&["--word", "hack"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn thousands_of_files_are_counted_and_a_part_is_looked_at() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..5_000 {
        write(root.path(), &format!("{}/{number}.rs", number % 50), b"fn a() {}\n// FIXME: one of many.\n");
    }
    let data = data(root.path());
    assert_eq!(data["report"]["remarks"], 200);
    assert_eq!(data["report"]["notes"][0], "200 of 5000 remarks are in this report");
}

#[test]
fn text_of_files_does_not_command_the_terminal() {
    let root = directory(&[("a\u{1b}[2J.rs", "// HACK: \u{1b}[31mred\u{7}.\n")]);
    let printed = run_example("quickstart", &[root.path().to_str().unwrap()]);
    assert!(printed.contains("\u{fffd}[31mred\u{fffd}."), "{printed}");
    assert!(!printed.contains(['\u{1b}', '\u{7}']));
}

#[test]
fn the_owner_is_who_committed_the_line() {
    let root =
        directory(&[("a.rs", "// HACK: old.\n"), ("b.rs", "// HACK: old.\n"), ("new.rs", "// HACK: new.\n")]);
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(root.path()).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for role in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{role}_NAME"), "Ann Ok").env(format!("GIT_{role}_EMAIL"), "ann@example.org");
        }
        git.env_remove("GIT_DIR").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if !git(&["--version"]) {
        return;
    }
    assert!(git(&["init", "-q"]) && git(&["add", "a.rs", "b.rs"]) && git(&["commit", "-q", "-m", "Begin"]));
    write(root.path(), "b.rs", b"// HACK: old.\n// HACK: new.\n");
    let data = data(root.path());
    let owners: Vec<Vec<&Value>> = data["report"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["findings"].as_array().unwrap().iter().map(|finding| &finding["owner"]).collect())
        .collect();
    let ann = Value::from("Ann Ok");
    assert_eq!(owners, [vec![&ann], vec![&ann, &Value::Null], vec![&Value::Null]]);
    let printed = run_example("quickstart", &[root.path().to_str().unwrap()]);
    assert!(printed.lines().any(|line| line.starts_with("   1  HACK  old.") && line.ends_with(" Ann Ok")));
    assert!(printed.contains("list_files → search → blame ×3 → submit_report"), "{printed}");
}

#[test]
fn without_git_there_is_no_owner_and_no_error() {
    let root = directory(&[("a.rs", "// HACK: old.\n")]);
    let output = command("quickstart").arg(root.path()).env("PATH", "").output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("1 remark in 1 file\n"));
}

fn assert_refused(output: &Output, status: i32, message: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, message);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(status), 0));
}

#[test]
fn bad_input_ends_with_a_message_and_a_status() {
    let root = directory(&[("file", "text"), ("hollow/.git/config", "x")]);
    write(root.path(), "pictures/a", b"\0\0");
    let named = |name: &str| root.path().join(name).display().to_string();
    for (name, message) in [
        ("none", "error: there is no directory `{}`\n"),
        ("file", "error: `{}` is not a directory; name the directory that it is in\n"),
        ("hollow", "error: `{}` holds no files (.git, node_modules, target are skipped)\n"),
        ("pictures", "error: none of the 1 files in `{}` is text\n"),
    ] {
        for flags in [&[][..], &["--json"]] {
            let output = run(&[flags, &[named(name).as_str()]].concat());
            assert_refused(&output, 1, &message.replace("{}", &named(name)));
        }
    }
    let usage = run(&["--no-such-flag"]);
    assert_eq!((usage.status.code(), usage.stdout.len()), (Some(2), 0));
}

#[cfg(unix)]
#[test]
fn a_directory_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let root = directory(&[("closed/a.rs", "// HACK: a.\n")]);
    let closed = root.path().join("closed");
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let mut program = command("quickstart");
    program.arg(&closed).current_dir("/");
    // For root nothing is closed; somebody else must try.
    if fs::read_dir(&closed).is_ok() {
        program.uid(65_534).gid(65_534);
    }
    let output = program.output();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    // Somebody else may not be let to the program itself.
    let Ok(output) = output else { return };
    let message =
        format!("error: `{}` cannot be listed: Permission denied (os error 13)\n", closed.display());
    assert_refused(&output, 1, &message);
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_early_is_no_error() {
    let mut child = command("quickstart").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn the_journal_holds_the_run_and_the_last_lines_say_where() {
    let root = directory(&[("a.rs", "// TODO: look.\n")]);
    let journal = root.path().join("kept/runs.db");
    let args = ["--journal", journal.to_str().unwrap(), root.path().to_str().unwrap()];
    let printed = run_example("quickstart", &args);
    assert!(
        printed.contains(&format!("Every event of the run is in {}\n(session ", journal.display())),
        "{printed}"
    );
    assert!(journal.is_file());
    let data = run(&["--json", args[0], args[1], args[2]]);
    let data: Value = serde_json::from_slice(&data.stdout).unwrap();
    assert_eq!(data["journal"]["file"], journal.to_str().unwrap());
    assert!(run_example("quickstart", &[args[2]]).contains("is in target/quickstart.db\n"));
}

#[test]
fn a_journal_that_cannot_be_opened_is_named() {
    let root =
        directory(&[("a.rs", "// TODO: look.\n"), ("runs.db", "not a database, and longer than its header")]);
    let journal = root.path().join("runs.db");
    let output = run(&["--journal", journal.to_str().unwrap(), root.path().to_str().unwrap()]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("`{}` cannot be opened", journal.display())), "{said}");
}
