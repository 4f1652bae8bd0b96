//! Streams of complete replies, as each interface writes them.

use serde_json::{Value, json};

use super::{Choices, Interface};

/// A reply: a text in pieces, and calls with their arguments in pieces.
struct Said {
    /// The id of the message.
    id: String,
    text: Vec<String>,
    calls: Vec<Call>,
}

struct Call {
    id: String,
    name: &'static str,
    arguments: Vec<String>,
}

impl Call {
    fn arguments(&self) -> String {
        self.arguments.concat()
    }
}

fn said(tag: usize, choices: &mut Choices<'_>) -> Said {
    let text = (0..choices.below(4)).map(|piece| format!("Piece {piece} of {tag}. ")).collect::<Vec<_>>();
    let least = usize::from(text.is_empty());
    let call = |number: usize| Call {
        id: format!("call_{tag}_{number}"),
        name: if number == 0 { "pay" } else { "look" },
        arguments: vec!["{\"amount\":".to_owned(), format!("{tag}{number}"), "}".to_owned()],
    };
    Said { id: format!("msg_{tag}"), text, calls: (0..choices.below(3).max(least)).map(call).collect() }
}

/// The data of the events of a complete reply.
pub(super) fn stream(interface: Interface, tag: usize, choices: &mut Choices<'_>) -> Vec<String> {
    let said = said(tag, choices);
    let style = choices.below(4);
    match interface {
        Interface::Chat => chat(&said, style),
        Interface::Responses => responses(&said, style),
        Interface::Messages => messages(&said, style),
        Interface::Generate => generate(&said, style),
    }
}

fn texts(events: Vec<Value>) -> Vec<String> {
    events.iter().map(Value::to_string).collect()
}

fn chat(said: &Said, style: usize) -> Vec<String> {
    let piece = |delta: Value, reason: Value| json!({"id": said.id, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let none = || if style == 1 { json!("") } else { json!(null) };
    let mut events = vec![piece(json!({"role": "assistant", "content": ""}), none())];
    events.extend(said.text.iter().map(|text| piece(json!({"content": text}), none())));
    for (index, call) in said.calls.iter().enumerate() {
        let start = json!({"index": index, "id": call.id, "function": {"name": call.name, "arguments": ""}});
        events.push(piece(json!({"tool_calls": [start]}), none()));
        events.extend(call.arguments.iter().map(|arguments| {
            let more = json!({"index": index, "function": {"arguments": arguments}});
            piece(json!({"tool_calls": [more]}), none())
        }));
    }
    let reason = if said.calls.is_empty() { "stop" } else { "tool_calls" };
    events.push(piece(json!({"content": ""}), json!(reason)));
    events.push(json!({"id": said.id, "choices": [], "usage": {"prompt_tokens": 1}}));
    let mut events = texts(events);
    if style != 2 {
        events.push("[DONE]".to_owned());
    }
    events
}

fn responses(said: &Said, style: usize) -> Vec<String> {
    let begun = json!({"id": said.id, "status": "in_progress", "output": []});
    let mut events = vec![json!({"type": "response.created", "response": begun})];
    let mut output = Vec::new();
    let add = |events: &mut Vec<Value>, output: &mut Vec<Value>, deltas: Vec<Value>, item: Value| {
        let index = output.len();
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
        events.extend(deltas);
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
        output.push(item);
    };
    if !said.text.is_empty() {
        let deltas =
            said.text.iter().map(|text| json!({"type": "response.output_text.delta", "delta": text}));
        let part = json!({"type": "output_text", "text": said.text.concat()});
        let item = json!({"type": "message", "id": format!("item_{}", said.id), "content": [part]});
        add(&mut events, &mut output, deltas.collect(), item);
    }
    for call in &said.calls {
        let item = json!({"type": "function_call", "id": format!("item_{}", call.id), "call_id": call.id,
            "name": call.name, "arguments": call.arguments(), "status": "completed"});
        add(&mut events, &mut output, Vec::new(), item);
    }
    let output = if style == 1 { Vec::new() } else { output };
    let response = json!({"id": said.id, "status": "completed", "output": output});
    events.push(json!({"type": "response.completed", "response": response}));
    texts(events)
}

fn messages(said: &Said, style: usize) -> Vec<String> {
    let mut events = vec![json!({"type": "message_start", "message": {"id": said.id, "content": []}})];
    let mut index = 0;
    let mut block = |events: &mut Vec<Value>, start: Value, deltas: Vec<Value>| {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
        index += 1;
    };
    if !said.text.is_empty() {
        let deltas = said.text.iter().map(|text| json!({"type": "text_delta", "text": text})).collect();
        block(&mut events, json!({"type": "text", "text": ""}), deltas);
    }
    for call in &said.calls {
        let delta = |json: &String| json!({"type": "input_json_delta", "partial_json": json});
        let start = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        block(&mut events, start, call.arguments.iter().map(delta).collect());
    }
    let reason = if said.calls.is_empty() { "end_turn" } else { "tool_use" };
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}}));
    if style != 1 {
        events.push(json!({"type": "message_stop"}));
    }
    texts(events)
}

fn generate(said: &Said, style: usize) -> Vec<String> {
    let piece = |part: Value| json!({"responseId": said.id, "candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let mut events: Vec<Value> = said.text.iter().map(|text| piece(json!({"text": text}))).collect();
    events.extend(said.calls.iter().map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments()).unwrap_or_default();
        piece(json!({"functionCall": {"id": call.id, "name": call.name, "args": arguments}}))
    }));
    let end = json!({"responseId": said.id, "candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}]});
    match events.last_mut() {
        Some(last) if style == 1 => last["candidates"][0]["finishReason"] = json!("STOP"),
        _ => events.push(end),
    }
    let mut events = texts(events);
    if style == 2 {
        events.push("[DONE]".to_owned());
    }
    events
}
