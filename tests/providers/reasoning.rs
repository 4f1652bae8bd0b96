//! Reasoning in chat completions: kept with a reply that calls, and sent back beside its calls.

use polyloop::{ChatMessage, Model, OpenAi, OpenAiBuilder, ProviderState, Reply, Scripted};
use serde_json::{Map, Value, json};

use crate::conversation::{Held, events, held};
use crate::decode;
use crate::server::{Answer, Server, answer};
use crate::support::{App, completion, prompt, text};

fn client(server: &Server) -> OpenAiBuilder {
    OpenAi::builder(server.url(), "thinker")
}

/// A message that calls, with what a vendor adds to it and to the call.
fn calling(of_message: &Value, of_call: Option<&Value>) -> Value {
    let function = json!({"name": "add", "arguments": "{\"left\":40,\"right\":2}"});
    let mut call = json!({"id": "c1", "type": "function", "function": function});
    if let Some(extra) = of_call {
        call["extra_content"] = extra.clone();
    }
    let mut message = json!({"role": "assistant", "content": "Let me add.", "tool_calls": [call]});
    message.as_object_mut().unwrap().extend(of_message.as_object().unwrap().clone());
    message
}

fn whole(of_message: &Value, of_call: Option<&Value>) -> [Answer; 2] {
    [answer(&completion(calling(of_message, of_call), "tool_calls")), text("It is 42.")]
}

