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
     `concurrent`, `timeout`, `crate`",
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
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    let name = format!("mcp_tools_{}_{}.json", std::process::id(), blake3::hash(text.as_bytes()).to_hex());
    let written =
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(format!("{folder}/{name}"), text));
    assert!(written.is_ok());
    let path = format!("../target/{name}");
    let found = messages(declare(quote!(#path)));
    assert!(std::fs::remove_file(format!("{folder}/{name}")).is_ok());
    found.into_iter().map(|message| message.replace(&path, "file")).collect()
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
