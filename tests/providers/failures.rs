//! What there is instead of a reply.

use std::time::{Duration, SystemTime};

use polyloop::{Model, ModelErrorClass, OpenAi};
use serde_json::json;

use crate::server::{Answer, Server, advised, answer, json as json_headers, said};
use crate::support::{client, failure, prompt, text};

#[tokio::test]
async fn advice_to_wait_is_told_and_its_absence_too() {
    assert_eq!(failure(advised(429, "retry-after", "20")).await.1, Some(20_000));
    assert_eq!(failure(advised(429, "retry-after-ms", "120")).await.1, Some(120));
    assert_eq!(failure(advised(503, "retry-after", "1")).await.1, Some(1_000));
    let (class, wait, message) = failure(said(429, r#"{"error":{"message":"slow down"}}"#)).await;
    assert_eq!(
        (class, wait, message.as_str()),
        (ModelErrorClass::RateLimited, None, "status 429: slow down")
    );
}

#[tokio::test]
async fn advice_may_be_a_date() {
    let date = "Thu, 06 Nov 2994 08:49:37 GMT";
    let wait = failure(advised(429, "retry-after", date)).await.1.unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let from_the_year_2994 = Duration::from_secs(32_341_106_977);
    assert!(wait.abs_diff(from_the_year_2994.saturating_sub(now).as_millis()) < 60_000, "{wait}");
    assert_eq!(failure(advised(429, "retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")).await.1, Some(0));
}

#[tokio::test]
async fn each_status_has_its_class() {
    for (status, class) in [
        (400, ModelErrorClass::BadRequest),
        (401, ModelErrorClass::Authorisation),
        (404, ModelErrorClass::BadRequest),
        (408, ModelErrorClass::Timeout),
        (413, ModelErrorClass::ContextTooLong),
        (429, ModelErrorClass::RateLimited),
        (500, ModelErrorClass::Server),
        (503, ModelErrorClass::Overloaded),
        (529, ModelErrorClass::Overloaded),
    ] {
        assert_eq!(failure(said(status, "{}")).await.0, class, "{status}");
    }
}

#[tokio::test]
async fn a_prompt_that_is_too_long_and_refused_content_are_told_apart() {
    let long = r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#;
    assert_eq!(failure(said(400, long)).await.0, ModelErrorClass::ContextTooLong);
    let filtered = r#"{"error":{"message":"filtered","code":"content_filter"}}"#;
    assert_eq!(failure(said(400, filtered)).await.0, ModelErrorClass::ContentRefused);
}

#[tokio::test]
async fn an_error_with_the_status_of_success_is_an_error() {
    let (class, _, message) =
        failure(answer(&json!({"error": {"code": 502, "message": "no provider"}}))).await;
    assert_eq!((class, message.as_str()), (ModelErrorClass::Server, "no provider"));
}

#[tokio::test]
async fn a_slow_server_is_a_timeout() {
    let late = |wait| Answer::Late(Duration::from_millis(wait), Box::new(text("a")));
    let server = Server::answering([late(30_000), late(30_000), late(20)]).await;
    let limit = Duration::from_millis(150);
    let whole = client(&server).streaming(false).timeout(limit).idle_timeout(None).build().unwrap();
    assert_eq!(whole.ask(&prompt()).await.unwrap_err().class(), ModelErrorClass::Timeout);
    let idle = client(&server).timeout(None).idle_timeout(limit).build().unwrap();
    assert_eq!(idle.ask(&prompt()).await.unwrap_err().class(), ModelErrorClass::Timeout);
    assert_eq!(idle.ask(&prompt()).await.unwrap().as_text(), "a");
}

#[tokio::test]
async fn without_streaming_a_long_silence_is_no_failure() {
    let late = Answer::Late(Duration::from_millis(300), Box::new(text("a")));
    let server = Server::answering([late]).await;
    let client = client(&server).streaming(false).idle_timeout(Duration::from_millis(50)).build().unwrap();
    assert_eq!(client.ask(&prompt()).await.unwrap().as_text(), "a");
}

#[tokio::test]
async fn a_broken_connection_is_a_failure_of_the_transport() {
    for broken in [Answer::HangUp, Answer::Garbage, Answer::CutBody(br#"{"choices":["#.to_vec())] {
        let (class, _, message) = failure(broken.clone()).await;
        assert_eq!(class, ModelErrorClass::Transport, "{broken:?}: {message}");
    }
    let server = Server::answering([]).await;
    let url = server.url().to_owned();
    drop(server);
    tokio::task::yield_now().await;
    let nobody = OpenAi::new(url, "m").unwrap();
    assert_eq!(nobody.ask(&prompt()).await.unwrap_err().class(), ModelErrorClass::Transport);
}

#[tokio::test]
async fn a_redirection_is_not_followed() {
    let elsewhere = Server::answering([text("a")]).await;
    let headers = vec![("location", format!("{}/chat/completions", elsewhere.url()))];
    for status in [302, 307] {
        let moved = Answer::Whole { status, headers: headers.clone(), body: Vec::new() };
        assert_eq!(failure(moved).await.0, ModelErrorClass::Protocol);
    }
    assert_eq!(elsewhere.received().len(), 0);
}

#[tokio::test]
async fn a_message_is_bounded_whatever_a_server_says() {
    for body in ["x".repeat(1_000_000), json!({"error": {"message": "ü".repeat(30_000)}}).to_string()] {
        let (class, _, message) =
            failure(Answer::Whole { status: 500, headers: json_headers(), body: body.into() }).await;
        assert_eq!((class, message.chars().count()), (ModelErrorClass::Server, 1_001));
        assert!(message.ends_with('…'));
    }
}

#[test]
fn a_runtime_without_io_or_time_is_told_of() {
    let client = OpenAi::new("http://127.0.0.1:9/v1", "m").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let error = runtime.block_on(client.ask(&prompt())).unwrap_err();
    assert_eq!(error.class(), ModelErrorClass::Transport);
    assert!(error.message().ends_with("build the tokio runtime with `enable_all`"), "{error}");
}
