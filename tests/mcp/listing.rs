//! What a client is told of the tools.

use polyloop::mcp::Server;
use polyloop::prelude::*;
use polyloop::{Dialect, Registry};
use rmcp::model::Tool;
use serde_json::{Value, json};

use super::support::{App, Connection, Shared, all_names};

async fn listed() -> Vec<Tool> {
    Connection::new().await.client.list_all_tools().await.unwrap()
}

fn found<'t>(tools: &'t [Tool], name: &str) -> &'t Tool {
    tools.iter().find(|tool| tool.name == name).unwrap()
}

#[tokio::test]
async fn every_tool_is_listed_but_the_hidden_ones() {
    let names: Vec<String> = listed().await.iter().map(|tool| tool.name.to_string()).collect();
    let shown: Vec<String> = all_names().into_iter().filter(|name| name != "secret").collect();
    assert_eq!(names, shown);
}

#[tokio::test]
async fn a_client_sees_the_schema_in_its_dialect() {
    let tools = listed().await;
    for tool in &tools {
        let set = App::tools().unwrap();
        let lowered = set.schema(&tool.name, Dialect::Mcp).unwrap();
        assert_eq!(
            Value::Object((*tool.input_schema).clone()),
            serde_json::from_str::<Value>(&lowered).unwrap()
        );
        assert_eq!(tool.input_schema["type"], "object");
    }
    assert_eq!(found(&tools, "echo").description.as_deref(), Some("Says the same."));
}

#[tokio::test]
async fn a_hint_is_passed_on_and_what_is_not_said_stays_open() {
    let tools = listed().await;
    let hints = |name: &str| serde_json::to_value(&found(&tools, name).annotations).unwrap();
    assert_eq!(hints("add"), json!({"readOnlyHint": true, "idempotentHint": true}));
    assert_eq!(hints("remove"), json!({"destructiveHint": true}));
    assert_eq!(hints("echo"), json!({"openWorldHint": true}));
    assert_eq!(hints("list"), Value::Null);
}

#[tokio::test]
async fn a_server_says_who_it_is_and_what_it_offers() {
    let named = Connection::with(|server| server.named("sums", "1.2").instructions("Adds.")).await;
    let info = named.client.peer_info().unwrap();
    let server = info.server_info.as_ref().unwrap();
    assert_eq!((server.name.as_str(), server.version.as_str()), ("sums", "1.2"));
    assert_eq!(info.instructions.as_deref(), Some("Adds."));
    assert!(info.capabilities.tools.is_some() && info.capabilities.resources.is_none());
    let unnamed = Connection::new().await;
    assert_eq!(unnamed.client.peer_info().unwrap().server_info.as_ref().unwrap().name, "App");
}

/// Anything.
#[tool]
async fn open(
    /// Whatever there is.
    value: Value,
    /// In numbers.
    count: u64,
) -> String {
    format!("{value} {count}")
}

/// Nothing.
#[tool]
async fn closed() -> String {
    String::new()
}

registry! { struct Open { tools: [open, closed] } }

/// Every schema below a schema: none may be a boolean, but for `additionalProperties`.
fn assert_no_booleans(schema: &Value) {
    for (key, value) in schema.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("properties", Value::Object(children)) => {
                for child in children.values() {
                    assert!(child.is_object(), "{child}");
                    assert_no_booleans(child);
                }
            }
            ("items" | "anyOf", value) => {
                assert!(!value.is_boolean());
                value.as_array().into_iter().flatten().for_each(assert_no_booleans);
            }
            ("format", format) => panic!("a format of a number: {format}"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn an_argument_of_any_type_takes_no_other_tool_from_the_list() {
    let (here, there) = tokio::io::duplex(4_096);
    tokio::spawn(Server::<Open>::new(()).unwrap().serve(there));
    let client = rmcp::ServiceExt::serve((), here).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 2);
    for tool in &tools {
        assert_no_booleans(&Value::Object((*tool.input_schema).clone()));
        assert!(tool.input_schema.contains_key("properties"));
    }
}

/// Has no handler.
#[tool(schema_only)]
async fn search(
    /** What for. */
    query: String,
) -> String;

registry! { struct WithoutHandler { tools: [search] } }

#[test]
fn a_tool_without_a_handler_is_not_served() {
    let refused = Server::<WithoutHandler>::new(()).unwrap_err();
    assert!(refused.to_string().contains("`search` without a handler"), "{refused}");
    assert!(Server::<App>::new(Shared::default()).is_ok());
}
