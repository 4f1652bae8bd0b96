//! Answers that arrive piece by piece.

use std::time::Duration;

use polyloop::{Finish, Model, ModelErrorClass, Reply};
use serde_json::json;

use crate::server::{Answer, Server};
use crate::support::{client, done, piece, prompt, told, usage};

fn text(text: &str) -> Vec<u8> {
    piece(json!({"content": text}), None)
}

fn end(finish: &str) -> Vec<u8> {
    piece(json!({}), Some(finish))
}

/// Asks once; the reply or the class of the failure, and the pieces that were told.
async fn stream(answer: Answer) -> (Result<Reply, ModelErrorClass>, Vec<String>) {
    let server = Server::answering([answer]).await;
    let (reply, pieces) = told(&client(&server).build().unwrap()).await;
    (reply.map_err(|error| error.class()), pieces)
}

#[tokio::test]
async fn a_stream_is_told_piece_by_piece_and_replies_as_a_whole() {
    let first = piece(json!({"role": "assistant", "content": "", "refusal": null}), None);
    let pieces = vec![first, text("Forty"), text("-two"), text("."), end("stop"), usage(), done()];
    let (reply, told) = stream(Answer::Stream(pieces)).await;
    let reply = reply.unwrap();
    assert_eq!((reply.as_text(), reply.finish()), ("Forty-two.", Finish::Stop));
    assert_eq!(told, ["Forty", "-two", "."]);
    let usage = reply.usage();
    assert_eq!((usage.prompt, usage.cached, usage.reply), (19, 16, 10));
}

#[tokio::test]
async fn parallel_calls_are_put_together_by_their_index() {
    let call = |index: usize, id: &str, name: &str| {
        let function = json!({"name": name, "arguments": ""});
        piece(
            json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}),
            None,
        )
    };
    let more = |index: usize, arguments: &str| {
        piece(json!({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}), None)
    };
    let pieces = vec![
        text("Let me see."),
        call(0, "a", "add"),
        more(0, r#"{"left": 1,"#),
        // The same id twice, and arguments that are no JSON.
        call(1, "a", "clock"),
        more(1, "{"),
        more(0, r#""right": 2}"#),
        end("tool_calls"),
        done(),
    ];
    let (reply, told) = stream(Answer::Stream(pieces)).await;
    let reply = reply.unwrap();
    let calls: Vec<_> = reply.calls().iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
    assert_eq!(calls, [("a", "add", r#"{"left": 1,"right": 2}"#), ("a", "clock", "{")]);
    assert_eq!((reply.finish(), told), (Finish::ToolCalls, vec!["Let me see.".to_owned()]));
}

#[tokio::test]
async fn a_length_stop_with_a_call_is_told_as_one() {
    let call =
        json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "add", "arguments": "{\"le"}}]});
    let (reply, _) = stream(Answer::Stream(vec![piece(call, None), end("length"), done()])).await;
    let reply = reply.unwrap();
    assert_eq!((reply.finish(), reply.calls().len()), (Finish::Length, 1));
}

#[tokio::test]
async fn pieces_may_be_cut_anywhere() {
    let bytes = [text("größer 🦀"), text(" als"), end("stop"), done()].concat();
    for size in [1, 2, 3, 7, 64] {
        let pieces = bytes.chunks(size).map(<[u8]>::to_vec).collect();
        let (reply, told) = stream(Answer::Stream(pieces)).await;
        assert_eq!(reply.unwrap().as_text(), "größer 🦀 als", "in pieces of {size} bytes");
        assert_eq!(told, ["größer 🦀", " als"]);
    }
}

