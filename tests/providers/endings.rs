//! When a reply is complete: a call is executed, and a text is an answer, only from one message that ended properly.

use polyloop::prelude::*;
use polyloop::{
    Agent, ChatCompletions, ClientBuilder, Ending, GenerateContent, Messages, ModelError,
    ModelErrorClass as Class, Protocol, Responses,
};
use serde_json::{Value, json};

use crate::conversation::events;
use crate::hostile::{asked, chat, generate, messages, responses};
use crate::server::{Answer, Server, answer};
use crate::support::App;

/// The class of the failure, or the text and the number of calls.
fn outcome(reply: Result<Reply, ModelError>) -> Result<(String, usize), Class> {
    reply.map(|reply| (reply.as_text().to_owned(), reply.calls().len())).map_err(|error| error.class())
}

/// Streams the data of events, which need be no JSON.
fn stream(data: &[&str]) -> Answer {
    Answer::Stream(data.iter().map(|data| format!("data: {data}\n\n").into_bytes()).collect())
}

fn read<P: Protocol>(data: &[Value]) -> Result<(String, usize), Class> {
    let bytes: Vec<u8> = data.iter().flat_map(|data| format!("data: {data}\n\n").into_bytes()).collect();
    outcome(polyloop::__private::read_stream::<P>([&*bytes]))
}

fn body<P: Protocol>(body: &Value) -> Result<(String, usize), Class> {
    outcome(polyloop::__private::read_whole::<P>(&body.to_string()))
}

/// Runs an agent that gets a broken reply with a call and then a text.
async fn assert_asked_again<P: Protocol>(
    client: impl Fn(&Server) -> ClientBuilder<P>,
    broken: Answer,
    text: Answer,
) {
    let server = Server::answering([broken.clone(), broken, text]).await;
    let agent =
        Agent::<App>::builder(client(&server).build().unwrap()).budget(Budget::steps(5)).build().unwrap();
    let report = agent.on(()).goal("Pay.").await.unwrap().finish().await.unwrap();
    assert_eq!((report.ending, report.answer.as_deref()), (Ending::FinalAnswer, Some("Done.")));
    assert_eq!(report.actions, 0, "no call of a broken reply is executed");
    assert_eq!(server.received().len(), 3);
}

// ---- Anthropic

fn start(id: &str) -> Value {
    json!({"type": "message_start", "message": {"id": id, "content": []}})
}

fn block(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn tool(index: u64, id: &str) -> Value {
    block(index, json!({"type": "tool_use", "id": id, "name": "add", "input": {}}))
}

fn input(index: u64) -> Value {
    let delta = json!({"type": "input_json_delta", "partial_json": "{\"left\":5,\"right\":1}"});
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn closed(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn reason(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}})
}

fn stop() -> Value {
    json!({"type": "message_stop"})
}

fn two_messages() -> Vec<Value> {
    let call = |id: &str| [start(id), tool(0, "toolu_1"), input(0)];
    [call("msg_1").to_vec(), call("msg_2").to_vec(), vec![closed(0), reason("tool_use"), stop()]].concat()
}

#[tokio::test]
async fn two_messages_in_one_stream_are_asked_again_and_no_call_of_them_is_executed() {
    let text = [
        start("msg_3"),
        block(0, json!({"type": "text", "text": "Done."})),
        closed(0),
        reason("end_turn"),
        stop(),
    ];
    assert_asked_again(messages, events(&two_messages()), events(&text)).await;
}

#[test]
fn a_message_of_anthropic_is_read_only_if_its_events_are_those_of_one_message() {
    let call = [tool(0, "a"), input(0), closed(0)];
    let end = [reason("tool_use"), stop()];
    let of = |parts: &[&[Value]]| read::<Messages>(&parts.concat());
    let one = Ok((String::new(), 1));
    assert_eq!(of(&[&[start("m")], &call, &end]), one);
    assert_eq!(
        of(&[&[start("m"), start("m")], &call, &[start("m")], &end]),
        one,
        "the same id twice is ignored"
    );
    assert_eq!(of(&[&call, &end, &[start("n")], &call]), one, "what follows the end is another message");
    assert_eq!(of(&[&call, &[reason("tool_use")]]), one, "the connection may end after the reason");
    assert_eq!(of(&[&call, &[tool(0, "b"), input(0), closed(0)], &end]), Ok((String::new(), 2)));
    for (mixed, what) in [
        (two_messages(), "another message"),
        ([&call[..], &[start("m")], &end].concat(), "a message that begins after its content"),
        ([&[tool(0, "a"), input(0)], &end[..]].concat(), "a block without its end"),
        ([&[tool(0, "a"), input(0)], &call[..], &end].concat(), "a block that begins twice"),
        ([&call[..], &call, &end].concat(), "a block that comes twice"),
        ([&call[..], &[tool(1, "a"), input(1), closed(1)], &end].concat(), "one call at two places"),
        ([&call[..], &[input(0)], &end].concat(), "a block that goes on after its end"),
        (
            [&call[..], &[reason("tool_use"), tool(1, "b"), closed(1)], &end].concat(),
            "a block after the reason",
        ),
        ([&call[..], &[stop()]].concat(), "an end without a reason"),
        ([&call[..], &[reason(""), stop()]].concat(), "an empty reason"),
        (call.to_vec(), "no end"),
    ] {
        assert_eq!(read::<Messages>(&mixed), Err(Class::Transport), "{what}");
    }
}

