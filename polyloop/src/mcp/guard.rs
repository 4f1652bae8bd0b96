//! What a pinned server may send: answers to what it was asked, within limits.
//!
//! Nothing else reaches the SDK, which starts a task for each message that it is given.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientResult, ErrorCode, ErrorData, JsonRpcMessage, ProgressNotificationParam,
    ProgressToken, RequestId, ServerNotification, ServerRequest,
};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::answers::{Answers, MAX_OPEN};
use crate::tool::CallContext;

/// How many progress reports of one call are passed on.
const MAX_REPORTS: u32 = 1_000;

/// The greatest length of a progress report, in characters; what is longer is cut.
pub(super) const MAX_REPORT: usize = 2_000;

/// What a connection knows of what its server sent on its own.
#[derive(Default)]
pub(super) struct Incoming {
    /// How many times the server announced that its tools changed.
    announced: AtomicU64,
    /// The calls under way, and how many reports of each were passed on.
    calls: Mutex<Vec<(ProgressToken, CallContext, u32)>>,
    /// Why this side ended the connection.
    ended: OnceLock<String>,
}

impl Incoming {
    pub(super) fn announced(&self) -> u64 {
        self.announced.load(Ordering::Acquire)
    }

    /// Returns why this side ended the connection.
    pub(super) fn ended(&self) -> Option<&str> {
        self.ended.get().map(String::as_str)
    }

    /// Passes on what is reported of a call, until [`forget`](Self::forget).
    pub(super) fn attend(&self, token: ProgressToken, call: CallContext) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push((token, call, 0));
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).retain(|(other, _, _)| other != token);
    }

    fn progress(&self, progress: &ProgressNotificationParam) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let call = calls.iter_mut().find(|(token, _, _)| *token == progress.progress_token);
        let (Some((_, call, reports)), Some(text)) = (call, &progress.message) else { return };
        if *reports < MAX_REPORTS {
            *reports += 1;
            call.progress(shortened(text));
        }
    }
}

/// The beginning of a report.
pub(super) fn shortened(text: &str) -> &str {
    text.char_indices().nth(MAX_REPORT).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// A transport to a pinned server that passes on answers only.
pub(super) struct Guard<T> {
    inner: T,
    incoming: Arc<Incoming>,
    answers: Answers,
}

impl<T: Transport<RoleClient>> Guard<T> {
    pub(super) fn new(inner: T, incoming: Arc<Incoming>) -> Self {
        Self { inner, incoming, answers: Answers::default() }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Guard<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if self.incoming.ended().is_some() {
                return None;
            }
            if !self.answers.room().await {
                let why = format!("the server has {MAX_OPEN} requests open and reads no answers");
                drop(self.incoming.ended.set(why));
                return None;
            }
            match self.answers.beside(self.inner.receive()).await? {
                JsonRpcMessage::Request(request) => {
                    let answer = self.inner.send(answer(&request.request, request.id));
                    self.answers.push(answer);
                }
                JsonRpcMessage::Notification(notification) => match &notification.notification {
                    ServerNotification::ToolListChangedNotification(_) => {
                        self.incoming.announced.fetch_add(1, Ordering::AcqRel);
                    }
                    ServerNotification::ProgressNotification(progress) => {
                        self.incoming.progress(&progress.params);
                    }
                    _ => {}
                },
                message => return Some(message),
            }
            // A server that sends without a pause must not keep the others of this thread waiting.
            tokio::task::consume_budget().await;
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        // Those that are not read hold the stream.
        self.answers = Answers::default();
        self.inner.close()
    }
}

/// The answer to a request of a server: it is alive, and there is nothing else to be had.
fn answer(request: &ServerRequest, id: RequestId) -> ClientJsonRpcMessage {
    if matches!(request, ServerRequest::PingRequest(_)) {
        return JsonRpcMessage::response(ClientResult::empty(()), id);
    }
    let text = "this client offers nothing to servers";
    JsonRpcMessage::error(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None), Some(id))
}
