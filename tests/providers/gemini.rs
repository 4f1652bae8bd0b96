//! The client for Gemini.

use polyloop::{Agent, Gemini, GeminiBuilder, Model, ModelErrorClass, ProviderState, Reply, Scripted};
use serde_json::{Value, json};

use crate::conversation::{events, held};
use crate::server::{Answer, Server, answer, said};
use crate::support::{App, prompt};

fn client(server: &Server) -> GeminiBuilder {
    Gemini::builder(format!("{}/v1beta", server.root()), "some-model")
}

fn response(parts: &[Value], finish: Option<&str>) -> Value {
    let mut response = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 120, "cachedContentTokenCount": 100, "candidatesTokenCount": 7,
            "thoughtsTokenCount": 3, "totalTokenCount": 130
        }
    });
    if let Some(finish) = finish {
        response["candidates"][0]["finishReason"] = finish.into();
    }
    response
}

fn calling() -> Vec<Value> {
    vec![
        json!({"text": "**Adding**", "thought": true}),
        json!({"text": "Let me add."}),
        json!({"functionCall": {"name": "add", "args": {"left": 40, "right": 2}}, "thoughtSignature": "c2lnbmVk"}),
    ]
}

fn whole() -> [Answer; 2] {
    let text = json!({"text": "It is 42."});
    [answer(&response(&calling(), Some("STOP"))), answer(&response(&[text], Some("STOP")))]
}

fn streamed() -> [Answer; 2] {
    let parts: Vec<Value> = calling();
    let pieces: Vec<Value> = parts.iter().map(|part| response(std::slice::from_ref(part), None)).collect();
    let end = response(&[json!({"text": "", "thoughtSignature": "ZW5k"})], Some("STOP"));
    let answering =
        [response(&[json!({"text": "It is"})], None), response(&[json!({"text": " 42."})], None), end];
    let calling: Vec<Value> = pieces.into_iter().chain([response(&[], Some("STOP"))]).collect();
    [events(&calling), events(&answering)]
}

#[tokio::test]
async fn an_agent_calls_a_tool_and_answers_whole_and_as_a_stream() {
    for (streaming, answers) in [(false, whole()), (true, streamed())] {
        let held = held(|server| client(server).streaming(streaming).temperature(0.0), answers).await;
        assert_eq!(held.report.answer.as_deref(), Some("It is 42."));
        let usage = held.report.usage;
        assert_eq!((usage.prompt, usage.cached, usage.reply), (240, 200, 20));
        let method = if streaming { "streamGenerateContent?alt=sse" } else { "generateContent" };
        assert_eq!(held.lines[0], format!("POST /v1beta/models/some-model:{method} HTTP/1.1"));
        assert_eq!(held.told, if streaming { vec!["Let me add."] } else { vec![] });
        let [first, second] = <[Value; 2]>::try_from(held.bodies).unwrap();
        assert_eq!(first["generationConfig"], json!({"temperature": 0.0}));
        assert_eq!(
            first["systemInstruction"],
            json!({"parts": [{"text": "Be brief."}, {"text": "<cwd>/srv</cwd>"}]})
        );
        assert_eq!(
            first["contents"],
            json!([{"role": "user", "parts": [
                {"text": "What is 40 plus 2?"},
                {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}},
            ]}])
        );
        assert_eq!(first["tools"][0]["functionDeclarations"][0]["name"], "add");
        assert!(first["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"].is_object());
        let parts = &second["contents"][1]["parts"];
        assert_eq!(parts[0], json!({"text": "Let me add."}));
        assert_eq!(parts[1]["thoughtSignature"], "c2lnbmVk", "what was signed goes back at its place");
        assert_eq!(parts[1]["functionCall"]["args"], json!({"left": 40, "right": 2}));
        let result = &second["contents"][2]["parts"][0]["functionResponse"];
        assert_eq!(result["response"], json!({"output": "42"}));
        assert_eq!((&result["id"], &result["name"]), (&parts[1]["functionCall"]["id"], &json!("add")));
    }
}

