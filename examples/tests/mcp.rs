//! The examples `mcp_server` and `mcp_client`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{command, run_example};

const NOTED: &str = r#"{"title": "milk", "text": "two litres"} -> kept
{} -> {"milk":10}
{"answer": "There is one note, about milk."} -> There is one note, about milk.
There is one note, about milk.
"#;

#[test]
fn an_agent_uses_the_pinned_tools_of_the_other_example() {
    assert_eq!(run_example("mcp_client", &[]), NOTED);
}

#[test]
fn the_committed_lock_file_is_what_the_server_says() {
    assert_eq!(run_example("mcp_client", &["pin"]), "nothing has changed\n");
}

#[test]
fn the_server_speaks_on_the_standard_streams_and_ends_with_its_input() {
    let mut server = command("mcp_server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a built example starts");
    let mut input = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut say = |message: Value| writeln!(input, "{message}").unwrap();
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
    let mut answer = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(answer()["result"]["serverInfo"]["name"], "notes");
    say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "resources/list"}));
    assert_eq!(answer()["result"]["resources"][0]["uri"], "polyloop://fragment/about");
    drop(input);
    assert!(server.wait().unwrap().success());
}