#[tokio::test]
async fn every_form_of_events_is_read() {
    let body = concat!(
        ": OPENROUTER PROCESSING\r\n\r\n",
        "event: message\r\nid: 7\r\n",
        "data: {\"choices\": [{\"index\": 0,\r\n",
        "data:  \"delta\": {\"content\": \"a\"}}]}\r\n\r\n",
        ": still here\r\n",
        "data:{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\r\n\r\n",
        "data: [DONE]\r\n\r\n",
    );
    for body in [body.to_owned(), body.replace("\r\n", "\n"), body.replace("\r\n", "\r")] {
        for at in [1, 24, 25, 60, body.len() - 1] {
            let (before, after) = body.as_bytes().split_at(at);
            let (reply, told) = stream(Answer::Stream(vec![before.to_vec(), after.to_vec()])).await;
            assert_eq!(reply.unwrap().as_text(), "ab", "{body:?} at {at}");
            assert_eq!(told, ["a", "b"]);
        }
    }
}

#[tokio::test]
async fn a_stream_without_its_last_event_is_whole_if_the_model_said_why_it_stopped() {
    let pieces = vec![text("a"), end("stop")];
    assert_eq!(stream(Answer::Stream(pieces.clone())).await.0.unwrap().as_text(), "a");
    assert_eq!(stream(Answer::CutStream(pieces)).await.0.unwrap().as_text(), "a");
    // A server that names no reasons at all.
    let bare = br#"data: {"choices":[{"delta":{"content":"a"}}]}"#.to_vec();
    let bare = vec![bare, b"\n\n".to_vec(), done()];
    assert_eq!(stream(Answer::Stream(bare)).await.0.unwrap().as_text(), "a");
}

#[tokio::test]
async fn a_cut_stream_is_no_reply_and_what_was_told_stays_told() {
    for cut in [Answer::CutStream(vec![text("a")]), Answer::Stream(vec![text("a")])] {
        let (reply, told) = stream(cut).await;
        assert_eq!((reply, told), (Err(ModelErrorClass::Transport), vec!["a".to_owned()]));
    }
    let half = text("b")[..20].to_vec();
    assert_eq!(stream(Answer::Stream(vec![text("a"), half])).await.0, Err(ModelErrorClass::Transport));
    assert_eq!(stream(Answer::Stream(Vec::new())).await.0, Err(ModelErrorClass::Transport));
}

#[tokio::test]
async fn an_error_in_a_stream_has_the_class_of_its_code() {
    for (event, class) in [
        (r#"{"error":{"code":429,"message":"slow down"}}"#, ModelErrorClass::RateLimited),
        (r#"{"error":{"message":"gone","type":"server_error"},"choices":[]}"#, ModelErrorClass::Server),
        (r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#, ModelErrorClass::Server),
        ("{\"choices\":", ModelErrorClass::Protocol),
        ("[1]", ModelErrorClass::Protocol),
    ] {
        let event = format!("data: {event}\n\n").into_bytes();
        assert_eq!(stream(Answer::Stream(vec![text("a"), event, done()])).await.0, Err(class));
    }
}

#[tokio::test]
async fn a_server_that_falls_silent_is_a_timeout() {
    let server = Server::answering([
        Answer::StuckStream(vec![text("a")]),
        Answer::StuckStream(vec![text("a"), end("stop")]),
    ])
    .await;
    let client = client(&server).idle_timeout(Duration::from_millis(200)).build().unwrap();
    assert_eq!(client.ask(&prompt()).await.unwrap_err().class(), ModelErrorClass::Timeout);
    // The model was through; only what follows is missing.
    assert_eq!(client.ask(&prompt()).await.unwrap().as_text(), "a");
}

#[tokio::test]
async fn a_stream_that_goes_on_ends_at_the_limit_of_the_whole() {
    let pieces = (0..1_000).map(|_| text("a")).collect();
    let server = Server::answering([Answer::Stream(pieces)]).await;
    let client = client(&server).timeout(Duration::from_millis(200)).build().unwrap();
    let (reply, pieces) = told(&client).await;
    assert_eq!(reply.unwrap_err().class(), ModelErrorClass::Timeout);
    assert!(!pieces.is_empty());
}
