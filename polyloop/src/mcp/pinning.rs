//! Writes a lock file.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::{RoleClient, RunningService};

use super::client::Listener;
use super::error::McpError;
use super::guard::{Guard, Incoming};
use super::lock::Lock;
use super::pages;
use super::transport::McpTransport;
use crate::execute::has_timer;

/// How many tools of a server are pinned at most.
const MAX_TOOLS: usize = 512;

/// Writes the lock file of a server: what it says now of its tools. Read it before you commit it: that is what models will see.
///
/// Returns whether the file differs from what stood there before. It waits 30 seconds for the server, if the runtime has a timer.
///
/// # Errors
///
/// When there is no connection, when the server lists more than 512 tools or 4 MiB, when a name cannot be pinned (it has a
/// control character, a line break or a backtick, or more than 128 characters), or when the file cannot be written.
pub async fn pin<T, A>(transport: T, file: impl AsRef<Path>) -> Result<bool, McpError>
where
    T: McpTransport<RoleClient, A>,
{
    let lock = in_time(async {
        let running = connected(transport, &Arc::default()).await?;
        let too_many = || McpError::List { reason: format!("it has more than {MAX_TOOLS} tools") };
        let tools = pages::listed(&running, MAX_TOOLS, too_many).await;
        let lock = Lock::of(server_name(&running), tools?)?;
        drop(running.cancel().await);
        Ok(lock)
    })
    .await?;
    lock.check_names()?;
    let unwritten = |reason: String| McpError::Lock { reason };
    let text = lock.text().map_err(|error| unwritten(error.to_string()))?;
    let file = file.as_ref();
    let differs = std::fs::read_to_string(file).ok().as_ref() != Some(&text);
    std::fs::write(file, text).map_err(|error| unwritten(error.to_string()))?;
    Ok(differs)
}

/// Begins a connection, within the limits of [`Guard`].
pub(super) async fn connected<T: McpTransport<RoleClient, A>, A>(
    transport: T,
    incoming: &Arc<Incoming>,
) -> Result<RunningService<RoleClient, Listener>, McpError> {
    let guard = Guard::new(transport.into_mcp_transport(), incoming.clone());
    Listener.serve(guard).await.map_err(|error| match incoming.ended() {
        Some(reason) => McpError::connection(reason),
        None => McpError::connection(error),
    })
}

/// What the server calls itself.
pub(super) fn server_name(running: &RunningService<RoleClient, Listener>) -> String {
    let info = running.peer_info();
    info.and_then(|info| info.server_info.as_ref().map(|server| server.name.clone())).unwrap_or_default()
}

/// How long a server may take until it has told its tools.
const ANSWER: Duration = Duration::from_secs(30);

/// Waits for a server as long as one waits for a server, if the runtime can tell how long that is.
pub(super) async fn in_time<T>(told: impl Future<Output = Result<T, McpError>>) -> Result<T, McpError> {
    if !has_timer() {
        return told.await;
    }
    let late =
        || McpError::connection(format!("the server did not tell its tools within {} s", ANSWER.as_secs()));
    tokio::time::timeout(ANSWER, told).await.map_err(|_| late())?
}