/// The signatures of the calls in a request to a model, reply by reply, where another model made the first two calls.
async fn signatures(model: &str) -> Vec<Vec<Option<String>>> {
    let own = r#"[{"call":{"with":{"thoughtSignature":"c2lnbmVk"}}}]"#;
    let own = ProviderState::new(format!("gemini.generate localhost {model}"), own);
    let scripted = Scripted::replies([
        Reply::tool("clock", "{}").call("clock", "{}"),
        Reply::tool("clock", "{}").with_provider_state(own),
        Reply::text("Noon."),
    ]);
    let agent = Agent::<App>::builder(scripted.clone()).build().unwrap();
    agent.on(()).goal("What time is it?").await.unwrap().finish().await.unwrap();
    let prompt = scripted.requests().pop().unwrap();
    let body = Gemini::new("http://localhost", model).unwrap().body(&prompt).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let turns = body["contents"].as_array().unwrap().iter().filter(|turn| turn["role"] == "model");
    let of_part = |part: &Value| part["thoughtSignature"].as_str().map(str::to_owned);
    turns.map(|turn| turn["parts"].as_array().unwrap().iter().map(of_part).collect()).collect()
}

#[tokio::test]
async fn a_call_of_another_model_stands_under_a_signature_where_one_is_asked_for() {
    let (none, own) = (|| vec![None, None], || vec![Some("c2lnbmVk".to_owned())]);
    let instead = Some("skip_thought_signature_validator".to_owned());
    for model in ["gemini-3-pro-preview", "gemini-flash-latest", "models/gemini-4-argon"] {
        assert_eq!(signatures(model).await, [vec![instead.clone(), None], own()], "{model}");
    }
    for model in ["gemini-2.5-flash", "gemini-1.5-pro", "gemma-3-27b-it"] {
        assert_eq!(signatures(model).await, [none(), own()], "{model}");
    }
}

async fn asked(answered: Answer) -> Result<Reply, polyloop::ModelError> {
    let server = Server::answering([answered]).await;
    client(&server).build().unwrap().ask(&prompt()).await
}

#[tokio::test]
async fn failures_have_their_classes() {
    let error = |code: u16, status: &str, message: &str| {
        json!({"error": {"code": code, "status": status, "message": message}}).to_string()
    };
    let bad_key = json!({"error": {
        "code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid. Please pass a valid API key.",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    }});
    for (status, body, class) in [
        (400, error(400, "INVALID_ARGUMENT", "no"), ModelErrorClass::BadRequest),
        (400, bad_key.to_string(), ModelErrorClass::Authorisation),
        (
            400,
            error(
                400,
                "INVALID_ARGUMENT",
                "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
            ),
            ModelErrorClass::ContextTooLong,
        ),
        (403, error(403, "PERMISSION_DENIED", "no"), ModelErrorClass::Authorisation),
        (404, error(404, "NOT_FOUND", "no"), ModelErrorClass::BadRequest),
        (500, error(500, "INTERNAL", "no"), ModelErrorClass::Server),
        (503, error(503, "UNAVAILABLE", "The model is overloaded."), ModelErrorClass::Overloaded),
        (504, error(504, "DEADLINE_EXCEEDED", "no"), ModelErrorClass::Timeout),
    ] {
        assert_eq!(asked(said(status, &body)).await.unwrap_err().class(), class, "{body}");
    }
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    assert_eq!(asked(answer(&blocked)).await.unwrap_err().class(), ModelErrorClass::ContentRefused);
    let cut = answer(&response(&[], Some("PROHIBITED_CONTENT")));
    assert_eq!(asked(cut).await.unwrap_err().class(), ModelErrorClass::ContentRefused);
    let unreadable = answer(&response(&[], Some("MALFORMED_FUNCTION_CALL")));
    assert_eq!(asked(unreadable).await.unwrap_err().class(), ModelErrorClass::Empty);
    let unfinished = events(&[response(&[json!({"text": "It"})], None)]);
    assert_eq!(asked(unfinished).await.unwrap_err().class(), ModelErrorClass::Transport);
}

#[tokio::test]
async fn advice_to_wait_stands_in_the_error() {
    let limited = json!({"error": {
        "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37.5s"}]
    }});
    let error = asked(said(429, &limited.to_string())).await.unwrap_err();
    assert_eq!(error.class(), ModelErrorClass::RateLimited);
    assert_eq!(error.retry_after().map(|wait| wait.as_millis()), Some(37_500));
}

#[tokio::test]
async fn numbers_of_arguments_stay_as_they_are_written() {
    for number in
        ["123456789012345678901234567890", "1e400", "-0", "1.50", "0.1000000000000000055511151231257827"]
    {
        let body = response(&calling(), Some("STOP"))
            .to_string()
            .replace("\"left\":40", &format!("\"left\":{number}"));
        let reply = asked(said(200, &body)).await.unwrap();
        assert_eq!(reply.calls()[0].arguments, format!(r#"{{"left":{number},"right":2}}"#));
    }
}
