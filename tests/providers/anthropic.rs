//! The client for Anthropic's messages.

use polyloop::{Anthropic, AnthropicBuilder, Model, ModelErrorClass, ProviderState};
use serde_json::{Value, json};

use crate::conversation::{events, held};
use crate::server::{Answer, Server, answer, said};
use crate::support::prompt;

fn client(server: &Server) -> AnthropicBuilder {
    Anthropic::builder(server.root(), "some-model")
}

fn thinking() -> Value {
    json!({"type": "thinking", "thinking": "Forty and two.", "signature": "c2lnbmVk"})
}

fn calling() -> Vec<Value> {
    vec![
        thinking(),
        json!({"type": "text", "text": "Let me add."}),
        json!({"type": "tool_use", "id": "toolu_7", "name": "add", "input": {"left": 40, "right": 2}}),
    ]
}

fn message(content: &[Value], stop_reason: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "content": content,
        "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {
            "input_tokens": 20, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100,
            "output_tokens": 10
        }
    })
}

fn whole() -> [Answer; 2] {
    let text = json!({"type": "text", "text": "It is 42."});
    [answer(&message(&calling(), "tool_use")), answer(&message(&[text], "end_turn"))]
}

fn streamed() -> [Answer; 2] {
    let start = json!({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "usage": {"input_tokens": 20, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 1}
    }});
    let block = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta =
        |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let text = |index, text: &str| delta(index, json!({"type": "text_delta", "text": text}));
    let input = |json: &str| delta(2, json!({"type": "input_json_delta", "partial_json": json}));
    let end = |reason: &str| json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 10}});
    let stop = json!({"type": "message_stop"});
    let calling = [
        start.clone(),
        block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Forty and"})),
        delta(0, json!({"type": "thinking_delta", "thinking": " two."})),
        delta(0, json!({"type": "signature_delta", "signature": "c2lnbmVk"})),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "ping"}),
        block(1, json!({"type": "text", "text": ""})),
        text(1, "Let me "),
        text(1, "add."),
        json!({"type": "content_block_stop", "index": 1}),
        block(2, json!({"type": "tool_use", "id": "toolu_7", "name": "add", "input": {}})),
        input(""),
        input("{\"left\": 40, \"ri"),
        input("ght\": 2}"),
        json!({"type": "content_block_stop", "index": 2}),
        end("tool_use"),
        stop.clone(),
    ];
    let answering = [
        start,
        block(0, json!({"type": "text", "text": ""})),
        text(0, "It is 42."),
        json!({"type": "content_block_stop", "index": 0}),
        end("end_turn"),
        stop,
    ];
    [events(&calling), events(&answering)]
}

#[tokio::test]
async fn an_agent_calls_a_tool_and_answers_whole_and_as_a_stream() {
    for (streaming, answers) in [(false, whole()), (true, streamed())] {
        let held = held(|server| client(server).streaming(streaming).thinking(1_024), answers).await;
        assert_eq!(held.report.answer.as_deref(), Some("It is 42."));
        assert_eq!(held.report.actions, 1);
        let usage = held.report.usage;
        assert_eq!((usage.prompt, usage.cached, usage.reply), (250, 200, 20));
        assert_eq!(held.lines, ["POST /v1/messages HTTP/1.1"; 2]);
        assert_eq!(held.told, if streaming { vec!["Let me ", "add."] } else { vec![] });
        let call = &held.bodies[1]["messages"][1];
        assert_eq!(call["content"][0], thinking(), "what was signed goes back as it came");
        assert_eq!(call["content"][1]["text"], "Let me add.");
        assert_eq!(call["content"][2]["input"], json!({"left": 40, "right": 2}));
        let result = &held.bodies[1]["messages"][2];
        assert_eq!(result["content"][0]["tool_use_id"], call["content"][2]["id"]);
    }
}

#[tokio::test]
async fn a_body_has_a_system_part_and_turns_and_marks_for_the_cache() {
    let held = held(|server| client(server).streaming(false).parallel_tool_calls(false), whole()).await;
    let mark = json!({"type": "ephemeral"});
    let [first, second] = <[Value; 2]>::try_from(held.bodies).unwrap();
    assert_eq!(first["max_tokens"], 8_192);
    assert_eq!(
        first["system"],
        json!([
            {"type": "text", "text": "Be brief."},
            {"type": "text", "text": "<cwd>/srv</cwd>", "cache_control": mark},
        ])
    );
    assert_eq!(first["tool_choice"], json!({"type": "auto", "disable_parallel_tool_use": true}));
    assert_eq!(first["tools"][0]["name"], "add");
    assert_eq!(
        first["messages"],
        json!([{"role": "user", "content": [
            {"type": "text", "text": "What is 40 plus 2?"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="},
             "cache_control": mark},
        ]}])
    );
    // The turn with which the request before ended keeps its mark, and the new end has one.
    assert_eq!(second["messages"][0], first["messages"][0]);
    let marked = |turn: usize| second["messages"][turn].to_string().matches("ephemeral").count();
    assert_eq!([marked(0), marked(1), marked(2)], [1, 0, 1]);
    let whole = second.to_string();
    assert!(whole.matches("ephemeral").count() <= 4, "{whole}");
}

#[tokio::test]
async fn marks_can_be_left_out() {
    let held = held(|server| client(server).streaming(false).cache(false), whole()).await;
    assert!(held.bodies.iter().all(|body| !body.to_string().contains("cache_control")));
}

