//! A registry as a server.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use rmcp::service::RoleServer;
use rmcp::transport::stdio;

use super::answer::listed;
use super::busy::Busy;
use super::error::McpError;
use super::handler::{Approver, Handler, Visit};
use super::resources::Resources;
use super::transport::McpTransport;
use super::turns::Turns;
use crate::agent::Texts;
use crate::dialect::SchemaReader;
use crate::event::Action;
use crate::registry::{Registered, Registry};
use crate::tool::IntoState;

/// How long a call may wait and run, where neither its tool nor the host says anything else.
const CALL_TIMEOUT: Duration = Duration::from_mins(5);

/// Serves the tools of a registry, and fragments that a person may see, to clients of the Model Context Protocol.
///
/// - Tools are listed with their schema and their hints. A `hidden` one is neither listed nor called: nobody here could enable it.
/// - A call goes the way of an agent's call: the same checks, the same handler, panics caught, `timeout` kept;
///   [`call_timeout`](Self::call_timeout) limits tools without one. A tool that is not `concurrent` runs alone among the calls of its
///   client. It waits for other clients where they call the same tool, or where both tools borrow from the state.
/// - What a client is told of a call is what a model would be told in an agent; what a handler returns as [`Json`](crate::Json) and
///   is an object is there as structured content too. Refused arguments are an error of the tool, which a model can put right;
///   an unknown tool is one of the protocol.
/// - A tool with `approval` is refused unless the host brings an [`approver`](Self::approver): that a client asks its user is
///   nothing that a server can rely on.
/// - A client that cancels a call: the handler's [`CallContext`](crate::CallContext) says so, it is polled once more, and then
///   dropped.
///
/// ```
/// use polyloop::mcp::{McpError, Server};
/// use polyloop::prelude::*;
///
/// /// Adds two numbers.
/// #[tool(replay = safe, read_only)]
/// async fn add(/** One. */ a: i64, /** The other. */ b: i64) -> Json<i64> { Json(a + b) }
///
/// registry! { struct App { tools: [add] } }
///
/// async fn serve() -> Result<(), McpError> {
///     Server::<App>::new(())?.named("sums", "1.0").serve_stdio().await
/// }
/// ```
pub struct Server<R: Registry> {
    pub(super) handler: Handler<R>,
}

impl<R: Registry> Server<R> {
    /// Makes the server of a registry, on a state.
    ///
    /// # Errors
    ///
    /// When the tools cannot be built, or some that are not hidden have no handler or arguments that no client reads; all of
    /// them are named.
    pub fn new(state: impl IntoState<R::State>) -> Result<Self, McpError> {
        let tools = R::tools()?.filtered(|_, spec| !spec.hidden);
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let config = ServerConfig::new(capabilities).with_server_info(Implementation::new(R::SPEC.name, "0"));
        let lowered = tools.lowered(SchemaReader::Mcp)?;
        let handler = Handler {
            listed: listed(&tools, &lowered),
            lowered,
            executor: tools.executor(state)?,
            texts: Texts::default().check()?,
            approver: None,
            config,
            resources: Resources::new(),
            turns: Turns::of(tools.tools().map(|(_, spec)| spec)),
            timeout: CALL_TIMEOUT,
        };
        Ok(Self { handler })
    }

    /// Sets the name and the version that clients are told; without, the registry's name, and version 0.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.handler.config.server_info = Implementation::new(name, version);
        self
    }

    /// Tells clients what the server is for and how to use it.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.handler.config.instructions = Some(text.into());
        self
    }

    /// Sets the fixed texts, of which a client sees those about calls.
    ///
    /// # Errors
    ///
    /// When one of them is refused, as by [`AgentBuilder::build`](crate::AgentBuilder::build).
    pub fn texts(mut self, texts: &Texts) -> Result<Self, McpError> {
        self.handler.texts = texts.check()?;
        Ok(self)
    }

    /// Lets somebody agree to each call of a tool with `approval`. Without one, such calls are refused.
    #[must_use]
    pub fn approver<F, A>(mut self, ask: F) -> Self
    where
        F: Fn(Action) -> A + Send + Sync + 'static,
        A: Future<Output = bool> + Send + 'static,
    {
        let ask: Approver = Arc::new(move |action| Box::pin(ask(action)));
        self.handler.approver = Some(ask);
        self
    }

    /// Sets how long a call may wait for its turn, and how long a tool without a `timeout` may run; 5 minutes without.
    ///
    /// A call whose turn does not come is not executed. One that runs longer is dropped, as one that exceeds its tool's `timeout`. A
    /// runtime without a timer does not keep the limit.
    #[must_use]
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.handler.timeout = limit;
        self
    }

    /// Shows a fragment as a resource; see [`Resources`], also for what changes later.
    ///
    /// # Errors
    ///
    /// When its type is not `visible`, or it cannot be rendered.
    pub fn resource<F: Registered<R>>(mut self, fragment: &F) -> Result<Self, McpError> {
        self.resources().show(fragment)?;
        Ok(self)
    }

    /// Returns the resources, to show and hide more of them while the server runs. Clients are told from now on that there are
    /// resources.
    #[must_use]
    pub fn resources(&mut self) -> Resources<R> {
        self.handler.config.capabilities.resources.get_or_insert_default();
        self.handler.resources.clone()
    }

    /// Serves one client on the standard streams, until it leaves. Nothing else of the program may write to the standard
    /// output.
    ///
    /// # Errors
    ///
    /// When the client does not begin as the protocol asks for.
    pub async fn serve_stdio(self) -> Result<(), McpError> {
        self.serve(stdio()).await
    }

    /// Serves one client until it leaves: over a pair of a reader and a writer, over one stream that is both, or over a transport of
    /// the SDK. Over the first two, numbers of arguments arrive as they are written.
    ///
    /// The client may have 32 requests open; further ones are refused. One that reads nothing of 16 refusals for 5 seconds is left.
    ///
    /// # Errors
    ///
    /// When the client does not begin as the protocol asks for.
    pub async fn serve<T, A>(self, transport: T) -> Result<(), McpError>
    where
        T: McpTransport<RoleServer, A>,
    {
        let transport = Busy::new(transport.into_mcp_transport());
        let running =
            Visit::new(Arc::new(self.handler)).serve(transport).await.map_err(McpError::connection)?;
        running.waiting().await.map(drop).map_err(McpError::connection)
    }
}

impl<R: Registry> fmt::Debug for Server<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Server").field("info", &self.handler.config).finish_non_exhaustive()
    }
}
