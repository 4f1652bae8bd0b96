//! Arbitrary histories: nothing is lost, nothing changes its place, and nothing panics.

use polyloop::{ForeignHistory, HistoryPlace, Role};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{agent, messages, open_ai};

/// One message, with calls and results by small numbers, so that they meet.
fn message() -> impl Strategy<Value = Value> {
    // No text has a marker, hence nothing is recognised.
    let text = "[a-z \n]{0,6}";
    let role = prop_oneof![Just("system"), Just("developer"), Just("user"), Just("assistant")];
    let calls = vec(0..4_u8, 0..3);
    prop_oneof![
        3 => (role, vec(text, 0..3)).prop_map(|(role, parts)| {
            let parts: Vec<Value> = parts.iter().map(|text| json!({"type": "text", "text": text})).collect();
            json!({"role": role, "content": parts})
        }),
        2 => (text, calls).prop_map(|(text, calls)| {
            let call = |id: &u8| json!({"id": id.to_string(), "function": {"name": "look", "arguments": "{}"}});
            let calls: Vec<Value> = calls.iter().map(call).collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }),
        3 => (0..4_u8, text).prop_map(|(id, text)| {
            json!({"role": "tool", "tool_call_id": id.to_string(), "content": text})
        }),
    ]
}

/// Puts a result of its own behind each message with calls, most of the time.
fn answered(list: &[Value], answers: &[u8]) -> Vec<Value> {
    let mut answers = answers.iter().cycle();
    let mut whole = Vec::new();
    for message in list {
        whole.push(message.clone());
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        for call in calls.iter().filter(|_| answers.next().is_some_and(|answer| answer % 8 > 0)) {
            whole.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "seen"}));
        }
    }
    whole
}

/// What a list says, without what is empty: the role and the parts of each message, and the text of each result.
fn said(list: &[Value]) -> Vec<(String, Vec<String>)> {
    let said = list.iter().map(|message| {
        let parts = match &message["content"] {
            Value::Array(parts) => {
                parts.iter().map(|part| part["text"].as_str().unwrap().to_owned()).collect()
            }
            text => vec![text.as_str().unwrap().to_owned()],
        };
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
        (message["role"].as_str().unwrap().to_owned(), parts)
    });
    let said = said.map(|(role, parts)| {
        let silent = role == "tool" && parts.is_empty();
        (role, if silent { vec!["(no output)".to_owned()] } else { parts })
    });
    said.filter(|(_, parts)| !parts.is_empty()).collect()
}

fn name(role: Role) -> String {
    role.as_str().to_owned()
}

/// Drops the results of calls: they move to their call.
fn without_results(said: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    said.into_iter().filter(|(role, _)| role != "tool").collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_list_says_the_same_in_a_session_or_is_refused_with_a_place(
        list in vec(message(), 0..12),
        answers in vec(any::<u8>(), 1..8),
        strays in any::<bool>(),
    ) {
        let kept = |message: &&Value| strays || message["role"] != "tool";
        let list = answered(&list.iter().filter(kept).cloned().collect::<Vec<_>>(), &answers);
        let history = match open_ai(&Value::from(list.clone())) {
            Ok(history) => history,
            Err(error) => {
                let nothing_said = said(&list).is_empty();
                prop_assert!(matches!(error.place(), HistoryPlace::AtMessage(_)) || nothing_said, "{error}");
                return Ok(());
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (mut session, moved) = runtime.block_on(async {
            let (agent, _) = agent(&["so"]);
            let report = agent.import(history).session("s").await.unwrap();
            let session = agent.read("s").await.unwrap();
            // The scripted model refuses a request that a strict provider refuses.
            let mut run = agent.on(()).session("s").goal("go on").await.unwrap();
            let report = (report.moved, run.finish().await);
            report.1.map(|_| (session, report.0)).unwrap()
        });
        let texts = |blocks: Vec<String>| -> Vec<String> {
            let is_text = |block: &String| !block.starts_with("call_") || block.contains(": ");
            let text = |block: String| block.split_once(": ").map_or(block.clone(), |(_, text)| text.to_owned());
            blocks.into_iter().filter(is_text).map(text).collect()
        };
        let shown: Vec<_> = messages(&mut session)
            .into_iter()
            .map(|(role, blocks)| (name(role), texts(blocks)))
            .filter(|(_, texts)| !texts.is_empty())
            .collect();
        let expected = said(&list);
        if moved == 0 {
            prop_assert_eq!(shown, expected);
        } else {
            let results = |said: &[(String, Vec<String>)]| {
                let mut results: Vec<_> = said.iter().filter(|(role, _)| role == "tool").cloned().collect();
                results.sort();
                results
            };
            prop_assert_eq!(results(&shown), results(&expected));
            prop_assert_eq!(without_results(shown), without_results(expected));
        }
    }

    #[test]
    fn whatever_a_text_is_it_is_read_or_refused(
        text in ".{0,40}",
        lines in vec(prop_oneof![
            Just(r#"{"type":"response_item","payload":{"type":"message","role":"user","content":"a"}}"#.to_owned()),
            Just(r#"{"type":"event_msg","payload":{"type":"user_message","message":"a"}}"#.to_owned()),
            Just(r#"{"type":"response_item","payload":{"type":"function_call","call_id":"c","name":"n","arguments":""}}"#.to_owned()),
            Just(r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"o"}}"#.to_owned()),
            Just(r#"{"type":"compacted","payload":{"message":"a"}}"#.to_owned()),
            Just(r#"{"type":"compacted","payload":{"replacement_history":[{"role":"user","content":"a"}]}}"#.to_owned()),
            (0..4_u8).prop_map(|turns| format!(
                r#"{{"type":"event_msg","payload":{{"type":"thread_rolled_back","num_turns":{turns}}}}}"#
            )),
            ".{0,10}",
        ], 0..10),
    ) {
        drop(ForeignHistory::open_ai(&text));
        if let Err(error) = ForeignHistory::codex_rollout(&lines.join("\n")) {
            let whole = error.place() == HistoryPlace::Whole;
            prop_assert!(whole || matches!(error.place(), HistoryPlace::Line(1..=20)), "{error}");
        }
    }
}
