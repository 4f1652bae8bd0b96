//! The server with which programs of other people speak: it offers what the conformance suite of the protocol asks for, as far as polyloop
//! has it. On the standard streams; with `--http` on a free port, whose address it prints.

#![allow(clippy::print_stdout, reason = "a script reads the address")]
#![allow(clippy::unused_async, reason = "a tool is async, also where it has nothing to wait for")]

use polyloop::CallContext;
use polyloop::mcp::{McpError, Server};
use polyloop::prelude::*;

/// Returns a text.
#[tool(read_only)]
async fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Fails.
#[tool]
async fn test_error_handling() -> Result<String, ToolError> {
    Err(ToolError::failed("This tool intentionally returns an error for testing"))
}

/// Reports progress three times.
#[tool]
async fn test_tool_with_progress(#[call] call: &CallContext) -> &'static str {
    for part in ["0/100", "50/100", "100/100"] {
        call.progress(part);
    }
    "done"
}

/// Where somebody lives.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Address {
    street: Option<String>,
    city: Option<String>,
}

/// Takes a structure.
#[tool(name = "json_schema_2020_12_tool")]
async fn structure(
    /// Who.
    name: Option<String>,
    /// Where.
    address: Option<Address>,
) -> String {
    let address = address.map(|address| (address.street, address.city));
    format!("{name:?} {address:?}")
}

/// Adds two numbers.
#[tool(read_only, idempotent, concurrent)]
async fn add(
    /// One.
    a: u32,
    /// The other.
    #[arg(range(..=100))]
    b: u32,
) -> Json<Sum> {
    Json(Sum { sum: a.saturating_add(b) })
}

#[derive(serde::Serialize)]
struct Sum {
    sum: u32,
}

/// Takes whatever there is.
#[tool]
async fn anything(
    /// Anything.
    value: serde_json::Value,
) -> String {
    value.to_string()
}

/// A text that a person may read.
#[derive(ContextFragment)]
#[fragment(role = user, unmarked = "a fixture of the suite", max_chars = 200, body = "{text}", visible)]
struct Static {
    text: String,
}

registry! {
    struct App {
        fragments: [Static],
        tools: [test_simple_text, test_error_handling, test_tool_with_progress, structure, add, anything],
    }
}

fn server() -> Result<Server<App>, McpError> {
    let mut server = Server::<App>::new(())?.named("polyloop-peer", "1.0");
    let text = "This is the content of the static text resource.".to_owned();
    server.resources().show_at("test://static-text", &Static { text })?;
    Ok(server)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    if std::env::args().any(|argument| argument == "--http") {
        let listening = server()?.http().listen(([127, 0, 0, 1], 0).into()).await?;
        println!("http://{}/mcp", listening.address());
        return Ok(listening.serve().await?);
    }
    Ok(server()?.serve_stdio().await?)
}
