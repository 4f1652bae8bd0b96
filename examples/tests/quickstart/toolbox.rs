//! The tools, called by a model that wants more than it may have.

use std::path::Path;

use polyloop::{Agent, Reply, Scripted, Update};
use serde_json::{Value, json};

use super::comments::remarks;
use super::context::App;
use super::workspace::{MOST_BYTES, Workspace};
use super::{directory, write};

/// What the model is shown of one call.
fn observed(root: &Path, tool: &str, arguments: &Value) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let model = Scripted::replies([Reply::tool(tool, arguments.to_string()), Reply::text("Done.")]);
        let agent = Agent::<App>::builder(model).build().unwrap();
        let mut run = agent.on(Workspace::open(root).unwrap()).goal("Look.").await.unwrap();
        while let Some(update) = run.next().await {
            if let Update::Observed { shown, .. } = update.unwrap() {
                return shown;
            }
        }
        panic!("nothing was observed")
    })
}

fn read(root: &Path, path: &str) -> String {
    observed(root, "read_file", &json!({"path": path, "lines": {"from": 1, "count": 9}}))
}

/// The refusals of all tools that take a path.
fn refusals(root: &Path, path: &str) -> [String; 4] {
    [
        read(root, path),
        observed(root, "blame", &json!({"path": path, "lines": [1]})),
        observed(root, "list_files", &json!({"under": path})),
        observed(root, "search", &json!({"under": path, "words": ["KEY"]})),
    ]
}

