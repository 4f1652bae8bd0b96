//! Tools through a client: written in the dialect of the reader, and read back before anybody sees the arguments.

use std::collections::BTreeMap;

use polyloop::prelude::*;
use polyloop::{BuildError, Gemini, Journal, MemoryJournal, OpenAi, SchemaReader};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::{Server, answer};
use crate::support::{call, completion, text};

/// Tags files.
#[tool(replay = safe)]
async fn tag(
    /// The tags of each file.
    tags: BTreeMap<String, Vec<String>>,
    /// What to say of it.
    note: Option<String>,
    /// How often to try.
    #[arg(default = 3)]
    tries: u32,
) -> String {
    format!("{tags:?} {note:?} {tries}")
}

/// Some folder.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Folder {
    name: String,
    folders: Vec<Folder>,
}

/// Makes folders.
#[tool]
async fn make(
    /// The folder.
    folder: Folder,
) -> String {
    format!("{folder:?}")
}

registry! { struct Tagging { tools: [tag] } }
registry! { struct Making { tools: [tag, make] } }

#[tokio::test]
async fn arguments_come_to_the_tool_and_the_journal_as_the_tool_has_them_and_go_back_as_the_provider_reads_them()
 {
    let lowered = json!({"tags": [{"key": "a.rs", "value": ["x", "y"]}], "note": null, "tries": null});
    let calling =
        json!({"role": "assistant", "content": null, "tool_calls": [call("1", "tag", &lowered.to_string())]});
    let server = Server::answering([answer(&completion(calling, "tool_calls")), text("Tagged.")]).await;
    let journal = MemoryJournal::new();
    let model = OpenAi::builder(server.url(), "some-model").streaming(false).build().unwrap();
    let agent = Agent::<Tagging>::builder(model).journal(journal.clone()).build().unwrap();
    let mut run = agent.on(()).goal("Tag it.").await.unwrap();
    run.finish().await.unwrap();

    let bodies: Vec<Value> =
        server.received().iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect();
    let function = &bodies[0]["tools"][0]["function"];
    assert_eq!(function["strict"], true);
    assert_eq!(function["parameters"]["required"], json!(["tags", "note", "tries"]));
    let again = bodies[1]["messages"][1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(again).unwrap(), lowered);
    assert_eq!(bodies[1]["messages"][2]["content"], r#"{"a.rs": ["x", "y"]} None 3"#);

    let records = journal.read(run.session_id(), 0).await.unwrap();
    let decided = records.iter().find(|record| record.kind == "decision").unwrap();
    assert!(decided.payload.contains(r#"{\"a.rs\":[\"x\",\"y\"]}"#), "{}", decided.payload);
}

#[test]
fn an_agent_whose_provider_cannot_read_a_tool_is_not_built() {
    let gemini = |reader| Gemini::builder("http://localhost", "some-model").schemas(reader).build().unwrap();
    assert!(Agent::<Making>::builder(gemini(SchemaReader::Gemini)).build().is_ok());
    let refused = Agent::<Making>::builder(gemini(SchemaReader::GeminiOpenApi)).build().unwrap_err();
    let BuildError::Unreadable(tools) = &refused else { panic!("{refused}") };
    assert_eq!(tools.tools().len(), 1, "the other tool is not refused");
    let said = refused.to_string();
    let named = "tool `make` cannot be shown to Gemini (OpenAPI): argument `folder.folders[]`, of type `providers::tools::Folder`: \
         `Folder` holds itself";
    assert!(said.contains(named), "{said}");
}

#[test]
fn without_native_calls_no_schema_is_sent_and_none_is_refused() {
    let gemini =
        Gemini::builder("http://localhost", "m").schemas(SchemaReader::GeminiOpenApi).build().unwrap();
    assert!(Agent::<Making>::builder(gemini).interpreter(polyloop::JsonAction).build().is_ok());
}
