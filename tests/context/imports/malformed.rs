//! What is refused, with its place and what to do.

use polyloop::{ForeignHistory, HistoryFault, HistoryPlace};
use serde_json::{Value, json};

use super::{open_ai, rollout};

fn refused(list: &Value) -> String {
    open_ai(list).unwrap_err().to_string()
}

fn calling(id: &str) -> Value {
    json!({"role": "assistant", "tool_calls": [{"id": id, "function": {"name": "look", "arguments": "{}"}}]})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "seen"})
}

fn said(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

#[test]
fn the_first_call_without_a_result_is_named() {
    let nine = |dangling: &str, reused: &str| {
        json!([
            said("a"),
            said("b"),
            calling(dangling),
            said("c"),
            calling("x"),
            result("x"),
            calling(reused),
            result(reused),
            said("d")
        ])
    };
    let again = " before message 7 uses its id again";
    for (reused, again) in [("x", ""), ("y", again)] {
        let message =
            format!("message 3: the call `y` has no result{again}; add the result, or leave the call out");
        assert_eq!(refused(&nine("y", reused)), message);
    }
    let error = open_ai(&nine("y", "y")).unwrap_err();
    assert_eq!(error.place(), HistoryPlace::AtMessage(3));
    let again = Some(HistoryPlace::AtMessage(7));
    assert_eq!(error.reason(), &HistoryFault::Unanswered { call: "y".to_owned(), again });
}

#[test]
fn whatever_else_is_wrong_the_first_fault_is_named() {
    let list = json!([calling("a"), said("b"), result("c")]);
    assert_eq!(open_ai(&list).unwrap_err().place(), HistoryPlace::AtMessage(1));
    let list = json!([said("b"), result("c"), calling("a")]);
    assert_eq!(open_ai(&list).unwrap_err().place(), HistoryPlace::AtMessage(2));
}

#[test]
fn a_message_that_is_none_is_refused_with_its_number_and_what_to_do() {
    let calls = |calls: Value| json!({"role": "assistant", "tool_calls": calls});
    for (message, refusal) in [
        (json!("hello"), "this is no JSON object; write it as one, or remove it"),
        (json!({"content": "hello"}), "`role` is missing; it says who speaks"),
        (json!({"role": 1, "content": "hello"}), "`role` is not a string; write it as that"),
        (
            json!({"role": "human", "content": "hello"}),
            "the role `human` is unknown; there are `system`, `developer`, `user`, `assistant`, `tool` and `function`",
        ),
        (
            json!({"role": "user", "content": 7}),
            "`content` is not a string, null or a list of parts; write it as that",
        ),
        (json!({"role": "user", "content": ["a"]}), "`content` is not a list of objects; write it as that"),
        (
            json!({"role": "user", "content": [{"text": "a"}]}),
            "`type` is missing; it says what a part of the content is",
        ),
        (
            json!({"role": "user", "content": [{"type": "text"}]}),
            "`text` is missing; it says what the part says",
        ),
        (
            json!({"role": "tool", "content": "a"}),
            "`tool_call_id` is missing; it says which call this answers",
        ),
        (
            json!({"role": "function", "content": "a"}),
            "`name` is missing; it says which function this answers",
        ),
        (
            result("c"),
            "this is the result of `c`, and no call before it has that id and no result; leave it out",
        ),
        (calls(json!({})), "`tool_calls` is not a list; write it as that"),
        (calls(json!([1])), "`tool_calls` is not a list of objects; write it as that"),
        (calls(json!([{"function": {"name": "a"}}])), "`id` is missing; it says which call this is"),
        (calls(json!([{"id": "c"}])), "`function` is missing; it says which function is called"),
        (calls(json!([{"id": "c", "function": "a"}])), "`function` is not an object; write it as that"),
        (
            calls(json!([{"id": "c", "function": {"name": " ", "arguments": ""}}])),
            "`name` is not the name of a tool; write it as that",
        ),
        (
            calls(json!([{"id": "c", "function": {"name": "a"}}])),
            "`arguments` is missing; it says what the function is called with",
        ),
        (
            json!({"role": "user", "tool_calls": [{"id": "c", "function": {"name": "a", "arguments": ""}}]}),
            "calls in a message of the role `user`; only `assistant` calls tools",
        ),
        (
            json!({"type": "function_call_output", "output": "a"}),
            "`call_id` is missing; it says which call this is",
        ),
        (
            json!({"type": "function_call_output", "call_id": "c", "output": {}}),
            "`output` is not a string, a list of parts, or an object with `content`; write it as that",
        ),
    ] {
        assert_eq!(refused(&json!([said("first"), message])), format!("message 2: {refusal}"));
    }
}

#[test]
fn a_text_that_is_no_list_of_messages_is_refused() {
    let no_list =
        "the history: this is no list of messages; give an array, or an object with an array `messages`";
    for other in [json!(1), json!("a"), json!({}), json!({"messages": {}})] {
        assert_eq!(refused(&other), no_list);
    }
    let nothing = "the history: there is nothing in it that a model was told; give another one";
    assert_eq!(refused(&json!([])), nothing);
    assert_eq!(refused(&json!([said(" ")])), nothing);
    assert_eq!(ForeignHistory::codex_rollout("\n").unwrap_err().to_string(), nothing);
    let error = ForeignHistory::open_ai("[\n  {]").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the history: this is no JSON: key must be a string at line 2 column 4; mend or remove it"
    );
    let deep = "[".repeat(100_000);
    assert!(ForeignHistory::open_ai(&deep).unwrap_err().to_string().contains("recursion limit"));
    assert_eq!(ForeignHistory::codex_rollout(&deep).unwrap_err().place(), HistoryPlace::Line(1));
}

#[test]
fn a_line_that_is_none_is_refused_with_its_number() {
    let first = json!({"type": "response_item", "payload": said("first")}).to_string();
    for (line, refusal) in [
        ("{\"type\": \"respo", "this is no JSON: EOF while parsing a string, column 15; mend or remove it"),
        ("7", "this is no JSON object; write it as one, or remove it"),
        ("{}", "this is no line of a rollout, it has neither `type` nor `payload`; remove it"),
        ("{\"payload\": {}}", "`type` is missing; it says what the line holds"),
        (
            "{\"type\": \"response_item\", \"payload\": 1}",
            "this is no JSON object; write it as one, or remove it",
        ),
        (
            "{\"type\": \"compacted\", \"payload\": {\"message\": \"\", \"replacement_history\": 1}}",
            "`replacement_history` is not a list; write it as that",
        ),
    ] {
        // Blank lines count as lines.
        let error = ForeignHistory::codex_rollout(&format!("{first}\n\n{line}\n")).unwrap_err();
        assert_eq!(error.to_string(), format!("line 3: {refusal}"));
    }
    let call = json!({"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"});
    let lines =
        [json!({"type": "session_meta", "payload": {}}), json!({"type": "response_item", "payload": call})];
    let unanswered = "line 2: the call `c` has no result; add the result, or leave the call out";
    assert_eq!(rollout(&lines).unwrap_err().to_string(), unanswered);
}
