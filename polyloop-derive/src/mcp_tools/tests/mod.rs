//! Every mistake gives its message, and only that one.

use proc_macro2::TokenStream;
use quote::quote;

use super::declare;
use crate::common::testing::messages;

/// Asserts the messages of `mcp_tools!(…)`.
macro_rules! refused {
    ($name:ident, ($($input:tt)*) => [$($message:literal),* $(,)?]) => {
        #[test]
        fn $name() {
            assert_eq!(messages(declare(quote!($($input)*))), [$($message),*] as [&str; _]);
        }
    };
}

refused!(a_sound_file_is_taken, ("src/mcp_tools/tests/notes.lock.json") => []);
refused!(all_options_are_taken, (
    pub(crate) "src/mcp_tools/tests/notes.lock.json", module = notes, prefix = "n_", rename("notes.read" = "get"),
    except("purge"), trusted, approval("add"), concurrent, timeout = "2m", crate = facade::polyloop,
) => []);
refused!(approval_may_be_of_all, ("src/mcp_tools/tests/notes.lock.json", approval) => []);

refused!(a_file_is_named, () => ["nothing says which tools are meant; write `mcp_tools!(\"mcp.lock.json\")`"]);
refused!(an_unknown_option_is_refused, ("src/mcp_tools/tests/notes.lock.json", trust, colour = 1) => [
    "`trust` is no option of `mcp_tools!`; did you mean `trusted`?",
    "`colour` is no option of `mcp_tools!`; the options are `module`, `prefix`, `rename`, `except`, `trusted`, `approval`, \
     `concurrent`, `timeout`, `max_chars`, `crate`",
]);
refused!(a_duration_has_a_unit, ("src/mcp_tools/tests/notes.lock.json", timeout = "3") => [
    "`3` is no duration; write `500ms`, `30s` or `2m`",
]);
refused!(what_is_named_is_there, (
    "src/mcp_tools/tests/notes.lock.json", except("purg"), approval("write"), rename("notes.raed" = "x"),
) => [
    "`notes.raed` is no tool of the server `theNotes`; did you mean `notes.read`?",
    "`purg` is no tool of the server `theNotes`; did you mean `purge`?",
    "`write` is no tool of the server `theNotes`; its tools are `add`, `notes.read`, `purge`, `type`",
]);
refused!(names_stay_apart, ("src/mcp_tools/tests/notes.lock.json", rename("notes.read" = "add", "purge" = "Server")) => [
    "`add` and `notes.read` would both be `add`; give one another name with `rename(\"notes.read\" = \"…\")`",
    "`purge` would be named like the type of the server; give one another name with `rename(\"purge\" = \"…\")`",
]);
refused!(a_name_is_one_that_providers_take, ("src/mcp_tools/tests/notes.lock.json", rename("purge" = "clear all")) => [
    "`clear all` is no name that every provider takes; give it one of 1 to 64 letters, digits, `_` or `-` with \
     `rename(\"purge\" = \"…\")`",
]);