// ---- Gemini

fn part() -> Value {
    json!({"functionCall": {"id": "c1", "name": "add", "args": {"left": 5, "right": 1}}})
}

fn piece(part: Value, reason: Value) -> Value {
    json!({"responseId": "r1", "candidates": [{"content": {"parts": [part]}, "finishReason": reason}]})
}

#[tokio::test]
async fn a_call_that_gemini_calls_broken_is_not_executed_and_asked_again() {
    let text = answer(&piece(json!({"text": "Done."}), json!("STOP")));
    let broken = piece(part(), json!("MALFORMED_FUNCTION_CALL"));
    assert_asked_again(generate, answer(&broken), text.clone()).await;
    assert_asked_again(generate, events(&[broken]), text).await;
}

#[test]
fn a_reason_of_gemini_that_is_not_an_end_makes_no_reply() {
    for (name, class) in [
        ("MALFORMED_FUNCTION_CALL", Class::Empty),
        ("UNEXPECTED_TOOL_CALL", Class::Empty),
        ("TOO_MANY_TOOL_CALLS", Class::Empty),
        ("MISSING_THOUGHT_SIGNATURE", Class::Empty),
        ("SAFETY", Class::ContentRefused),
        ("OTHER", Class::Server),
        ("SOMETHING_NEW", Class::Server),
        ("", Class::Transport),
    ] {
        let broken = piece(part(), json!(name));
        assert_eq!(body::<GenerateContent>(&broken), Err(class), "{name}");
        assert_eq!(read::<GenerateContent>(&[broken]), Err(class), "{name}");
    }
    let unknown = piece(json!({"text": "Half a sen"}), json!("SOMETHING_NEW"));
    assert_eq!(body::<GenerateContent>(&unknown), Err(Class::Server));
    assert_eq!(body::<GenerateContent>(&piece(part(), json!(null))), Err(Class::Transport));
    let limit = piece(part(), json!("MAX_TOKENS"));
    assert_eq!(
        body::<GenerateContent>(&limit),
        Ok((String::new(), 1)),
        "the loop refuses the calls of a cut reply"
    );
}

#[test]
fn a_stream_of_gemini_is_one_candidate_of_one_response() {
    let text = |text: &str, reason: Value| piece(json!({"text": text}), reason);
    let (none, end) = (json!(null), json!("STOP"));
    let of = |pieces: &[Value]| read::<GenerateContent>(pieces);
    assert_eq!(of(&[text("a", none.clone()), text("b", end.clone())]), Ok(("ab".to_owned(), 0)));
    let cut = Err(Class::Transport);
    assert_eq!(of(&[text("a", end.clone()), text("b", none.clone())]), cut, "a reason with text after it");
    assert_eq!(of(&[text("a", end.clone()), text("b", end.clone())]), cut, "a reason beside each piece");
    let mut other = text("b", end.clone());
    other["responseId"] = json!("r2");
    assert_eq!(of(&[text("a", none.clone()), text("a", none.clone()), other]), cut, "another response");
    let two = json!({"candidates": [
        {"index": 1, "content": {"parts": [part()]}, "finishReason": "STOP"},
        {"index": 0, "content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"},
    ]});
    assert_eq!(body::<GenerateContent>(&two), Ok(("a".to_owned(), 0)), "the first candidate by its index");
    let twice = [piece(part(), none.clone()), piece(part(), end.clone())];
    assert_eq!(of(&twice), cut, "one call twice");
    let mut pieces = part();
    pieces["functionCall"]["willContinue"] = json!(true);
    assert_eq!(of(&[piece(pieces, end)]), Err(Class::Protocol), "arguments in pieces");
}

