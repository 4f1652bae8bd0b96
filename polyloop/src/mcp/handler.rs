//! What is done with each request of a client.

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, poll_immediate, select};
use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, InitializeRequestParams, InitializeResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, Tool,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::{mpsc, watch};
use uuid::Uuid;

use super::answer::{denied, result};
use super::guard::shortened;
use super::lines::ReceivedArguments;
use super::resources::Resources;
use super::turns::{Order, Turns};
use crate::agent::CheckedTexts;
use crate::dialect::LoweredTools;
use crate::error::CallError;
use crate::event::{Action, ActionOutcome};
use crate::execute::{ToolExecutor, catching, drop_caught};
use crate::registry::Registry;
use crate::tool::{BoxFuture, CallContext, CheckedCall};

/// How many progress reports of a call wait for its client; what is reported beyond that is dropped.
const UNTOLD: usize = 16;

/// The greatest size of what a client says of itself, in bytes of JSON.
pub(super) const MAX_INTRODUCTION: usize = 64 << 10;

/// Asks somebody whether a call may be made.
pub(super) type Approver = Arc<dyn Fn(Action) -> BoxFuture<'static, bool> + Send + Sync>;

/// Everything that the clients of a server share.
pub(super) struct Handler<R: Registry> {
    pub(super) listed: Vec<Tool>,
    /// How what clients write is read.
    pub(super) lowered: LoweredTools,
    pub(super) executor: ToolExecutor<R::State>,
    pub(super) texts: CheckedTexts,
    pub(super) approver: Option<Approver>,
    pub(super) config: ServerConfig,
    pub(super) resources: Resources<R>,
    pub(super) turns: Turns,
    /// How long a call may wait for its turn, and how long a tool without a `timeout` may run.
    pub(super) timeout: Duration,
}

/// What one client is served by.
pub(super) struct Visit<R: Registry> {
    handler: Arc<Handler<R>>,
    order: Order,
}

impl<R: Registry> Visit<R> {
    pub(super) fn new(handler: Arc<Handler<R>>) -> Self {
        Self { handler, order: Order::default() }
    }
}

impl<R: Registry> Handler<R> {
    /// Asks, waits for its turn, and calls the handler.
    async fn carry_out(
        &self,
        checked: CheckedCall<R::State>,
        action: Action,
        call: &CallContext,
        order: &Order,
    ) -> CallToolResult {
        let spec = checked.spec();
        if spec.approval {
            let Some(approver) = &self.approver else {
                let why =
                    format!("`{}` needs a person's approval, and this server has nobody to ask", spec.name);
                return self.told(&ActionOutcome::not_executed(why));
            };
            // Its own function may panic before there is a future; who panics has not agreed.
            if catching(Box::pin(async { approver(action).await })).await != Ok(true) {
                return denied(&self.texts);
            }
        }
        let Some(_turn) = self.turns.wait(spec, order, self.timeout).await else {
            let why =
                format!("`{}` is busy with other calls for {:?}; call it later", spec.name, self.timeout);
            return self.told(&ActionOutcome::not_executed(why));
        };
        let (outcome, is_json) = self.executor.answer(checked, call, Some(self.timeout)).await;
        result(&self.texts, &outcome, is_json)
    }

    fn told(&self, outcome: &ActionOutcome) -> CallToolResult {
        result(&self.texts, outcome, false)
    }

    async fn call(
        &self,
        checked: CheckedCall<R::State>,
        action: Action,
        context: RequestContext<RoleServer>,
        order: &Order,
    ) -> CallToolResult {
        let (cancel, cancelled) = watch::channel(false);
        let (says, mut said) = mpsc::channel(UNTOLD);
        // What a client does not read is not kept without end.
        let progress = Arc::new(move |_: &str, text: &str| drop(says.try_send(shortened(text).to_owned())));
        // Unlike a number it is the only one of its kind in every process: an idempotency key is made of it.
        let id = Uuid::now_v7().to_string().into();
        let call = CallContext::new(id, 1, cancelled, progress);
        let mut work: BoxFuture<'_, CallToolResult> = Box::pin(self.carry_out(checked, action, &call, order));
        let mut reporter = Reporter::new(&context);
        let attended = {
            let attending = pin!(reporter.attend(&mut work, &mut said));
            match select(attending, pin!(context.ct.cancelled())).await {
                Either::Left((result, _)) => Some(result),
                Either::Right(_) => None,
            }
        };
        if let Some(result) = attended {
            return result;
        }
        cancel.send_replace(true);
        let last = poll_immediate(&mut work).await;
        drop_caught(work);
        // Nobody waits for it any more.
        last.unwrap_or_else(|| self.told(&ActionOutcome::not_executed("the call was cancelled")))
    }
}

