//! A connection to a server whose tools are pinned.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use rmcp::ClientHandler;
use rmcp::ServiceExt as _;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientCapabilities,
    ClientConfig, ClientRequest, Implementation, JsonObject, ProgressNotificationParam, ProgressToken,
    RequestId, ServerResult,
};
use rmcp::service::{
    NotificationContext, Peer, PeerRequestOptions, RequestHandle, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::IntoTransport;

use super::error::McpError;
use super::lock::Lock;
use super::observed::observed;
use crate::execute::has_timer;
use crate::tool::{CallContext, Observation, ToolError};

/// A server whose tools are pinned; `mcp_tools!` declares it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no pinned server",
    label = "not a pinned server",
    note = "name the type `Server` in the module that `mcp_tools!` declares"
)]
pub trait PinnedServer: Send + Sync + 'static {
    /// The text of the lock file.
    const LOCK: &'static str;
}

/// A connection to a pinned server, of which its tools borrow: put it into the state of the registry.
///
/// What the server says of its tools is compared with what is pinned, at the start and whenever the server announces a change, and
/// refused if it differs. Nothing else that it says of itself is looked at: a model sees what stands in the lock file, and what its
/// calls gave.
///
/// A connection that is lost stays lost; the calls then fail with their environment.
pub struct Client<P: PinnedServer> {
    running: RunningService<RoleClient, Listener>,
    lock: Lock,
    server: PhantomData<fn() -> P>,
}

/// Hears what a server says on its own.
#[derive(Default)]
struct Listener {
    /// Set when the tools may have changed.
    changed: AtomicBool,
    /// The calls under way, for what is reported of them.
    calls: Arc<Mutex<Vec<(ProgressToken, CallContext)>>>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        // No capabilities: it is not for a server to ask a model, or a person, for something.
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Release);
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let call = calls.iter().find(|(token, _)| *token == progress.progress_token);
        if let (Some((_, call)), Some(text)) = (call, progress.message) {
            call.progress(text);
        }
    }
}

impl<P: PinnedServer> Client<P> {
    /// Connects over a transport of the SDK: a pair of a reader and a writer, such as the streams of a child process, is one.
    ///
    /// It waits 30 seconds for the server, if the runtime has a timer.
    ///
    /// # Errors
    ///
    /// When there is no connection, or the server's tools are not those that are pinned; the differences are listed.
    pub async fn connect<T, E, A>(transport: T) -> Result<Self, McpError>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let lock =
            serde_json::from_str(P::LOCK).map_err(|error| McpError::Lock { reason: error.to_string() })?;
        in_time(async {
            let running = Listener::default().serve(transport).await.map_err(McpError::connection)?;
            let client = Self { running, lock, server: PhantomData };
            client.check().await?;
            Ok(client)
        })
        .await
    }

    /// Ends the connection; a server that runs as a child process sees the end of its input.
    pub async fn close(self) {
        // It is over in any case.
        drop(self.running.cancel().await);
    }

    /// Whether the server's tools are those that are pinned.
    async fn check(&self) -> Result<(), McpError> {
        let differences = self.lock.differences(&listed(&self.running).await?);
        if differences.is_empty() {
            return Ok(());
        }
        Err(McpError::Changed { server: self.lock.server.clone(), differences })
    }

    /// Calls a tool by the server's own name for it.
    pub(super) async fn call(
        &self,
        name: &'static str,
        arguments: JsonObject,
        call: &CallContext,
    ) -> Result<Observation, ToolError> {
        if self.running.service().changed.swap(false, Ordering::AcqRel) {
            let checked = self.check().await;
            checked.map_err(|error| {
                self.running.service().changed.store(true, Ordering::Release);
                ToolError::Environment(error.to_string())
            })?;
        }
        let params = CallToolRequestParams::new(name).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options();
        // What was not sent did not take effect.
        let sent = self.running.send_cancellable_request(request, options).await;
        let handle = sent.map_err(|error| ToolError::Environment(error.to_string()))?;
        let mut on_its_way = OnItsWay::new(self.running.service(), &handle, call);
        let RequestHandle { mut rx, .. } = handle;
        let response = match select(&mut rx, std::pin::pin!(call.cancelled())).await {
            Either::Left((response, _)) => response,
            Either::Right(_) => {
                let what = "cancelled; nobody knows whether it took effect";
                return Err(ToolError::Unknown(what.to_owned()));
            }
        };
        on_its_way.is_answered = true;
        match response.map_err(|_| ServiceError::TransportClosed).flatten() {
            Ok(result) => answered(result),
            Err(ServiceError::McpError(error)) => Err(ToolError::failed(error.message)),
            Err(error) => {
                let what = "the connection was lost, and nobody knows whether it took effect";
                Err(ToolError::Unknown(format!("{what}: {error}")))
            }
        }
    }
}

