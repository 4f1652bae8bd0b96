//! What holds for every body of the interfaces that take turns, or items, whatever was said.

use std::collections::BTreeSet;

use polyloop::prelude::*;
use polyloop::{Anthropic, Gemini, OpenAiResponses, UserInput};
use proptest::prelude::*;
use serde_json::Value;

use crate::bodies::{goal, prompts_for, reply};

fn anthropic(prompt: &Prompt) -> Value {
    let bytes = Anthropic::new("http://localhost", "m").unwrap().body(prompt).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn gemini(prompt: &Prompt) -> Value {
    let bytes = Gemini::new("http://localhost", "m").unwrap().body(prompt).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn responses(prompt: &Prompt) -> Value {
    let bytes = OpenAiResponses::new("http://localhost", "m").unwrap().body(prompt).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// The members of every part of a side, by name.
fn all<'b>(turns: &'b Value, list: &str, name: &str) -> Vec<Vec<&'b Value>> {
    let parts =
        |turn: &'b Value| turn[list].as_array().unwrap().iter().filter_map(|part| part.get(name)).collect();
    turns.as_array().unwrap().iter().map(parts).collect()
}

/// Whether two sides alternate, the person first.
fn alternate(turns: &Value, model: &str) -> bool {
    let turns = turns.as_array().unwrap();
    turns.iter().enumerate().all(|(at, turn)| (turn["role"] == model) == (at % 2 == 1))
}

fn run_of(goal: UserInput, replies: Vec<Reply>) -> Vec<Prompt> {
    prompts_for(goal, replies, true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn messages_alternate_and_each_call_is_answered_in_the_next(
        goal in goal(),
        replies in proptest::collection::vec(reply(), 1..6),
    ) {
        for prompt in run_of(goal, replies) {
            let body = anthropic(&prompt);
            prop_assert_eq!(&body, &anthropic(&prompt));
            let messages = &body["messages"];
            prop_assert!(alternate(messages, "assistant"), "{}", messages);
            let made = all(messages, "content", "id");
            let answered = all(messages, "content", "tool_use_id");
            for (at, calls) in made.iter().enumerate() {
                let results = answered.get(at + 1).cloned().unwrap_or_default();
                prop_assert_eq!(calls, &results, "{}", messages);
            }
            for text in all(messages, "content", "text").concat() {
                prop_assert!(!text.as_str().unwrap().trim().is_empty(), "an empty block: {}", messages);
            }
            for input in all(messages, "content", "input").concat() {
                prop_assert!(input.is_object());
            }
            prop_assert!(body.to_string().matches("\"cache_control\":").count() <= 4);
        }
    }

    #[test]
    fn contents_alternate_and_each_call_is_answered_in_the_next(
        goal in goal(),
        replies in proptest::collection::vec(reply(), 1..6),
    ) {
        for prompt in run_of(goal, replies) {
            let body = gemini(&prompt);
            let contents = &body["contents"];
            prop_assert!(alternate(contents, "model"), "{}", contents);
            let made = all(contents, "parts", "functionCall");
            let answered = all(contents, "parts", "functionResponse");
            for (at, calls) in made.iter().enumerate() {
                let results = answered.get(at + 1).cloned().unwrap_or_default();
                let who = |of: &[&Value]| of.iter().map(|of| (of["id"].clone(), of["name"].clone())).collect::<Vec<_>>();
                prop_assert_eq!(who(calls), who(&results), "{}", contents);
                prop_assert!(calls.iter().all(|call| call["args"].is_object()));
            }
        }
    }

    #[test]
    fn items_go_on_and_each_call_is_answered_once(
        goal in goal(),
        replies in proptest::collection::vec(reply(), 1..6),
    ) {
        let mut before: Vec<Value> = Vec::new();
        for prompt in run_of(goal, replies) {
            let input = responses(&prompt)["input"].as_array().unwrap().clone();
            prop_assert!(input.starts_with(&before), "what was sent stays sent");
            let ids = |kind: &str| -> Vec<String> {
                let of_kind = input.iter().filter(|item| item["type"] == kind);
                of_kind.map(|item| item["call_id"].as_str().unwrap().to_owned()).collect()
            };
            let (made, answered) = (ids("function_call"), ids("function_call_output"));
            prop_assert_eq!(made.len(), made.iter().collect::<BTreeSet<_>>().len());
            prop_assert_eq!(made, answered);
            before = input;
        }
    }
}
