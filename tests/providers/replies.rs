//! Answers that are whole.

use polyloop::{Finish, ModelErrorClass, Reply, ReplyCall};
use serde_json::{Value, json};

use crate::server::{Answer, Server, answer, said};
use crate::support::{ask, call, client, completion, failure, prompt, text};

async fn message(message: Value, finish: &str) -> Reply {
    ask(answer(&completion(message, finish))).await.unwrap()
}

async fn calls(calls: Value) -> Vec<(String, String, String)> {
    let reply =
        message(json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls").await;
    let parts = |call: &ReplyCall| (call.id.clone(), call.name.clone(), call.arguments.clone());
    reply.calls().iter().map(parts).collect()
}

fn parts(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

#[tokio::test]
async fn a_text_is_a_reply_with_what_it_cost() {
    let reply = ask(text("Forty-two. Grüße! 🦀")).await.unwrap();
    assert_eq!((reply.as_text(), reply.finish()), ("Forty-two. Grüße! 🦀", Finish::Stop));
    let usage = reply.usage();
    assert_eq!((usage.prompt, usage.cached, usage.reply), (19, 16, 10));
}

#[tokio::test]
async fn calls_come_in_order_with_their_arguments_as_text() {
    let two = json!([call("a", "add", r#"{"left": 1,"right":2}"#), call("b", "clock", "")]);
    assert_eq!(calls(two).await, [parts("a", "add", r#"{"left": 1,"right":2}"#), parts("b", "clock", "")]);
}

#[tokio::test]
async fn malformed_arguments_and_odd_ids_stay_as_they_are() {
    let odd = json!([
        call("", "add", r#"{"left": "#),
        call("x", "add", "no JSON"),
        call("x", "", "{}"),
        {"function": {"name": "clock"}},
        {"id": null, "function": {"name": "add", "arguments": {"left": 1}}},
        {},
    ]);
    assert_eq!(
        calls(odd).await,
        [
            parts("", "add", r#"{"left": "#),
            parts("x", "add", "no JSON"),
            parts("x", "", "{}"),
            parts("", "clock", ""),
            parts("", "add", r#"{"left":1}"#),
            parts("", "", ""),
        ]
    );
}

#[tokio::test]
async fn why_the_model_stopped_is_told() {
    let with_call = json!({"content": "", "tool_calls": [call("a", "clock", "{}")]});
    assert_eq!(message(with_call.clone(), "length").await.finish(), Finish::Length);
    for said in ["tool_calls", "stop", "function_call"] {
        assert_eq!(message(with_call.clone(), said).await.finish(), Finish::ToolCalls, "{said}");
    }
    let words = json!({"content": "Half a sen"});
    assert_eq!(message(words.clone(), "length").await.finish(), Finish::Length);
    assert_eq!(message(words.clone(), "content_filter").await.finish(), Finish::ContentFilter);
    assert_eq!(message(words.clone(), "tool_calls").await.finish(), Finish::Stop);
    assert_eq!(message(words, "something new").await.finish(), Finish::Stop);
}

#[tokio::test]
async fn a_call_that_was_filtered_and_a_refusal_are_no_reply() {
    for (message, finish, said) in [
        (json!({"content": ""}), "content_filter", "the provider cut the reply for its content"),
        (
            json!({"content": "a", "tool_calls": [call("a", "clock", "{}")]}),
            "content_filter",
            "the provider cut the reply for its content",
        ),
        (json!({"content": null, "refusal": "I will not."}), "stop", "I will not."),
    ] {
        let (class, _, message) = failure(answer(&completion(message, finish))).await;
        assert_eq!((class, message.as_str()), (ModelErrorClass::ContentRefused, said));
    }
}

#[tokio::test]
async fn an_empty_reply_is_told_as_it_is() {
    for empty in
        [json!({"content": ""}), json!({"content": null, "tool_calls": null}), json!({"role": "assistant"})]
    {
        assert!(message(empty, "stop").await.is_empty());
    }
}

#[tokio::test]
async fn text_in_parts_is_one_text() {
    let content = json!([{"type": "text", "text": "a"}, {"type": "thinking"}, {"type": "text", "text": "b"}]);
    assert_eq!(message(json!({"content": content}), "stop").await.as_text(), "ab");
}

#[tokio::test]
async fn what_is_left_out_has_a_meaning() {
    let reply = ask(answer(&json!({"choices": [{"message": {"content": "a"}}]}))).await.unwrap();
    assert_eq!((reply.as_text(), reply.finish(), reply.usage().prompt), ("a", Finish::Stop, 0));
    let usage = json!({"prompt_tokens": 3, "completion_tokens": null, "prompt_tokens_details": null});
    let reply =
        ask(answer(&json!({"choices": [{"message": {"content": "a"}}], "usage": usage}))).await.unwrap();
    assert_eq!((reply.usage().prompt, reply.usage().cached, reply.usage().reply), (3, 0, 0));
}

#[tokio::test]
async fn only_the_first_choice_is_the_reply() {
    let choices =
        json!([{"index": 1, "message": {"content": "b"}}, {"index": 0, "message": {"content": "a"}}]);
    assert_eq!(ask(answer(&json!({"choices": choices}))).await.unwrap().as_text(), "a");
}

#[tokio::test]
async fn what_cannot_be_read_is_a_failure_of_the_protocol() {
    for body in ["", "no JSON", r#"{"choices": ["#, "[]", "{}", r#"{"choices": []}"#, r#"{"choices": [{}]}"#]
    {
        let (class, _, message) = failure(said(200, body)).await;
        assert_eq!(class, ModelErrorClass::Protocol, "{body}: {message}");
    }
    let bytes = Answer::Whole { status: 200, headers: Vec::new(), body: b"\xff\xfe".to_vec() };
    assert_eq!(failure(bytes).await.0, ModelErrorClass::Protocol);
}

#[tokio::test]
async fn an_answer_that_is_whole_is_taken_also_where_a_stream_was_asked_for() {
    let server = Server::answering([text("a"), text("a")]).await;
    for stream in [true, false] {
        use polyloop::Model;
        let client = client(&server).streaming(stream).build().unwrap();
        assert_eq!(client.ask(&prompt()).await.unwrap().as_text(), "a");
    }
    let sent = server.received();
    let has_stream =
        |at: usize| String::from_utf8(sent[at].body.clone()).unwrap().contains(r#""stream":true"#);
    assert_eq!((has_stream(0), has_stream(1)), (true, false));
}