#[test]
fn upward_and_absolute_paths_are_refused_by_every_tool() {
    let outer = directory(&[("secret.txt", "KEY\n"), ("inner/a.txt", "one\n")]);
    let inner = outer.path().join("inner");
    let absolute = outer.path().join("secret.txt").display().to_string();
    for path in ["../secret.txt", "..", "a/../../secret.txt", "./../secret.txt", "/", &absolute] {
        for refusal in refusals(&inner, path) {
            let expected = format!(
                "Refused: `{path}` may lead out of the workspace; name a path below it, without `..`"
            );
            assert_eq!(refusal, expected);
        }
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_refused_and_links_inside_are_read() {
    use std::os::unix::fs::symlink;
    let outer = directory(&[("secret/key.txt", "KEY\n"), ("inner/a.txt", "one\n")]);
    let (inner, secret) = (outer.path().join("inner"), outer.path().join("secret"));
    symlink(secret.join("key.txt"), inner.join("file")).unwrap();
    symlink(&secret, inner.join("directory")).unwrap();
    symlink("../secret/key.txt", inner.join("relative")).unwrap();
    symlink("a.txt", inner.join("inside")).unwrap();
    for path in ["file", "directory", "directory/key.txt", "relative"] {
        for refusal in refusals(&inner, path) {
            assert_eq!(
                refusal,
                format!("Refused: `{path}` is behind a link that leads out of the workspace")
            );
        }
    }
    assert_eq!(read(&inner, "inside"), "1: one");
    let found = observed(&inner, "search", &json!({"words": ["KEY"]}));
    assert!(found.starts_with(r#"{"total":0,"remarks":[],"next":null,"files_searched":1,"#), "{found}");
    assert!(found.contains("links, not followed: 4"), "{found}");
}

#[test]
fn files_that_are_no_text_are_refused_with_the_reason() {
    let root = directory(&[("a.txt", "one\n")]);
    let root = root.path();
    write(root, "picture", b"PNG\0\x01");
    write(root, "old", b"caf\xe9\n");
    let most = usize::try_from(MOST_BYTES).unwrap();
    write(root, "huge", &vec![b'x'; most + 1]);
    write(root, "big", &vec![b'x'; most]);
    assert_eq!(read(root, "picture"), "Refused: `picture` is a binary file; it is not read");
    assert_eq!(read(root, "old"), "Refused: `old` is not UTF-8 text; it is not read");
    assert_eq!(read(root, "huge"), "Refused: `huge` has over 1000000 bytes; it is not read");
    assert_eq!(read(root, "big"), format!("1: {}…", "x".repeat(200)));
    assert_eq!(read(root, "none"), "Refused: there is no `none` in the workspace");
    assert_eq!(read(root, "."), "Refused: `.` is no regular file");
    let found = observed(root, "search", &json!({"words": ["HACK"]}));
    for note in ["too big to be searched: 1", "binary files, not searched: 1", "not UTF-8, not searched: 1"] {
        assert!(found.contains(note), "{found}");
    }
}

#[test]
fn pages_say_what_is_left_and_where_to_go_on() {
    let files: Vec<(String, &str)> =
        (10..35).map(|number| (format!("{number}.rs"), "// HACK: a\n")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let root = directory(&files);
    let page = |tool: &str, arguments: Value| -> Value {
        serde_json::from_str(&observed(root.path(), tool, &arguments)).unwrap()
    };
    let first = page("list_files", json!({"limit": 20}));
    assert_eq!(
        (&first["total"], &first["next"], &first["files"][19]),
        (&json!(25), &json!(20), &json!("29.rs"))
    );
    let last = page("list_files", json!({"limit": 20, "from": 20}));
    assert_eq!((&last["next"], &last["files"][0]), (&Value::Null, &json!("30.rs")));
    let last = page("search", json!({"words": ["HACK"], "limit": 20, "from": 20}));
    assert_eq!(
        (&last["total"], &last["next"], &last["remarks"][4]["path"]),
        (&json!(25), &Value::Null, &json!("34.rs"))
    );
    let beyond = page("search", json!({"words": ["HACK"], "from": 99}));
    assert_eq!((&beyond["total"], &beyond["remarks"]), (&json!(25), &json!([])));
}

#[test]
fn directories_that_can_be_made_again_are_skipped() {
    let root =
        directory(&[(".git/a", "a"), ("x/target/a", "a"), ("node_modules/a", "a"), ("target.rs", "a")]);
    let listed = observed(root.path(), "list_files", &json!({}));
    let expected = r#"{"total":1,"files":["target.rs"],"next":null,"left_out":["directories named .git or node_modules or target, skipped: 3"]}"#;
    assert_eq!(listed, expected);
}

#[test]
fn lines_are_numbered_and_the_rest_is_counted() {
    let root = directory(&[("a.txt", "one\ntwo\nthree\nfour\n")]);
    let lines = |from: usize, count: usize| {
        observed(root.path(), "read_file", &json!({"path": "a.txt", "lines": {"from": from, "count": count}}))
    };
    assert_eq!(lines(2, 2), "2: two\n3: three\n(more lines: 1; go on from line 4)");
    assert_eq!(lines(4, 9), "4: four");
    assert_eq!(lines(5, 1), "Refused: `a.txt` has 4 lines; there is no line 5");
    let refused = lines(0, 1);
    assert!(refused.starts_with("not executed: invalid arguments for `read_file`"), "{refused}");
}

#[test]
fn a_finding_that_is_not_in_the_file_is_not_taken() {
    let root = directory(&[("a.rs", "// HACK: one\n")]);
    let submit = |line: usize, word: &str| {
        let finding = json!({"path": "a.rs", "line": line, "word": word, "text": "one", "owner": null});
        observed(root.path(), "submit_report", &json!({"findings": [finding]}))
    };
    assert_eq!(submit(2, "HACK"), "Refused: `a.rs:2` does not say `HACK`");
    assert_eq!(submit(1, "XXX"), "Refused: `a.rs:1` does not say `XXX`");
    assert!(submit(1, "HACK").starts_with(r#"{"remarks":1,"#));
}

#[test]
fn remarks_are_words_in_comments() {
    let found = |path: &str, text: &str| -> Vec<String> {
        let words = ["TODO".to_owned(), "HACK".to_owned()];
        let remarks = remarks(path, text, &words);
        remarks.iter().map(|remark| format!("{} {} {}", remark.line, remark.word, remark.text)).collect()
    };
    assert_eq!(found("a.rs", "let a = 1; // TODO: b"), ["1 TODO b"]);
    assert_eq!(found("a.rs", "/* a\n TODO b */ let HACK = 1;\n/* HACK */"), ["2 TODO b", "3 HACK "]);
    assert_eq!(found("a.rs", "// TODO: a. HACK: b"), ["1 TODO a.", "1 HACK b"]);
    assert_eq!(found("a.rs", "let a = \"// TODO\"; let b = \"\\\"// TODO\";"), [""; 0]);
    assert_eq!(found("a.rs", "fn a<'a>() {} // TODO: it's b"), ["1 TODO it's b"]);
    assert_eq!(found("a.rs", "// TODOS, `TODO`, \"TODO\", xTODO, TODO_LIST"), [""; 0]);
    assert_eq!(found("a.js", "fetch(http://TODO); `${a} // TODO`"), [""; 0]);
    assert_eq!(found("a.py", "a = '# TODO'  # TODO b\n\"\"\"\nTODO: c\n\"\"\""), ["1 TODO b", "3 TODO c"]);
    assert_eq!(found("a.sh", "echo $#TODO; # HACK(ann): b"), ["1 HACK (ann): b"]);
    assert_eq!(found("a.md", "# TODO list\n<!-- TODO: b -->"), ["2 TODO b"]);
    assert_eq!(found("notes", "say TODO # TODO\n  # TODO: b"), ["2 TODO b"]);
}
