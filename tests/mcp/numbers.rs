//! Numbers of arguments on their way to a pinned server.

use std::sync::{Arc, Mutex};

use polyloop::mcp::Client;
use polyloop::prelude::*;
use polyloop::{Action, CallContext, Registry, Status, mcp_tools};
use serde_json::{Value, json};

use super::hostile_server::{App, Files, Wire, called, honest, text};

/// The arguments of each call, as they are on the line, until the client leaves.
fn recording(mut wire: Wire) -> Arc<Mutex<Vec<String>>> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    tokio::spawn(async move {
        while let Some((id, line)) = wire.call(&mut honest).await {
            kept.lock().unwrap().push(line);
            wire.answer(&id, &text("done")).await;
        }
    });
    lines
}

/// Numbers that neither an `f64` nor a 64-bit integer holds, and others whose form is easily lost.
const NUMBERS: &str = r#"{"a":123456789012345678901234567890,"b":-0,"c":1e2,"d":1.50,"e":0.1000000000000000055511151231257827,"f":[1E+2,{"g":18446744073709551617}]}"#;

mcp_tools!("mcp/numbers.lock.json");

registry! {
    struct Numbers { state: Client<number_server::Server>, tools: [number_server::keep] }
}

#[tokio::test]
async fn numbers_reach_a_pinned_server_as_they_are_written() {
    let (here, wire) = Wire::new();
    let lines = numbers(wire);
    let client = Client::<number_server::Server>::connect(here).await.unwrap();
    let model = Scripted::replies([Reply::tool("keep", NUMBERS), Reply::text("done")]);
    let agent = Agent::<Numbers>::builder(model).build().unwrap();
    agent.on(client).goal("Keep them.").await.unwrap().finish().await.unwrap();
    let line = lines.lock().unwrap().first().unwrap().clone();
    assert!(line.contains(&format!(r#""arguments":{NUMBERS}"#)), "{line}");
    let request: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&request["method"], &request["params"]["name"]), (&json!("tools/call"), &json!("keep")));
    assert!(request["params"]["_meta"]["progressToken"].is_number(), "{line}");
}

#[tokio::test]
async fn what_cannot_be_checked_or_is_ambiguous_is_not_sent() {
    let (here, wire) = Wire::new();
    let lines = numbers(wire);
    let client = Client::<number_server::Server>::connect(here).await.unwrap();
    let executor = Numbers::tools().unwrap().executor(client).unwrap();
    for arguments in [r#"{"a":1e400}"#, r#"{"a":{"b":1,"b":2}}"#] {
        let call = CallContext::detached("call_1");
        let outcome = executor.execute(&Action::tool("keep", arguments), &call).await;
        assert_eq!(outcome.status, Status::NotExecuted, "{arguments}");
    }
    assert_eq!(*lines.lock().unwrap(), [] as [String; 0]);
}

/// The server of `numbers.lock.json`.
fn numbers(mut wire: Wire) -> Arc<Mutex<Vec<String>>> {
    wire.name = "numberServer";
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    let schema = json!({"type": "object", "additionalProperties": true});
    let list = json!({"tools": [{"name": "keep", "description": "Keeps numbers.", "inputSchema": schema}]});
    tokio::spawn(async move {
        while let Some((id, line)) = wire.call(&mut || list.clone()).await {
            kept.lock().unwrap().push(line);
            wire.answer(&id, &text("done")).await;
        }
    });
    lines
}

#[tokio::test]
async fn a_transport_that_would_change_a_number_sends_nothing() {
    let (here, wire) = Wire::new();
    let lines = recording(wire);
    let (reader, writer) = tokio::io::split(here);
    let transport =
        rmcp::transport::async_rw::AsyncRwTransport::<rmcp::RoleClient, _, _>::new(reader, writer);
    let client: Files = Client::connect(transport).await.unwrap();
    let executor = App::tools().unwrap().executor(client).unwrap();
    let (status, said) = called(&executor, "find_all", r#"{"more":123456789012345678901234567890}"#).await;
    assert_eq!(status, Status::EnvironmentError);
    assert!(said.contains("`123456789012345678901234567890` cannot be sent"), "{said}");
    assert_eq!(*lines.lock().unwrap(), [] as [String; 0]);
    assert_eq!(called(&executor, "find_all", r#"{"more":1e2}"#).await.0, Status::Executed);
    assert!(lines.lock().unwrap()[0].contains(r#""more":100"#));
}