fn chunk(delta: Value, reason: Option<&str>) -> Value {
    json!({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
}

/// The same as a stream, with the reasoning in these pieces.
fn streamed(pieces: &[Value], of_call: Option<&Value>) -> [Answer; 2] {
    let mut all: Vec<Value> = pieces.iter().map(|piece| chunk(piece.clone(), None)).collect();
    all.push(chunk(json!({"content": "Let me add."}), None));
    let mut call = calling(&json!({}), of_call)["tool_calls"][0].clone();
    call["index"] = json!(0);
    call["function"]["arguments"] = json!("");
    all.push(chunk(json!({"tool_calls": [call]}), None));
    let more = json!({"index": 0, "function": {"arguments": "{\"left\":40,\"right\":2}"}});
    all.push(chunk(json!({"tool_calls": [more]}), None));
    all.push(chunk(json!({}), Some("tool_calls")));
    [events(&all), events(&[chunk(json!({"content": "It is 42."}), Some("stop"))])]
}

/// The message with the call, as the second request has it.
fn sent(held: &Held) -> Value {
    assert_eq!(held.report.answer.as_deref(), Some("It is 42."));
    let messages = held.bodies[1]["messages"].as_array().unwrap();
    messages.iter().find(|message| message.get("tool_calls").is_some()).unwrap().clone()
}

fn assert_goes_back(message: &Value, of_message: &Value, of_call: Option<&Value>) {
    for (name, value) in of_message.as_object().unwrap() {
        assert_eq!(&message[name], value, "{name}");
    }
    assert_eq!(message["tool_calls"][0].get("extra_content"), of_call);
    assert_eq!(message["content"], "Let me add.");
}

#[tokio::test]
async fn reasoning_goes_back_with_its_calls_under_the_name_that_the_vendor_gave_it() {
    let signed = json!({"google": {"thought_signature": "c2lnbmVk"}});
    let thought = json!({"type": "reasoning.text", "format": "f-v1", "index": 0, "text": "Forty and two."});
    let sealed =
        json!({"type": "reasoning.encrypted", "format": "f-v1", "index": 0, "id": "r", "data": "ZW5j"});
    let details = json!({"reasoning_details": [thought, sealed]});
    let part = |text: &str| {
        let part = json!({"type": "reasoning.text", "format": "f-v1", "index": 0, "text": text});
        json!({"reasoning": text, "reasoning_details": [part]})
    };
    let last = json!({"reasoning_details": [sealed]});
    let text = |name: &str, text: &str| json!({ name: text });
    let each = |name: &str| vec![text(name, "Forty"), text(name, " and two."), json!({name: null})];
    for (pieces, of_message, of_call) in [
        (each("reasoning_content"), text("reasoning_content", "Forty and two."), None),
        (each("reasoning"), text("reasoning", "Forty and two."), None),
        (vec![text("reasoning_content", "")], text("reasoning_content", ""), None),
        (vec![part("Forty"), part(" and two."), last], details, None),
        (vec![], json!({}), Some(&signed)),
    ] {
        let answers = whole(&of_message, of_call);
        let held_whole = held(|server| client(server).streaming(false), answers).await;
        assert_goes_back(&sent(&held_whole), &of_message, of_call);
        let held_streamed = held(client, streamed(&pieces, of_call)).await;
        assert_goes_back(&sent(&held_streamed), &of_message, of_call);
        assert!(sent(&held_streamed).get("reasoning").is_none() || of_message.get("reasoning").is_some());
    }
}

#[tokio::test]
async fn reasoning_can_be_left_out() {
    let signed = json!({"google": {"thought_signature": "c2lnbmVk"}});
    let of_message = json!({"reasoning_content": "Forty and two."});
    let client = |server: &Server| client(server).streaming(false).return_reasoning(false);
    let held = held(client, whole(&of_message, Some(&signed))).await;
    let message = sent(&held).to_string();
    assert!(!message.contains("reasoning") && !message.contains("extra_content"), "{message}");
    let identity = |returns| {
        OpenAi::builder("http://localhost/v1", "m").return_reasoning(returns).build().unwrap().identity()
    };
    assert_ne!(identity(true), identity(false));
    assert!(!identity(true).contains("reasoning"), "an identity of before stays what it was");
}

#[tokio::test]
async fn reasoning_beside_a_text_alone_is_not_kept() {
    let message = json!({"role": "assistant", "content": "It is 42.", "reasoning_content": "Forty and two."});
    let server = Server::answering([answer(&completion(message, "stop"))]).await;
    let reply = client(&server).build().unwrap().ask(&prompt()).await.unwrap();
    assert_eq!(reply.provider_state(), None);
    assert!(reply.raw().unwrap().contains("Forty and two."), "the journal has it");
}

/// The message with the call of a session whose reply has such a state.
async fn sent_with(state: ProviderState, to: &OpenAi) -> ChatMessage {
    let model =
        Scripted::replies([Reply::tool("clock", "{}").with_provider_state(state), Reply::text("Noon.")]);
    let agent = polyloop::Agent::<App>::builder(model.clone()).build().unwrap();
    agent.on(()).goal("What time is it?").await.unwrap().finish().await.unwrap();
    let body = to.body(&model.requests().pop().unwrap()).unwrap();
    decode::messages(&body).into_iter().find(|message| !message.calls.is_empty()).unwrap()
}

#[tokio::test]
async fn reasoning_goes_back_to_the_same_interface_host_and_model_only() {
    let to = OpenAi::new("http://localhost/v1", "thinker").unwrap();
    let data = r#"[{"opaque":{"reasoning_content":"Noon?","role":"system"}},{"call":{"with":{"extra_content":{"a":1},"id":"x"}}}]"#;
    let own = sent_with(ProviderState::new("openai.chat localhost thinker", data), &to).await;
    let expected: Map<String, Value> =
        [("reasoning_content".to_owned(), json!("Noon?"))].into_iter().collect();
    assert_eq!(own.reasoning, expected, "and nothing else of an edited state");
    assert_eq!((own.call_extras, &*own.role), (vec![(0, json!({"a": 1}))], "assistant"));
    for other in
        ["openai.chat other thinker", "openai.chat localhost else", "gemini.generate localhost thinker"]
    {
        let message = sent_with(ProviderState::new(other, data), &to).await;
        assert!(message.reasoning.is_empty() && message.call_extras.is_empty(), "{other}");
    }
}
