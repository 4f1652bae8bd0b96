//! What becomes of a call.

use polyloop::Texts;
use polyloop::mcp::Server;
use polyloop::prelude::*;
use rmcp::model::ErrorCode;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::support::{Connection, said};

#[tokio::test]
async fn an_object_is_told_as_text_and_as_structure() {
    let result = Connection::new().await.call("add", json!({"a": 2, "b": 3})).await;
    assert_eq!(said(&result), (r#"{"sum":5}"#.to_owned(), false));
    assert_eq!(result.structured_content, Some(json!({"sum": 5})));
}

#[tokio::test]
async fn what_is_no_object_or_only_looks_like_one_is_text() {
    let connection = Connection::new().await;
    let list = connection.call("list", json!({})).await;
    assert_eq!((said(&list).0.as_str(), list.structured_content), ("[1,2]", None));
    let looks = connection.call("echo", json!({"text": r#"{"sum":5}"#})).await;
    assert_eq!((said(&looks).0.as_str(), looks.structured_content), (r#"{"sum":5}"#, None));
}

#[tokio::test]
async fn an_error_of_the_handler_is_told_as_a_model_would_be_told() {
    let connection = Connection::new().await;
    let failed = connection.call("echo", Value::Null).await;
    assert_eq!(said(&failed), ("error: nothing to say".to_owned(), true));
    let offline = connection.call("offline", json!({})).await;
    let text = Texts::default().environment_error;
    assert_eq!(said(&offline), (text, true), "what the environment said is for the operator");
}

#[tokio::test]
async fn a_handler_that_panics_ends_its_call_only() {
    let connection = Connection::new().await;
    let panicked = connection.call("panics", json!({})).await;
    assert_eq!(said(&panicked), ("panicked: the handler gave up".to_owned(), true));
    assert_eq!(said(&connection.call("add", json!({"a": 1, "b": 1})).await).0, r#"{"sum":2}"#);
}

#[tokio::test]
async fn what_a_client_is_not_shown_is_there_for_the_handler() {
    let connection = Connection::new().await;
    let marked = connection.call("mark", json!({"word": "x"})).await;
    assert_eq!(said(&marked), ("() x".to_owned(), false));
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let error = Connection::new().await.try_call("ad", json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(error.message, "there is no tool `ad`; did you mean `add`?");
}

#[tokio::test]
async fn a_hidden_tool_is_none_for_a_client() {
    let connection = Connection::new().await;
    let error = connection.try_call("secret", json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(connection.shared.noted(), [""; 0]);
}

#[tokio::test]
async fn wrong_arguments_are_told_so_that_a_model_can_put_them_right() {
    let connection = Connection::new().await;
    let result = connection.call("add", json!({"a": "x", "b": -1, "c": 0})).await;
    let (text, is_error) = said(&result);
    assert!(is_error);
    assert!(text.starts_with("not executed: invalid arguments for `add`: "), "{text}");
    for path in ["`a`", "`b`", "unknown argument `c`"] {
        assert!(text.contains(path), "{text}");
    }
}

#[tokio::test]
async fn near_misses_are_taken_as_they_are_from_a_model() {
    let result = Connection::new().await.call("add", json!({"a": "2", "b": 3.0})).await;
    assert_eq!(result.structured_content, Some(json!({"sum": 5})));
}

#[tokio::test]
async fn a_timeout_is_told_as_what_is_known_of_the_effect() {
    let connection = Connection::new().await;
    let safe = connection.call("slow", json!({})).await;
    assert_eq!(said(&safe), ("timed out after 50 ms".to_owned(), true));
    let never = connection.call("slow_once", json!({})).await;
    assert_eq!(said(&never), (Texts::default().unknown, true));
}

#[tokio::test]
async fn the_texts_are_those_of_the_host() {
    let mut texts = Texts::default();
    texts.not_executed = "no: {reason}".to_owned();
    let connection = Connection::with(|server| server.texts(&texts).unwrap()).await;
    let refused = connection.call("wait", json!({})).await;
    assert!(said(&refused).0.starts_with("no: invalid arguments for `wait`"));
}

/// Returns a number.
#[tool(concurrent)]
async fn number(
    /// Which.
    which: u128,
) -> String {
    which.to_string()
}

registry! {
    struct Numbers { tools: [number] }
}

#[tokio::test]
async fn numbers_arrive_as_they_are_written() {
    let (here, there) = tokio::io::duplex(4_096);
    tokio::spawn(Server::<Numbers>::new(()).unwrap().serve(there));
    let mut here = BufReader::new(here);
    let client_info = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client_info});
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let number = "123456789012345678901234567890";
    let arguments = format!(r#"{{"name":"number","arguments":{{"which":{number}}}}}"#);
    let call = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{arguments}}}"#);
    here.write_all(format!("{begin}\n{initialized}\n{call}\n").as_bytes()).await.unwrap();
    let mut lines = [String::new(), String::new()];
    for line in &mut lines {
        here.read_line(line).await.unwrap();
    }
    assert!(lines[1].contains(&format!(r#""text":"{number}""#)), "{}", lines[1]);
}
