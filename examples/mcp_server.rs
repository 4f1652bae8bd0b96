//! A registry as a server of the Model Context Protocol, on the standard streams: put it into the configuration of any client.
//! `cargo run --example mcp_server -- --http` serves at `http://127.0.0.1:8321/mcp`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use polyloop::mcp::{McpError, Server};
use polyloop::prelude::*;

/// Notes by their titles.
#[derive(Default)]
pub(crate) struct Notes(Mutex<BTreeMap<String, String>>);

#[toolbox]
impl Notes {
    /// Lists the titles of all notes.
    #[tool(read_only, concurrent, replay = safe)]
    async fn list_notes(&self) -> Json<BTreeMap<String, usize>> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Json(notes.iter().map(|(title, text)| (title.clone(), text.chars().count())).collect())
    }

    /// Adds a note, or replaces the one with this title.
    #[tool(idempotent, replay = safe)]
    async fn add_note(
        &self,
        /// Under what it is found again.
        #[arg(length(1..=40))]
        title: String,
        /// What is to be kept.
        text: String,
    ) -> &'static str {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(title, text);
        "kept"
    }
}

/// What a person may read about the notes.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<about>", "</about>"), max_chars = 200, body = "{text}", visible)]
pub(crate) struct About {
    text: String,
}

registry! { pub(crate) struct NotesApp { state: Notes, fragments: [About], tools: [notes_tools::list_notes, notes_tools::add_note] } }

/// The server, whatever it speaks over.
pub(crate) fn server() -> Result<Server<NotesApp>, McpError> {
    let about = About { text: "Notes live as long as this process.".to_owned() };
    Server::new(Notes::default())?.named("notes", "1.0").resource(&about)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    if std::env::args().any(|argument| argument == "--http") {
        return Ok(server()?.http().listen(([127, 0, 0, 1], 8_321).into()).await?.serve().await?);
    }
    Ok(server()?.serve_stdio().await?)
}