// ---- Chat completions

fn chunk(delta: Value, reason: Value) -> Value {
    json!({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
}

fn said(text: &str, reason: Value) -> Value {
    chunk(json!({"content": text}), reason)
}

fn called(id: &str) -> Value {
    let function = json!({"name": "add", "arguments": "{\"left\":5,\"right\":1}"});
    chunk(json!({"tool_calls": [{"index": 0, "id": id, "function": function}]}), json!(null))
}

#[tokio::test]
async fn a_cut_stream_of_chat_completions_is_asked_again_and_its_call_is_not_executed() {
    let text = answer(&json!({"choices": [{"message": {"content": "Done."}, "finish_reason": "stop"}]}));
    assert_asked_again(chat, events(&[called("a"), said("", json!(""))]), text.clone()).await;
    let early = [chunk(json!({}), json!("tool_calls")), called("a")];
    assert_asked_again(chat, events(&early), text).await;
}

#[tokio::test]
async fn a_finish_reason_that_is_empty_is_none() {
    let half = said("Half a", json!("")).to_string();
    assert_eq!(outcome(asked(chat, stream(&[&half, &half])).await), Err(Class::Transport));
    assert_eq!(outcome(asked(chat, stream(&[&half, &half, "[DONE]"])).await), Err(Class::Transport));
    let end = said("", json!("stop")).to_string();
    assert_eq!(outcome(asked(chat, stream(&[&half, &end])).await), Ok(("Half a".to_owned(), 0)));
}

#[tokio::test]
async fn a_finish_reason_counts_only_when_no_content_follows_it() {
    let stop = |text: &str| said(text, json!("stop")).to_string();
    let none = |text: &str| said(text, json!(null)).to_string();
    let usage = json!({"id": "other", "choices": [], "usage": {"prompt_tokens": 3}}).to_string();
    let cut = Err(Class::Transport);
    let whole = Ok(("ab".to_owned(), 0));
    for (pieces, expected, what) in [
        (vec![stop("a"), none("b")], &cut, "text after the reason"),
        (vec![stop("a"), stop("b")], &cut, "a reason beside each piece, and no last event"),
        (vec![stop("a"), none("b"), "[DONE]".to_owned()], &cut, "the last event takes no reason back"),
        (
            vec![stop("a"), stop("b"), "[DONE]".to_owned()],
            &whole,
            "a reason beside each piece, and the last event",
        ),
        (vec![none("a"), stop("b"), usage, none("")], &whole, "what follows is no content"),
    ] {
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(outcome(asked(chat, stream(&pieces)).await), *expected, "{what}");
    }
}

#[test]
fn a_stream_of_chat_completions_is_one_choice_of_one_completion() {
    let end = || chunk(json!({}), json!("tool_calls"));
    let cut = Err(Class::Transport);
    let of = |pieces: &[Value]| read::<ChatCompletions>(pieces);
    assert_eq!(of(&[called("a"), end()]), Ok((String::new(), 1)));
    let other = |mut piece: Value, id: &str| {
        piece["id"] = json!(id);
        piece
    };
    assert_eq!(of(&[called("a"), called("a"), other(end(), "d")]), cut, "another completion");
    assert_eq!(of(&[called("a"), other(end(), "d")]), cut, "another completion after one piece");
    let each = [other(said("a", json!(null)), "1"), other(said("b", json!(null)), "2"), other(end(), "3")];
    assert_eq!(of(&each), Ok(("ab".to_owned(), 0)), "an id for each piece");
    let two = json!({"choices": [
        {"delta": {"content": "a"}, "finish_reason": "stop"}, {"delta": {"content": "b"}, "finish_reason": "stop"},
    ]});
    assert_eq!(of(&[two]), Ok(("a".to_owned(), 0)), "choices without an index are told apart by their place");
    let call = json!({"id": "a", "function": {"name": "add", "arguments": "{}"}});
    let whole = |calls: Value, reason: &str| json!({"choices": [{"message": {"content": null, "tool_calls": calls}, "finish_reason": reason}]});
    assert_eq!(body::<ChatCompletions>(&whole(json!([call.clone()]), "tool_calls")), Ok((String::new(), 1)));
    assert_eq!(
        body::<ChatCompletions>(&whole(json!([call.clone(), call.clone()]), "tool_calls")),
        cut,
        "one call twice"
    );
    for (reason, class) in [
        ("error", Class::Server),
        ("network_error", Class::Server),
        ("insufficient_system_resource", Class::Server),
        ("abort", Class::Server),
        ("function_call_filter: MALFORMED_FUNCTION_CALL", Class::Empty),
        ("content_filter", Class::ContentRefused),
    ] {
        assert_eq!(body::<ChatCompletions>(&whole(json!([call.clone()]), reason)), Err(class), "{reason}");
        assert_eq!(of(&[called("a"), chunk(json!({}), json!(reason))]), Err(class), "{reason}");
    }
}

// ---- Responses

fn item(id: &str, status: &str) -> Value {
    json!({"type": "function_call", "id": format!("i_{id}"), "call_id": id, "name": "add",
           "arguments": "{\"left\":5,\"right\":1}", "status": status})
}

fn event(kind: &str, id: &str, output: &[Value]) -> Value {
    json!({"type": format!("response.{kind}"), "response": {"id": id, "output": output}})
}

fn item_event(kind: &str, index: u64, item: Value) -> Value {
    json!({"type": format!("response.output_item.{kind}"), "output_index": index, "item": item})
}

#[tokio::test]
async fn a_response_that_never_completed_is_asked_again_and_its_call_is_not_executed() {
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "Done."}]});
    let text = answer(&json!({"status": "completed", "output": [message]}));
    let broken =
        [item_event("done", 0, item("a", "completed")), event("failed", "r", &[item("a", "completed")])];
    assert_asked_again(responses, events(&broken), text.clone()).await;
    let running = json!({"status": "in_progress", "output": [item("a", "completed")]});
    assert_asked_again(responses, answer(&running), text).await;
}

