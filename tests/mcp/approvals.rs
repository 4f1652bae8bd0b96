//! Tools to each call of which a person must agree.

use polyloop::{Action, Texts};
use serde_json::json;

use super::support::{Connection, said};

#[tokio::test]
async fn without_anybody_to_ask_nothing_runs() {
    let connection = Connection::new().await;
    let refused = connection.call("remove", json!({"name": "a"})).await;
    let text = "not executed: `remove` needs a person's approval, and this server has nobody to ask";
    assert_eq!(said(&refused), (text.to_owned(), true));
    assert_eq!(connection.shared.noted(), [""; 0]);
}

#[tokio::test]
async fn what_is_approved_runs_and_nothing_else() {
    let asks = |action: Action| async move { action == Action::tool("remove", r#"{"name":"a"}"#) };
    let connection = Connection::with(|server| server.approver(asks)).await;
    assert_eq!(said(&connection.call("remove", json!({"name": "a"})).await), ("a is gone".to_owned(), false));
    let denied = connection.call("remove", json!({"name": "b"})).await;
    assert_eq!(said(&denied), (Texts::default().denied, true));
    assert_eq!(connection.shared.noted(), ["removed a"]);
}

#[tokio::test]
async fn who_panics_has_not_agreed() {
    let asks = |_: Action| -> std::future::Ready<bool> { panic!("nobody is there") };
    let connection = Connection::with(|server| server.approver(asks)).await;
    let denied = connection.call("remove", json!({"name": "a"})).await;
    assert_eq!(said(&denied), (Texts::default().denied, true));
    assert_eq!(connection.shared.noted(), [""; 0]);
}

#[tokio::test]
async fn nobody_is_asked_about_wrong_arguments_or_other_tools() {
    let asks = |_: Action| -> std::future::Ready<bool> { panic!("asked") };
    let connection = Connection::with(|server| server.approver(asks)).await;
    assert!(said(&connection.call("remove", json!({})).await).0.contains("invalid arguments"));
    assert!(!said(&connection.call("add", json!({"a": 1, "b": 1})).await).1);
}
