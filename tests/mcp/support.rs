//! A registry to serve, and a client of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use polyloop::mcp::Server;
use polyloop::prelude::*;
use polyloop::{CallContext, Registry};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ContentBlock, ErrorData,
    ProgressNotificationParam, ServerResult,
};
use rmcp::service::{
    NotificationContext, PeerRequestOptions, RequestHandle, RoleClient, RunningService, ServiceError,
};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

/// What the tools share with a test.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) log: Mutex<Vec<String>>,
    /// Told when a handler that waits has begun.
    pub(crate) begun: Notify,
    /// Lets a handler that waits go on.
    pub(crate) go_on: Notify,
}

impl Shared {
    pub(crate) fn note(&self, line: impl Into<String>) {
        self.log.lock().unwrap().push(line.into());
    }

    pub(crate) fn noted(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

/// Adds two numbers.
#[tool(read_only, idempotent, concurrent)]
async fn add(
    /// One.
    a: i64,
    /// The other.
    #[arg(range(0..))]
    b: i64,
) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

#[derive(serde::Serialize)]
pub(crate) struct Sum {
    sum: i64,
}

/// Lists what there is.
#[tool]
async fn list() -> Json<Vec<u8>> {
    Json(vec![1, 2])
}

/// Says the same.
#[tool(open_world)]
async fn echo(
    /// What to say.
    text: Option<String>,
) -> Result<String, ToolError> {
    text.ok_or_else(|| ToolError::failed("nothing to say"))
}

/// Fails with its environment.
#[tool]
async fn offline() -> Result<String, ToolError> {
    Err(ToolError::Environment("the disk of host 7 is gone".to_owned()))
}

/// Panics.
#[tool]
async fn panics() -> String {
    panic!("the handler gave up")
}

/// Is not shown.
#[tool(hidden)]
async fn secret(#[state] shared: &Shared) -> String {
    shared.note("secret");
    "told".to_owned()
}

/// Waits until it is told to go on.
#[tool(concurrent)]
async fn wait(
    #[state] shared: &Shared,
    #[call] call: &CallContext,
    /// Who waits.
    who: String,
) -> String {
    /// Notes that the future is gone.
    struct Gone<'s>(&'s Shared, bool);
    impl Drop for Gone<'_> {
        fn drop(&mut self) {
            if self.1 {
                self.0.note("dropped");
            }
        }
    }
    let mut gone = Gone(shared, true);
    call.progress(format!("{who} begins"));
    shared.note(format!("{who} began"));
    shared.begun.notify_one();
    let waiting = std::pin::pin!(shared.go_on.notified());
    let stopping = std::pin::pin!(async {
        call.cancelled().await;
        shared.note("asked to stop");
        std::future::pending::<()>().await;
    });
    futures_util::future::select(waiting, stopping).await;
    call.progress(format!("{who} ends"));
    gone.1 = false;
    format!("{who} waited as {}", call.id())
}

/// Runs alone.
#[tool]
async fn alone(#[state] shared: &Shared) -> String {
    shared.note("alone began");
    shared.begun.notify_one();
    shared.go_on.notified().await;
    shared.note("alone ended");
    "done".to_owned()
}

/// Takes too long.
#[tool(timeout = "50ms", replay = safe)]
async fn slow() -> String {
    std::future::pending().await
}

/// Takes too long, and may not be done twice.
#[tool(timeout = "50ms")]
async fn slow_once() -> String {
    std::future::pending().await
}

/// Takes what has only one value, which no client is shown.
#[tool(replay = safe)]
async fn mark(
    /// Nothing.
    nothing: (),
    /// Something.
    word: String,
) -> String {
    format!("{nothing:?} {word}")
}

/// Removes something.
#[tool(approval, destructive)]
async fn remove(
    #[state] shared: &Shared,
    /// What.
    name: String,
) -> String {
    shared.note(format!("removed {name}"));
    format!("{name} is gone")
}