#[test]
fn a_stream_of_responses_is_one_response_with_finished_items() {
    let of = |data: &[Value]| read::<Responses>(data);
    let call = || item("a", "completed");
    let done = |index| item_event("done", index, call());
    let created = || event("created", "r", &[]);
    let one = Ok((String::new(), 1));
    assert_eq!(of(&[created(), done(0), event("completed", "r", &[])]), one);
    let unplaced = || json!({"type": "response.output_item.done", "item": call()});
    assert_eq!(of(&[created(), unplaced(), event("completed", "r", &[])]), one, "an index may be missing");
    assert_eq!(of(&[created(), done(0), done(0), event("completed", "r", &[])]), one, "the same item twice");
    assert_eq!(
        of(&[created(), done(0), event("completed", "r", &[call()])]),
        one,
        "the last event repeats it"
    );
    assert_eq!(
        of(&[event("completed", "r", &[call()]), done(1), event("completed", "s", &[])]),
        one,
        "after the end"
    );
    let order = [item_event("done", 1, item("b", "completed")), done(0), event("completed", "r", &[])];
    let bytes: Vec<u8> = order.iter().flat_map(|data| format!("data: {data}\n\n").into_bytes()).collect();
    let reply = polyloop::__private::read_stream::<Responses>([&*bytes]).unwrap();
    assert_eq!(reply.calls()[0].id, "a", "items stand in the order of their index");
    for (mixed, class, what) in [
        (
            vec![created(), created(), done(0), event("completed", "s", &[])],
            Class::Transport,
            "another response",
        ),
        (
            vec![done(0), item_event("done", 0, item("b", "completed")), event("completed", "r", &[])],
            Class::Transport,
            "two items at one place",
        ),
        (vec![done(0), done(1), event("completed", "r", &[])], Class::Transport, "one call at two places"),
        (
            vec![item_event("added", 0, call()), event("completed", "r", &[])],
            Class::Transport,
            "an unfinished item",
        ),
        (
            vec![item_event("added", 0, item("b", "in_progress")), unplaced(), event("completed", "r", &[])],
            Class::Transport,
            "an item without an index finishes none that has one",
        ),
        (vec![event("completed", "r", &[item("a", "in_progress")])], Class::Transport, "an unfinished call"),
        (vec![event("failed", "r", &[call()])], Class::Server, "a failed response without a status"),
        (vec![done(0), json!({"type": "response.completed"})], Class::Transport, "an end without a response"),
        (vec![created(), done(0)], Class::Transport, "no end"),
    ] {
        assert_eq!(of(&mixed), Err(class), "{what}");
    }
    let queued = json!({"status": "queued", "output": [call()]});
    assert_eq!(body::<Responses>(&queued), Err(Class::Transport));
    assert_eq!(body::<Responses>(&json!({"status": "cancelled", "output": [call()]})), Err(Class::Server));
}
