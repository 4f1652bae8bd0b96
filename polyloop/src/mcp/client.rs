//! A connection to a server whose tools are pinned.

use std::fmt;
use std::marker::PhantomData;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientCapabilities,
    ClientConfig, ClientRequest, GetExtensions as _, Implementation, ProgressToken, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleClient, RunningService, ServiceError};
use tokio::sync::Mutex;

use super::error::McpError;
use super::guard::Incoming;
use super::lock::Lock;
use super::observed::observed;
use super::pages;
use super::pinning::{connected, in_time, server_name};
use super::transport::McpTransport;
use crate::execute::has_timer;
use crate::tool::{CallContext, Observation, ToolError, WrittenObject};

/// How long a call may take whose tool has no `timeout`.
const CALL_TIMEOUT: Duration = Duration::from_mins(1);

/// How many times in a row the tools are compared before a call, while the server announces further changes.
const MAX_CHECKS: u32 = 8;

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
/// refused if it differs; calls wait for that comparison. Nothing else that it says of itself is looked at: a model sees what
/// stands in the lock file, and what its calls gave.
///
/// The server gets 60 seconds for each call of a tool without a `timeout`; [`call_timeout`](Self::call_timeout) sets another
/// limit. It may have 16 requests open: they are refused, and a server that reads none of the answers for 5 seconds loses the
/// connection. Of its notifications only a change of the tools and the progress of calls are taken: 1 000 reports of each call, with
/// up to 2 000 characters.
///
/// A connection that is lost stays lost; the calls then fail with their environment.
pub struct Client<P: PinnedServer> {
    running: RunningService<RoleClient, Listener>,
    incoming: Arc<Incoming>,
    /// How many announced changes the last successful comparison covers. Calls wait for the lock.
    checked: Mutex<Option<u64>>,
    lock: Lock,
    timeout: Duration,
    /// Whether the transport sends numbers as they are written.
    is_exact: bool,
    server: PhantomData<fn() -> P>,
}

/// What this side says of itself. Everything that the server sends on its own ends in the guard of the transport.
pub(super) struct Listener;

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        // No capabilities: it is not for a server to ask a model, or a person, for something.
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
    }
}

impl<P: PinnedServer> Client<P> {
    /// Connects over a pair of a reader and a writer, such as the streams of a child process, over one stream that is both, or over
    /// a transport of the SDK.
    ///
    /// It waits 30 seconds for the server, if the runtime has a timer.
    ///
    /// # Errors
    ///
    /// When there is no connection, or the server's tools are not those that are pinned; the differences are listed.
    pub async fn connect<T, A>(transport: T) -> Result<Self, McpError>
    where
        T: McpTransport<RoleClient, A>,
    {
        let lock =
            serde_json::from_str(P::LOCK).map_err(|error| McpError::Lock { reason: error.to_string() })?;
        in_time(async {
            let incoming = Arc::default();
            let client = Self {
                running: connected(transport, &incoming).await?,
                incoming,
                checked: Mutex::new(None),
                lock,
                timeout: CALL_TIMEOUT,
                is_exact: T::IS_EXACT,
                server: PhantomData,
            };
            client.unchanged().await?;
            Ok(client)
        })
        .await
    }

    /// Sets how long the server may take for a call of a tool without a `timeout`; 60 seconds without.
    ///
    /// A call that takes longer is cancelled at the server. Whether it took effect is not known, unless it was not sent yet. A
    /// runtime without a timer does not keep the limit.
    #[must_use]
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Ends the connection; a server that runs as a child process sees the end of its input.
    pub async fn close(self) {
        // It is over in any case.
        drop(self.running.cancel().await);
    }

    /// Makes sure that the server's tools are those that are pinned, as far as it announced changes until now.
    ///
    /// An announcement counts as dealt with only after a comparison that began later and succeeded: one that fails, or is dropped,
    /// leaves the next call to compare again.
    async fn unchanged(&self) -> Result<(), McpError> {
        let mut checked = self.checked.lock().await;
        for _ in 0..MAX_CHECKS {
            let announced = self.incoming.announced();
            if *checked == Some(announced) {
                return Ok(());
            }
            self.check().await?;
            *checked = Some(announced);
        }
        let reason = "the server announces changes without a pause".to_owned();
        Err(McpError::List { reason })
    }

