//! Calls at the same time.

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::support::{Connection, LONG, ended, said};

#[tokio::test]
async fn concurrent_tools_run_side_by_side() {
    let connection = Connection::new().await;
    let first = connection.begin("wait", json!({"who": "Ada"})).await;
    let second = timeout(LONG, connection.begin("wait", json!({"who": "Bob"}))).await.unwrap();
    connection.shared.go_on.notify_waiters();
    assert!(said(&ended(second).await).0.starts_with("Bob"));
    assert!(said(&ended(first).await).0.starts_with("Ada"));
}

#[tokio::test]
async fn any_other_tool_runs_alone_among_the_calls_of_its_client() {
    let connection = Connection::new().await;
    let first = connection.begin("alone", json!({})).await;
    let add = connection.call("add", json!({"a": 1, "b": 1}));
    let mut add = std::pin::pin!(add);
    for _ in 0..50 {
        assert!(futures_util::future::poll_immediate(&mut add).await.is_none());
        tokio::task::yield_now().await;
    }
    connection.shared.go_on.notify_one();
    assert!(!said(&ended(first).await).1);
    assert!(!said(&timeout(LONG, add).await.unwrap()).1);
}

#[tokio::test(start_paused = true)]
async fn a_call_without_a_limit_of_its_own_ends_after_five_minutes_and_gives_its_turn_back() {
    let connection = Connection::new().await;
    let begin = Instant::now();
    let first = connection.begin("alone", json!({})).await;
    let (said_of_it, is_error) = said(&ended(first).await);
    let unknown = "It is not known whether this action took effect; check before repeating it.";
    assert!(is_error && said_of_it == unknown, "{said_of_it}");
    assert_eq!(begin.elapsed().as_secs(), 300);
    let second = timeout(LONG, connection.begin("alone", json!({}))).await.unwrap();
    connection.shared.go_on.notify_one();
    assert!(!said(&ended(second).await).1);
}

#[tokio::test]
async fn who_waits_for_a_turn_can_be_cancelled() {
    let connection = Connection::new().await;
    let first = connection.begin("alone", json!({})).await;
    let second = connection.send("alone", json!({})).await;
    second.cancel(None).await.unwrap();
    // The server takes one message after the other, so that one behind it is answered later.
    connection.client.list_all_tools().await.unwrap();
    connection.shared.go_on.notify_one();
    assert!(!said(&ended(first).await).1);
    let third = connection.begin("alone", json!({})).await;
    connection.shared.go_on.notify_one();
    assert!(!said(&ended(third).await).1);
    let began = connection.shared.noted().iter().filter(|line| *line == "alone began").count();
    assert_eq!(began, 2, "the one that was cancelled never began");
}