/// A note that a person may read.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<note>", "</note>"), max_chars = 60, body = "{text}", visible)]
pub(crate) struct Note {
    #[fragment(id)]
    pub(crate) title: String,
    pub(crate) text: String,
}

/// Not for people.
#[derive(ContextFragment)]
#[fragment(role = developer, markers("<hint>", "</hint>"), max_chars = 60, body = "{text}")]
pub(crate) struct Hint {
    pub(crate) text: String,
}

registry! {
    pub(crate) struct App {
        state: Shared,
        fragments: [Note, Hint],
        tools: [add, list, echo, offline, panics, secret, wait, alone, slow, slow_once, mark, remove],
    }
}

/// A client that keeps what it is told while calls are under way.
pub(crate) struct Client {
    told: mpsc::UnboundedSender<ProgressNotificationParam>,
}

impl ClientHandler for Client {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        drop(self.told.send(progress));
    }
}

/// A client, and the state of the server with which it speaks.
pub(crate) struct Connection {
    pub(crate) client: RunningService<RoleClient, Client>,
    pub(crate) told: mpsc::UnboundedReceiver<ProgressNotificationParam>,
    pub(crate) shared: Arc<Shared>,
}

impl Connection {
    pub(crate) async fn new() -> Self {
        Self::with(|server| server).await
    }

    /// Serves the registry, changed as a test asks for, in this process.
    pub(crate) async fn with(change: impl FnOnce(Server<App>) -> Server<App>) -> Self {
        let shared = Arc::new(Shared::default());
        let server = change(Server::<App>::new(shared.clone()).unwrap());
        let (here, there) = tokio::io::duplex(4_096);
        tokio::spawn(server.serve(there));
        let (tells, told) = mpsc::unbounded_channel();
        let client = Client { told: tells }.serve(here).await.unwrap();
        Self { client, told, shared }
    }

    pub(crate) async fn call(&self, name: &'static str, arguments: Value) -> CallToolResult {
        self.try_call(name, arguments).await.unwrap()
    }

    pub(crate) async fn try_call(
        &self,
        name: &'static str,
        arguments: Value,
    ) -> Result<CallToolResult, ErrorData> {
        self.client.call_tool(params(name, arguments)).await.map_err(|error| match error {
            ServiceError::McpError(error) => error,
            other => panic!("{other}"),
        })
    }

    /// Sends a call.
    pub(crate) async fn send(&self, name: &'static str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(name, arguments)));
        self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    /// Begins a call, and waits until its handler says that it runs.
    pub(crate) async fn begin(&self, name: &'static str, arguments: Value) -> RequestHandle<RoleClient> {
        let handle = self.send(name, arguments).await;
        self.shared.begun.notified().await;
        handle
    }
}

pub(crate) fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let params = CallToolRequestParams::new(name);
    match arguments {
        Value::Object(arguments) => params.with_arguments(arguments),
        _ => params,
    }
}

/// What a call that was begun gave.
pub(crate) async fn ended(handle: RequestHandle<RoleClient>) -> CallToolResult {
    match handle.await_response().await.unwrap() {
        ServerResult::CallToolResult(result) => result,
        other => panic!("{other:?}"),
    }
}

/// The texts of a result, and whether it is an error.
pub(crate) fn said(result: &CallToolResult) -> (String, bool) {
    let text = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => text.text.clone(),
        other => panic!("{other:?}"),
    };
    let texts: Vec<String> = result.content.iter().map(text).collect();
    (texts.join("\n"), result.is_error.unwrap_or_default())
}

/// How long a test waits for what must come.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// The names of the registry's tools, hidden ones too.
pub(crate) fn all_names() -> Vec<String> {
    App::tools().unwrap().tools().map(|(name, _)| name.to_owned()).collect()
}

/// Waits until so many lines are noted.
pub(crate) async fn until(shared: &Shared, lines: usize) {
    let noted = async {
        while shared.noted().len() < lines {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, noted).await.unwrap();
}