    /// Compares what the server says of its tools with what is pinned.
    async fn check(&self) -> Result<(), McpError> {
        let changed = |differences| McpError::Changed { server: self.lock.server.clone(), differences };
        let pinned = self.lock.len();
        let too_many = || changed(vec![format!("it lists more than {} tools", pinned + 1)]);
        let tools = pages::listed(&self.running, pinned + 1, too_many).await?;
        let differences = self.lock.differences(&Lock::of(server_name(&self.running), tools)?);
        if differences.is_empty() { Ok(()) } else { Err(changed(differences)) }
    }

    /// Calls a tool by the server's own name for it. `own` is the tool's own limit, which others keep.
    pub(super) async fn call(
        &self,
        name: &'static str,
        arguments: WrittenObject,
        own: Option<Duration>,
        call: &CallContext,
    ) -> Result<Observation, ToolError> {
        let is_sent = AtomicBool::new(false);
        let answer = pin!(self.exchange(name, arguments, call, &is_sent));
        let limited = async {
            if own.is_some() || !has_timer() {
                return Ok(answer.await);
            }
            tokio::time::timeout(self.timeout, answer).await
        };
        let ended = match select(pin!(limited), pin!(call.cancelled())).await {
            Either::Left((Ok(answer), _)) => return answer,
            Either::Left((Err(_), _)) => format!("no answer within {:?}", self.timeout),
            Either::Right(_) => "cancelled".to_owned(),
        };
        if is_sent.load(Ordering::Acquire) {
            Err(ToolError::Unknown(format!("{ended}; nobody knows whether it took effect")))
        } else {
            Err(ToolError::Environment(format!("{ended}, and the call was not sent")))
        }
    }

    async fn exchange(
        &self,
        name: &'static str,
        arguments: WrittenObject,
        call: &CallContext,
        is_sent: &AtomicBool,
    ) -> Result<Observation, ToolError> {
        self.unchanged().await.map_err(|error| ToolError::Environment(self.reason(&error)))?;
        let request = self.request(name, arguments)?;
        is_sent.store(true, Ordering::Release);
        // What was not sent did not take effect.
        let sent = self.running.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let handle = sent.map_err(|error| ToolError::Environment(self.reason(&error)))?;
        let mut on_its_way = OnItsWay::new(&self.incoming, &handle, call);
        let RequestHandle { rx, .. } = handle;
        let response = rx.await;
        on_its_way.is_answered = true;
        match response.map_err(|_| ServiceError::TransportClosed).flatten() {
            Ok(result) => answered(result),
            Err(ServiceError::McpError(error)) => Err(ToolError::failed(error.message)),
            Err(error) => {
                let what = "the connection was lost, and nobody knows whether it took effect";
                Err(ToolError::Unknown(format!("{what}: {}", self.reason(&error))))
            }
        }
    }

    /// The request of a call. The transport of [`Lines`](super::lines::Lines) takes its arguments from beside it.
    fn request(&self, name: &'static str, arguments: WrittenObject) -> Result<ClientRequest, ToolError> {
        let mut params = CallToolRequestParams::new(name);
        if !self.is_exact {
            if let Some(number) = arguments.inexact_number() {
                let what = "cannot be sent over a transport of the SDK without becoming another number";
                return Err(ToolError::Environment(format!("`{number}` {what}")));
            }
            let values = arguments.values();
            params.arguments = Some(values.map_err(|error| ToolError::Environment(error.to_string()))?);
            return Ok(ClientRequest::CallToolRequest(CallToolRequest::new(params)));
        }
        let mut request = CallToolRequest::new(params);
        request.extensions_mut().insert(arguments);
        Ok(ClientRequest::CallToolRequest(request))
    }

    /// Why something failed; if this side has ended the connection, why it did.
    fn reason(&self, error: &dyn fmt::Display) -> String {
        self.incoming.ended().map_or_else(|| error.to_string(), str::to_owned)
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
    incoming: Arc<Incoming>,
    token: ProgressToken,
    peer: Peer<RoleClient>,
    id: RequestId,
    is_answered: bool,
}

impl OnItsWay {
    fn new(incoming: &Arc<Incoming>, handle: &RequestHandle<RoleClient>, call: &CallContext) -> Self {
        let token = handle.progress_token.clone();
        incoming.attend(token.clone(), call.clone());
        Self {
            incoming: incoming.clone(),
            token,
            peer: handle.peer.clone(),
            id: handle.id.clone(),
            is_answered: false,
        }
    }
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.incoming.forget(&self.token);
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

impl<P: PinnedServer> fmt::Debug for Client<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("server", &self.lock.server).finish_non_exhaustive()
    }
}