/// Passes on what a handler reports, where the client has asked for that.
struct Reporter {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    told: u32,
}

impl Reporter {
    fn new(context: &RequestContext<RoleServer>) -> Self {
        Self { peer: context.peer.clone(), token: context.meta.get_progress_token(), told: 0 }
    }

    /// Waits for the work; everything that is reported before its end is told before it. The work goes on meanwhile: whoever
    /// reads nothing of it must not keep the turn that others wait for.
    async fn attend<T>(&mut self, work: &mut BoxFuture<'_, T>, said: &mut mpsc::Receiver<String>) -> T {
        let done = loop {
            let text = match select(&mut *work, pin!(said.recv())).await {
                Either::Left((done, _)) => break done,
                Either::Right((None, _)) => break work.await,
                Either::Right((Some(text), _)) => text,
            };
            if let Either::Left((done, telling)) = select(&mut *work, Box::pin(self.tell(text))).await {
                telling.await;
                break done;
            }
        };
        while let Ok(text) = said.try_recv() {
            self.tell(text).await;
        }
        done
    }

    async fn tell(&mut self, text: String) {
        let Some(token) = &self.token else { return };
        self.told = self.told.saturating_add(1);
        let progress = ProgressNotificationParam::new(token.clone(), self.told.into()).with_message(text);
        // A client that is gone has no need of it.
        drop(self.peer.notify_progress(progress).await);
    }
}

impl<R: Registry> ServerHandler for Visit<R> {
    fn get_info(&self) -> ServerConfig {
        self.handler.config.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // It is kept for as long as the session.
        let size = serde_json::to_string(&request).map_or(usize::MAX, |text| text.len());
        if size > MAX_INTRODUCTION {
            let text = format!("what a client says of itself has more than {MAX_INTRODUCTION} bytes");
            return Err(ErrorData::invalid_params(text, None));
        }
        let negotiated = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        Ok(negotiated)
    }

    fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send {
        ready(Ok(ListToolsResult::with_all_items(self.handler.listed.clone())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = match context.extensions.get::<ReceivedArguments>() {
            Some(ReceivedArguments(text)) => text.to_string(),
            None => serde_json::to_string(&request.arguments.unwrap_or_default())
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
        };
        let arguments = match self.handler.lowered.get(&request.name) {
            Some(tool) => tool.decoder().decode_text(&arguments).into_owned(),
            None => arguments,
        };
        let result = match self.handler.executor.tools().validate(&request.name, &arguments) {
            Ok(checked) => {
                let action = Action::tool(request.name.as_ref(), checked.arguments());
                self.handler.call(checked, action, context, &self.order).await
            }
            Err(error @ CallError::UnknownTool { .. }) => {
                return Err(ErrorData::invalid_params(error.to_string(), None));
            }
            Err(error @ CallError::InvalidArguments { .. }) => {
                self.handler.told(&ActionOutcome::not_executed(error.to_string()))
            }
        };
        Ok(result.into())
    }

    fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourcesResult, ErrorData>> + Send {
        ready(Ok(ListResourcesResult::with_all_items(self.handler.resources.list())))
    }

    fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ReadResourceResponse, ErrorData>> + Send {
        let unknown =
            || ErrorData::resource_not_found(format!("there is no resource `{}`", request.uri), None);
        ready(self.handler.resources.read(&request.uri).map(Into::into).ok_or_else(unknown))
    }
}
