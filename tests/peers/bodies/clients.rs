//! The clients, each as it comes and with its options, and with every reader of schemas that fits it.

use polyloop::prelude::*;
use polyloop::{
    Anthropic, Client, ClientBuilder, DeveloperRole, Gemini, OpenAi, OpenAiResponses, Protocol,
    ResponseFormat, SchemaReader,
};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::conversations::Conversation;

/// One line.
#[derive(Serialize)]
struct Line<'a> {
    client: &'a str,
    reader: SchemaReader,
    conversation: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a RawValue>,
    /// Why there is no body.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

/// Prints what each client sends for a conversation.
pub(crate) fn print(conversation: &Conversation) {
    use SchemaReader as Reader;

    let chat = || OpenAi::builder("http://localhost/v1", "some-model");
    let responses = || OpenAiResponses::builder("http://localhost/v1", "some-model");
    let anthropic = || Anthropic::builder("http://localhost", "some-model");
    let gemini = || Gemini::builder("http://localhost/v1beta", "some-model");
    for reader in [Reader::OpenAi, Reader::OpenAiPlain, Reader::LlamaCpp] {
        client("OpenAi", chat(), reader, conversation);
        client("OpenAiResponses", responses(), reader, conversation);
    }
    for reader in [Reader::Anthropic, Reader::AnthropicPlain, Reader::LlamaCpp] {
        client("Anthropic", anthropic(), reader, conversation);
    }
    for reader in [Reader::Gemini, Reader::GeminiOpenApi] {
        client("Gemini", gemini(), reader, conversation);
    }
    let schema = json!({
        "type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"],
        "additionalProperties": false
    });
    let format = ResponseFormat::json_schema("step", schema.clone());
    let with_options = chat()
        .developer_role(DeveloperRole::Developer)
        .temperature(0.5)
        .seed(7)
        .max_completion_tokens(100)
        .response_format(format)
        .parallel_tool_calls(false)
        .streaming(false);
    client("OpenAi", with_options, Reader::OpenAi, conversation);
    let with_options = responses()
        .temperature(0.5)
        .reasoning_effort("low")
        .json_schema("step", schema)
        .max_tokens(100)
        .parallel_tool_calls(false)
        .streaming(false);
    client("OpenAiResponses", with_options, Reader::OpenAi, conversation);
    let with_options =
        anthropic().thinking(1_024).max_tokens(2_000).parallel_tool_calls(false).streaming(false);
    client("Anthropic", with_options, Reader::Anthropic, conversation);
    client("Anthropic", anthropic().temperature(0.5).cache(false), Reader::Anthropic, conversation);
    let thinking = json!({"includeThoughts": true, "thinkingBudget": 1_024});
    let with_options = gemini()
        .temperature(0.5)
        .max_tokens(100)
        .generation("topP", 0.9)
        .generation("thinkingConfig", thinking)
        .streaming(false);
    client("Gemini", with_options, Reader::Gemini, conversation);
}

fn client<P: Protocol>(
    name: &str,
    builder: ClientBuilder<P>,
    reader: SchemaReader,
    conversation: &Conversation,
) {
    let client: Client<P> = builder.schemas(reader).build().expect("the client is built");
    let line = Line { client: name, reader, conversation: conversation.name, body: None, refused: None };
    match client.body(&conversation.prompt) {
        Ok(body) => line.with_body(&body),
        Err(refused) => Line { refused: Some(ModelError::to_string(&refused)), ..line }.print(),
    }
}

impl Line<'_> {
    fn with_body(self, body: &[u8]) {
        let body: &RawValue = serde_json::from_slice(body).expect("a body is JSON");
        Line { body: Some(body), ..self }.print();
    }

    fn print(&self) {
        let line = serde_json::to_string(self).expect("a line is JSON");
        // What a model wrote as arguments stands there as it is, line breaks included.
        println!("{}", line.replace('\n', " "));
    }
}

/// Prints a body that a server got.
pub(crate) fn print_sent(client: &str, reader: SchemaReader, conversation: &str, body: &[u8]) {
    Line { client, reader, conversation, body: None, refused: None }.with_body(body);
}
