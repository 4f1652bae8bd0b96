//! The options of a client: what is sent, and what is refused.

use polyloop::{DeveloperRole, Model, OpenAi, OpenAiBuilder, ResponseFormat};
use serde_json::{Value, json};

use crate::server::Server;
use crate::support::{client, prompt, text};

/// The request that a client with these options sends.
async fn sent(options: impl FnOnce(OpenAiBuilder) -> OpenAiBuilder) -> (crate::server::Received, OpenAi) {
    let server = Server::answering([text("a")]).await;
    let client = options(client(&server)).build().unwrap();
    client.ask(&prompt()).await.unwrap();
    (server.received().remove(0), client)
}

#[tokio::test]
async fn what_is_sent_is_the_body_of_the_prompt() {
    let (received, client) = sent(|client| client.key("sk-1")).await;
    assert_eq!(received.body, client.body(&prompt()).unwrap());
    assert_eq!(received.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert_eq!(received.header("authorization"), Some("Bearer sk-1"));
}

#[tokio::test]
async fn without_a_key_no_authorisation_is_sent() {
    assert_eq!(sent(|client| client).await.0.header("authorization"), None);
    assert_eq!(sent(|client| client.key("")).await.0.header("authorization"), None);
}

#[tokio::test]
async fn headers_are_added() {
    let (received, _) = sent(|client| client.header("X-Title", "polyloop").header("api-key", "k-123")).await;
    assert_eq!((received.header("x-title"), received.header("api-key")), (Some("polyloop"), Some("k-123")));
}

#[tokio::test]
async fn every_option_has_its_place_in_the_body() {
    let schema = json!({"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "null"}}});
    let (received, _) = sent(|client| {
        client
            .parameter("reasoning_effort", "low")
            .max_tokens(100)
            .max_completion_tokens(200)
            .seed(7)
            .temperature(0.2)
            .response_format(ResponseFormat::json_schema("step", schema))
            .parallel_tool_calls(false)
            .parameter("top_p", 0.5)
    })
    .await;
    assert_eq!(
        String::from_utf8(received.body).unwrap(),
        concat!(
            r#"{"model":"small-model","temperature":0.2,"seed":7,"max_tokens":100,"max_completion_tokens":200,"#,
            r#""response_format":{"type":"json_schema","json_schema":{"name":"step","strict":true,"#,
            r#""schema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"null"}}}}},"#,
            r#""stream":true,"stream_options":{"include_usage":true},"#,
            r#""reasoning_effort":"low","top_p":0.5,"#,
            r#""messages":[{"role":"user","content":"What is six times seven?"}]}"#
        )
    );
    let (received, _) =
        sent(|client| client.streaming(false).response_format(ResponseFormat::JsonObject)).await;
    let body: Value = serde_json::from_slice(&received.body).unwrap();
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    assert_eq!(
        body.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["model", "response_format", "messages"]
    );
}

#[test]
fn the_path_is_added_to_every_base_url() {
    for (base, url) in [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        (" http://localhost:8080/v1/ ", "http://localhost:8080/v1/chat/completions"),
        ("http://localhost:8080", "http://localhost:8080/chat/completions"),
        ("https://a.example/x?api-version=1&key=geheim", "https://a.example/x/chat/completions"),
    ] {
        let client = OpenAi::new(base, "m").unwrap();
        assert_eq!(format!("{client:?}"), format!(r#"OpenAi {{ url: "{url}", model: "m", .. }}"#));
        assert_eq!(client.model(), "m");
    }
}

#[test]
fn what_cannot_be_sent_is_refused_while_building() {
    let base = "http://localhost/v1";
    let refusal = |builder: OpenAiBuilder| builder.build().unwrap_err().to_string();
    let unreadable = "the base URL cannot be read; write one such as `https://api.openai.com/v1`";
    for (url, said) in [
        ("", unreadable),
        ("api.openai.com/v1", unreadable),
        ("ftp://localhost/v1", "the base URL is neither `http` nor `https`"),
        (
            "https://me:geheim@localhost/v1",
            "the base URL holds a user or a password; pass a key or a header instead",
        ),
    ] {
        assert_eq!(refusal(OpenAi::builder(url, "m")), said);
    }
    let builder = || OpenAi::builder(base, "m");
    for (builder, said) in [
        (OpenAi::builder(base, " "), "the name of the model is empty; name one that the server has"),
        (builder().key("a\nb"), "the key has characters that no header takes; look for a line break"),
        (builder().header("a b", "c"), "the header `a b` is no name of a header"),
        (builder().header("a", "geheim\n"), "the header `a` has a value that no header takes"),
        (builder().header("Host", "x"), "the header `Host` belongs to the transport; leave it out"),
        (builder().temperature(f64::NAN), "the parameter `temperature` is no finite number"),
        (
            builder().parameter("messages", json!([])),
            "the parameter `messages` is written by the client; use its own option",
        ),
        (
            builder().parameter("top_p", 1).parameter("top_p", 2),
            "the parameter `top_p` is set twice; keep one",
        ),
    ] {
        assert_eq!(refusal(builder), said);
    }
}

#[test]
fn developers_speak_as_the_system_unless_told_otherwise() {
    use crate::support::{App, Place};
    let mut session = polyloop::Session::<App>::new();
    session.inject(Place { path: "/srv".to_owned() }).unwrap();
    let mut role = |builder: OpenAiBuilder| {
        let body: Value =
            serde_json::from_slice(&builder.build().unwrap().body(&session.prompt()).unwrap()).unwrap();
        body["messages"][0]["role"].as_str().unwrap().to_owned()
    };
    let builder = || OpenAi::builder("http://localhost/v1", "m");
    assert_eq!(role(builder()), "system");
    assert_eq!(role(builder().developer_role(DeveloperRole::Developer)), "developer");
}
