//! An agent with the tools of a server of the Model Context Protocol, as they are pinned in `mcp.lock.json`. The server is the one of
//! the other example, here in the same process; a child process or a server elsewhere is another transport, and nothing else.
//!
//! `cargo run --example mcp_client`, and `cargo run --example mcp_client -- pin` to pin the tools anew.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use polyloop::mcp::{Client, pin};
use polyloop::mcp_tools;
use polyloop::prelude::*;
use tokio::io::{DuplexStream, duplex};

#[allow(dead_code, reason = "its `main` is not called here")]
#[path = "mcp_server.rs"]
mod mcp_server;

// The server is believed when it says that a tool only reads, or may be repeated.
mcp_tools!("mcp.lock.json", trusted, timeout = "10s");

/// What the tools borrow from.
#[derive(State)]
struct State {
    notes: Client<notes::Server>,
}

/// Hands in the answer.
#[tool(completes_run)]
async fn submit(
    /// The whole answer.
    answer: String,
) -> String {
    answer
}

registry! { struct App { state: State, tools: [notes::list_notes, notes::add_note, submit] } }

/// Starts the server, and returns this side of the stream.
fn started() -> anyhow::Result<DuplexStream> {
    let (here, there) = duplex(4_096);
    tokio::spawn(mcp_server::server()?.serve(there));
    Ok(here)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    if std::env::args().any(|argument| argument == "pin") {
        let differs = pin(started()?, concat!(env!("CARGO_MANIFEST_DIR"), "/mcp.lock.json")).await?;
        println!(
            "{}",
            if differs { "pinned; read the file before you commit it" } else { "nothing has changed" }
        );
        return Ok(());
    }
    // In place of a model: what it would reply.
    let model = Scripted::replies([
        Reply::tool("add_note", r#"{"title": "milk", "text": "two litres"}"#),
        Reply::tool("list_notes", "{}"),
        Reply::tool("submit", r#"{"answer": "There is one note, about milk."}"#),
    ]);
    // A server whose tools are not those in the file is refused here.
    let state = State { notes: Client::connect(started()?).await? };
    let agent = Agent::<App>::builder(model).build()?;
    let mut run = agent.on(state).goal("Note that we need two litres of milk.").await?;
    while let Some(update) = run.next().await {
        if let Update::Observed { call, shown, .. } = update? {
            println!("{} -> {shown}", call.action().payload());
        }
    }
    println!("{}", run.finish().await?);
    Ok(())
}
