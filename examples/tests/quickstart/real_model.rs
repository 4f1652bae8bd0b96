//! The program with a real model: here a server on loopback that says the same each time.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::thread;

use serde_json::{Value, json};

use super::directory;
use crate::support::command;

/// Sets the three variables.
fn with_model(base_url: &str, model: &str) -> Command {
    let mut program = command("quickstart");
    program.env("OPENAI_API_KEY", "sk-of-a-test").env("OPENAI_BASE_URL", base_url).env("OPENAI_MODEL", model);
    program
}

/// Serves one request: a stream with one call. Returns the base URL, and what was sent.
fn serve(tool: &str, arguments: &Value) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let delta = json!({"tool_calls": [{"index": 0, "id": "x", "type": "function", "function": function}]});
    let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]});
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {chunk}\n\ndata: [DONE]\n\n"
    );
    let sent = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = Vec::new();
        let mut buffer = [0; 4_096];
        // The body ends with the list of messages.
        while !bytes.ends_with(b"}]}") {
            let read = stream.read(&mut buffer).unwrap();
            bytes.extend_from_slice(&buffer[..read]);
        }
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(bytes).unwrap()
    });
    (url, sent)
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_first_line_names_the_real_model_and_its_report_is_drawn() {
    let root = directory(&[("a.rs", "// HACK: old.\n")]);
    let finding = json!({"path": "a.rs", "line": 1, "word": "HACK", "text": "old.", "owner": null});
    let (url, sent) = serve("submit_report", &json!({"findings": [finding], "notes": []}));
    let printed = printed(&with_model(&url, "small-model").arg(root.path()).output().unwrap());
    let first = "The model is `small-model`, a language model.\n";
    assert!(printed.starts_with(first), "{printed}");
    assert!(printed.contains("   1  HACK  old.") && !printed.contains("planner"), "{printed}");
    let sent = sent.join().unwrap();
    assert!(
        sent.contains("Bearer sk-of-a-test") && sent.contains("Find every TODO, FIXME, XXX, HACK"),
        "{sent}"
    );
    assert!(!printed.contains("sk-of-a-test"));
}

#[test]
fn a_model_that_cannot_be_asked_is_an_error_and_not_the_planner() {
    for (url, said) in [
        ("nonsense", "the base URL cannot be read"),
        // Nobody listens there.
        ("http://127.0.0.1:9/v1", "the model failed: transport: "),
    ] {
        let output = with_model(url, "small-model").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{error}");
        assert!(error.contains(said) && !error.contains("sk-of-a-test"), "{error}");
    }
}

#[test]
fn with_one_variable_missing_the_planner_is_asked() {
    for missing in ["OPENAI_API_KEY", "OPENAI_MODEL"] {
        let mut program = with_model("http://127.0.0.1:9/v1", "small-model");
        let printed = printed(&program.env_remove(missing).output().unwrap());
        assert!(
            printed.starts_with("The model is a rule-based planner, not a language model.\n"),
            "{missing}"
        );
    }
}
