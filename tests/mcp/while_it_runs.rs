//! Progress and cancelling.

use rmcp::service::ServiceError;
use serde_json::json;
use tokio::time::timeout;

use super::support::{Connection, LONG, ended, said, until};

#[tokio::test]
async fn progress_is_told_in_order_and_before_the_result() {
    let mut connection = Connection::new().await;
    let handle = connection.begin("wait", json!({"who": "Ada"})).await;
    let token = handle.progress_token.clone();
    let first = timeout(LONG, connection.told.recv()).await.unwrap().unwrap();
    connection.shared.go_on.notify_one();
    let result = ended(handle).await;
    assert!(said(&result).0.starts_with("Ada waited as "));
    let second = timeout(LONG, connection.told.recv()).await.unwrap().unwrap();
    let told = [first, second].map(|told| {
        assert_eq!(told.progress_token, token);
        (told.progress.to_string(), told.message.unwrap())
    });
    assert_eq!(
        told,
        [("1", "Ada begins"), ("2", "Ada ends")].map(|(at, text)| (at.to_owned(), text.to_owned()))
    );
}

#[tokio::test]
async fn every_call_has_an_id_of_its_own() {
    let connection = Connection::new().await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let handle = connection.begin("wait", json!({"who": "A"})).await;
        connection.shared.go_on.notify_one();
        ids.push(said(&ended(handle).await).0);
    }
    assert_ne!(ids[0], ids[1]);
}

#[tokio::test]
async fn a_cancelled_call_is_told_to_stop_and_then_dropped() {
    let connection = Connection::new().await;
    let handle = connection.begin("wait", json!({"who": "Ada"})).await;
    handle.cancel(Some("no need".to_owned())).await.unwrap();
    until(&connection.shared, 3).await;
    assert_eq!(connection.shared.noted(), ["Ada began", "asked to stop", "dropped"]);
    // The connection goes on.
    assert!(!said(&connection.call("add", json!({"a": 1, "b": 1})).await).1);
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_calls_with_it() {
    let mut connection = Connection::new().await;
    let handle = connection.begin("wait", json!({"who": "Ada"})).await;
    connection.client.close().await.unwrap();
    assert!(matches!(handle.await_response().await, Err(ServiceError::TransportClosed)));
    until(&connection.shared, 3).await;
    assert_eq!(connection.shared.noted(), ["Ada began", "asked to stop", "dropped"]);
}