fn answered(result: ServerResult) -> Result<Observation, ToolError> {
    match result {
        ServerResult::CallToolResult(result) => observed(result),
        // The shortest way to say that there is nothing to say.
        ServerResult::EmptyResult(_) => observed(CallToolResult::default()),
        ServerResult::InputRequiredResult(_) => {
            Err(ToolError::failed("the server asks for further input, which is not given to it"))
        }
        _ => Err(ToolError::failed("the server answered something else than the result of a call")),
    }
}

/// A call that was sent. Dropped before there is an answer, it tells the server that nobody waits for one.
struct OnItsWay {
    calls: Arc<Mutex<Vec<(ProgressToken, CallContext)>>>,
    token: ProgressToken,
    peer: Peer<RoleClient>,
    id: RequestId,
    is_answered: bool,
}

impl OnItsWay {
    fn new(listener: &Listener, handle: &RequestHandle<RoleClient>, call: &CallContext) -> Self {
        let (calls, token) = (listener.calls.clone(), handle.progress_token.clone());
        calls.lock().unwrap_or_else(PoisonError::into_inner).push((token.clone(), call.clone()));
        Self { calls, token, peer: handle.peer.clone(), id: handle.id.clone(), is_answered: false }
    }
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|(token, _)| *token != self.token);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !self.is_answered {
            let (peer, id) = (self.peer.clone(), self.id.clone());
            runtime.spawn(async move {
                let cancelled = CancelledNotificationParam::new(Some(id), None);
                // Where the connection is lost there is nobody to tell.
                drop(peer.notify_cancelled(cancelled).await);
            });
        }
    }
}

/// Writes the lock file of a server: what it says now of its tools. Read it before you commit it: that is what models will see.
///
/// Returns whether the file differs from what stood there before. It waits 30 seconds for the server, if the runtime has a timer.
///
/// # Errors
///
/// When there is no connection, or the file cannot be written.
pub async fn pin<T, E, A>(transport: T, file: impl AsRef<Path>) -> Result<bool, McpError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let lock = in_time(async {
        let running = Listener::default().serve(transport).await.map_err(McpError::connection)?;
        let lock = listed(&running).await?;
        drop(running.cancel().await);
        Ok(lock)
    })
    .await?;
    let unwritten = |reason: String| McpError::Lock { reason };
    let text = lock.text().map_err(|error| unwritten(error.to_string()))?;
    let file = file.as_ref();
    let differs = std::fs::read_to_string(file).ok().as_ref() != Some(&text);
    std::fs::write(file, text).map_err(|error| unwritten(error.to_string()))?;
    Ok(differs)
}

/// How long a server may take until it has told its tools.
const ANSWER: Duration = Duration::from_secs(30);

/// Waits for a server as long as one waits for a server, if the runtime can tell how long that is.
async fn in_time<T>(told: impl Future<Output = Result<T, McpError>>) -> Result<T, McpError> {
    if !has_timer() {
        return told.await;
    }
    let late =
        || McpError::connection(format!("the server did not tell its tools within {} s", ANSWER.as_secs()));
    tokio::time::timeout(ANSWER, told).await.map_err(|_| late())?
}

/// What a server says now.
async fn listed(running: &RunningService<RoleClient, Listener>) -> Result<Lock, McpError> {
    let info = running.peer_info();
    let name = info.and_then(|info| info.server_info.as_ref().map(|server| server.name.clone()));
    let tools = running.list_all_tools().await.map_err(McpError::connection)?;
    Lock::of(name.unwrap_or_default(), tools).map_err(McpError::connection)
}

impl<P: PinnedServer> fmt::Debug for Client<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("server", &self.lock.server).finish_non_exhaustive()
    }
}
