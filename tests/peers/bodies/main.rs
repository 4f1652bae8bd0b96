//! Prints the bodies of requests, one JSON object a line: which client, its reader of schemas, the conversation, the body.
//!
//! The scripts beside it hold each against what its provider says of itself.

#![allow(clippy::expect_used, reason = "a conversation that does not come about shall fail loudly")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "the same holds for its server")]
#![allow(clippy::print_stdout, reason = "what is printed is what the scripts read")]
#![allow(clippy::unused_async, reason = "a tool is async, also where it has nothing to wait for")]

#[path = "../../schemas/arguments.rs"]
mod arguments;
mod clients;
mod conversations;
#[allow(dead_code, reason = "another test needs the rest of it")]
#[path = "../../providers/server.rs"]
mod server;
mod thoughts;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    for conversation in conversations::all().await.into_iter().chain(conversations::of_argument_types().await)
    {
        clients::print(&conversation);
    }
    thoughts::print().await;
}