#[tokio::test]
async fn beside_calls_without_thoughts_the_model_may_not_think() {
    let mut calling = calling();
    calling.remove(0);
    let text = json!({"type": "text", "text": "It is 42."});
    let answers = [answer(&message(&calling, "tool_use")), answer(&message(&[text], "end_turn"))];
    let held = held(|server| client(server).streaming(false).thinking(1_024), answers).await;
    assert_eq!(held.bodies[0]["thinking"], json!({"type": "enabled", "budget_tokens": 1_024}));
    assert_eq!(held.bodies[1]["thinking"], Value::Null);
}

#[tokio::test]
async fn what_is_not_its_own_is_not_sent_back() {
    let state =
        ProviderState::new("anthropic.messages other-host some-model", r#"[{"opaque":{"type":"thinking"}}]"#);
    let model = polyloop::Scripted::replies([
        polyloop::Reply::tool("clock", "{}").with_provider_state(state),
        polyloop::Reply::text("Noon."),
    ]);
    let agent = polyloop::Agent::<crate::support::App>::builder(model.clone()).build().unwrap();
    agent.on(()).goal("What time is it?").await.unwrap().finish().await.unwrap();
    let prompt = model.requests().pop().unwrap();
    let body = Anthropic::new("http://localhost", "some-model").unwrap().body(&prompt).unwrap();
    assert!(!String::from_utf8(body).unwrap().contains("thinking"));
}

async fn asked(answered: Answer) -> Result<polyloop::Reply, polyloop::ModelError> {
    let server = Server::answering([answered]).await;
    client(&server).build().unwrap().ask(&prompt()).await
}

#[tokio::test]
async fn failures_have_their_classes() {
    let error = |kind: &str, message: &str| {
        json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
    };
    for (status, body, class) in [
        (400, error("invalid_request_error", "no"), ModelErrorClass::BadRequest),
        (
            400,
            error("invalid_request_error", "prompt is too long: 210000 tokens"),
            ModelErrorClass::ContextTooLong,
        ),
        (401, error("authentication_error", "no"), ModelErrorClass::Authorisation),
        (403, error("permission_error", "no"), ModelErrorClass::Authorisation),
        (404, error("not_found_error", "no"), ModelErrorClass::BadRequest),
        (413, error("request_too_large", "no"), ModelErrorClass::ContextTooLong),
        (429, error("rate_limit_error", "no"), ModelErrorClass::RateLimited),
        (500, error("api_error", "no"), ModelErrorClass::Server),
        (504, error("timeout_error", "no"), ModelErrorClass::Timeout),
        (529, error("overloaded_error", "no"), ModelErrorClass::Overloaded),
    ] {
        assert_eq!(asked(said(status, &body)).await.unwrap_err().class(), class, "{body}");
    }
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    assert_eq!(asked(events(&[overloaded])).await.unwrap_err().class(), ModelErrorClass::Overloaded);
    let refused = answer(&message(&[], "refusal"));
    assert_eq!(asked(refused).await.unwrap_err().class(), ModelErrorClass::ContentRefused);
    let cut = Answer::CutStream(vec![b"data: {\"type\":\"ping\"}\n\n".to_vec()]);
    assert_eq!(asked(cut).await.unwrap_err().class(), ModelErrorClass::Transport);
    assert_eq!(asked(answer(&json!({"id": 1}))).await.unwrap_err().class(), ModelErrorClass::Protocol);
}

#[tokio::test]
async fn what_a_stream_cost_is_kept_as_the_server_names_it() {
    let [_, answered] = streamed();
    let raw: Value = serde_json::from_str(asked(answered).await.unwrap().raw().unwrap()).unwrap();
    let counted = json!({
        "input_tokens": 20, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 10
    });
    assert_eq!((&raw["usage"], &raw["content"][0]["text"]), (&counted, &json!("It is 42.")));
}

#[tokio::test]
async fn a_call_that_is_no_json_keeps_its_text() {
    let start = json!({"type": "tool_use", "id": "a", "name": "add", "input": {}});
    let answered = events(&[
        json!({"type": "content_block_start", "index": 0, "content_block": start}),
        json!({"type": "content_block_delta", "index": 0,
               "delta": {"type": "input_json_delta", "partial_json": "{\"left\": 12345678901234567890123, oh"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ]);
    let reply = asked(answered).await.unwrap();
    assert_eq!(reply.calls()[0].arguments, "{\"left\": 12345678901234567890123, oh");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let builder = || Anthropic::builder("http://localhost", "m");
    let refused = |builder: AnthropicBuilder| builder.build().unwrap_err().to_string();
    assert!(refused(builder().thinking(100)).contains("`thinking` is less than"));
    assert!(refused(builder().thinking(2_000).max_tokens(2_000)).contains("leaves no token"));
    assert!(refused(builder().thinking(2_000).temperature(0.0)).contains("`temperature` cannot be set"));
    assert!(refused(builder().parameter("system", "x")).contains("is written by the client"));
}

#[tokio::test]
async fn numbers_of_arguments_stay_as_they_are_written() {
    for number in
        ["123456789012345678901234567890", "1e400", "-0", "1.50", "0.1000000000000000055511151231257827"]
    {
        let body =
            message(&calling(), "tool_use").to_string().replace("\"left\":40", &format!("\"left\":{number}"));
        let reply = asked(said(200, &body)).await.unwrap();
        assert_eq!(reply.calls()[0].arguments, format!(r#"{{"left":{number},"right":2}}"#));
    }
}