/// The messages about a file with this text.
fn of_file(text: &str) -> Vec<String> {
    with_file(text, |path| {
        let found = messages(declare(quote!(#path)));
        found.into_iter().map(|message| message.replace(path, "file")).collect()
    })
}

/// What is made of the path of a file with this text.
fn with_file<T>(text: &str, made: impl FnOnce(&str) -> T) -> T {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    let name = format!("mcp_tools_{}_{}.json", std::process::id(), blake3::hash(text.as_bytes()).to_hex());
    let written =
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(format!("{folder}/{name}"), text));
    assert!(written.is_ok());
    let made = made(&format!("../target/{name}"));
    assert!(std::fs::remove_file(format!("{folder}/{name}")).is_ok());
    made
}

#[test]
fn what_is_no_lock_file_is_refused_with_what_it_lacks() {
    for (text, why) in [
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("{}", "it has no `version`"),
        (r#"{"version":2}"#, "its version is 2, and 1 is known here"),
        (r#"{"version":1}"#, "it names no `server`"),
        (r#"{"version":1,"server":"a"}"#, "it lists no `tools`"),
        (r#"{"version":1,"server":"a","tools":[{"name":"b"}]}"#, "an entry of `tools` lacks something"),
    ] {
        let message =
            format!("`file` is no lock file of tools: {why}; write it anew with `polyloop::mcp::pin`");
        assert_eq!(of_file(text), [message]);
    }
}

/// A lock file with these names and this description, with hashes that are right.
fn lock_with(server: &str, tool: &str, description: &str) -> String {
    let entry = serde_json::json!({
        "name": tool, "description": description, "inputSchema": {"type": "object"}, "annotations": {},
    });
    let hash = blake3::hash(entry.to_string().as_bytes()).to_hex().to_string();
    let mut pinned = entry;
    if let Some(pinned) = pinned.as_object_mut() {
        pinned.insert("hash".to_owned(), hash.into());
    }
    serde_json::json!({"version": 1, "server": server, "tools": [pinned]}).to_string()
}

#[test]
fn a_name_that_could_leave_its_line_or_its_quotes_is_refused() {
    const FENCE: &str = "notes\n\n```\nstd::process::exit(7);\n```\n";
    let long = "x".repeat(129);
    for (name, shown, why) in [
        (FENCE, r"notes\n\n```\nstd::process::exit(7);\n```\n", "has a control character or a line break"),
        ("a\u{1b}[2J", r"a\u{1b}[2J", "has a control character or a line break"),
        ("a\u{202e}b", r"a\u{202e}b", "has a control character or a line break"),
        ("a\u{2028}b", r"a\u{2028}b", "has a control character or a line break"),
        ("a`b", "a`b", "has a backtick"),
        (&long, &"x".repeat(40), "has more than 128 characters"),
    ] {
        let refused = |what: &str| {
            let remedy = "write it anew with `polyloop::mcp::pin`";
            vec![format!("`file` is no lock file of tools: the name \"{shown}\" of a {what} {why}; {remedy}")]
        };
        assert_eq!(of_file(&lock_with(name, "read", "Reads.")), refused("server"));
        assert_eq!(of_file(&lock_with("notes", name, "Reads.")), refused("tool"));
    }
}

#[test]
fn no_text_of_a_server_is_documentation() {
    let (server, tool) = ("no<b>tes</b> [x](y)", "re<i>ad</i>");
    let text = lock_with(server, tool, "Reads.\n\n```\nstd::process::exit(7);\n```\n");
    let expansion = with_file(&text, |path| declare(quote!(#path, module = notes)).to_string());
    let docs: Vec<&str> = expansion.split("doc = ").skip(1).filter_map(|doc| doc.split(']').next()).collect();
    let expected = [
        r#""The pinned tools of the server `notes`.""#,
        r#""The pinned server `notes`.""#,
        r#""The pinned tool `re_i_ad__i_`.""#,
    ];
    assert_eq!(docs.iter().map(|doc| doc.trim()).collect::<Vec<_>>(), expected, "{expansion}");
}

#[test]
fn an_entry_that_was_edited_is_refused() {
    let entry = r#"{"name":"a","description":"A.","inputSchema":{"type":"array"},"annotations":{}"#;
    let hash = blake3::hash(format!("{entry}}}").as_bytes()).to_hex();
    let file =
        |entry: &str| format!(r#"{{"version":1,"server":"日本","tools":[{entry},"hash":"{hash}"}}]}}"#);
    let common = [
        "no module can be named after `日本`; write `module = name`",
        "the arguments of `a` are no object; leave it out with `except(\"a\")`",
    ];
    assert_eq!(of_file(&file(entry)), common);
    let edited = "`a` is not as it was pinned in `file`; pin the server again, in place of editing the file";
    assert_eq!(of_file(&file(&entry.replace("A.", "B."))), [common[0], edited, common[1]]);
}

#[test]
fn a_file_that_is_not_there_is_told_with_the_remedy() {
    let found = messages(declare(quote!("src/mcp_tools/tests/gone.json")));
    let [message] = found.as_slice() else { unreachable!("{found:?}") };
    let remedy = "; write it with `polyloop::mcp::pin`, and give the path from the folder of `Cargo.toml`";
    assert!(
        message.starts_with("`src/mcp_tools/tests/gone.json` cannot be read: ") && message.ends_with(remedy)
    );
}

#[test]
fn what_is_sound_is_still_emitted() {
    let input: TokenStream =
        quote!("src/mcp_tools/tests/notes.lock.json", rename("notes.read" = "add"), colour);
    let expansion = declare(input).to_string();
    assert!(expansion.contains("mod the_notes"), "{expansion}");
    assert_eq!(expansion.matches("struct add").count(), 1, "{expansion}");
    assert!(expansion.contains("struct r#type"), "{expansion}");
}
