//! What a client may send: requests within limits, and what belongs to them.
//!
//! Nothing else reaches the SDK, which starts a task for each message that it is given.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientNotification, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::answers::Answers;

/// How many requests a client may have open.
const MAX_REQUESTS: usize = 32;

/// What a client is told of a request beyond that; the code is one of those that the protocol leaves to servers.
const TOO_MANY: ErrorCode = ErrorCode(-32_000);

/// A transport to a client that counts its open requests.
pub(super) struct Busy<T> {
    inner: T,
    open: Arc<Mutex<HashSet<RequestId>>>,
    refusals: Answers,
    is_initialized: bool,
}

impl<T: Transport<RoleServer>> Busy<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, open: Arc::default(), refusals: Answers::default(), is_initialized: false }
    }

    /// Takes a request, unless there are too many.
    fn refusal(&self, id: &RequestId) -> Option<ServerJsonRpcMessage> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let error = if open.contains(id) {
            ErrorData::invalid_request("a request with this id is open already", None)
        } else if open.len() >= MAX_REQUESTS {
            let text = format!("{MAX_REQUESTS} requests are open; wait for an answer first");
            ErrorData::new(TOO_MANY, text, None)
        } else {
            open.insert(id.clone());
            return None;
        };
        Some(JsonRpcMessage::error(error, Some(id.clone())))
    }

    /// Whether a notification has an effect.
    fn is_taken(&mut self, notification: &ClientNotification) -> bool {
        match notification {
            ClientNotification::InitializedNotification(_) => {
                !std::mem::replace(&mut self.is_initialized, true)
            }
            ClientNotification::CancelledNotification(cancelled) => {
                let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                cancelled.params.request_id.as_ref().is_some_and(|id| open.remove(id))
            }
            _ => false,
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Busy<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (open, sending) = (self.open.clone(), self.inner.send(message));
        async move {
            let sent = sending.await;
            if let Some(id) = answered {
                open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.refusals.room().await {
                return None;
            }
            match self.refusals.beside(self.inner.receive()).await? {
                JsonRpcMessage::Request(request) => {
                    let Some(refusal) = self.refusal(&request.id) else {
                        return Some(JsonRpcMessage::Request(request));
                    };
                    self.refusals.push(self.inner.send(refusal));
                }
                JsonRpcMessage::Notification(notification) => {
                    if self.is_taken(&notification.notification) {
                        return Some(JsonRpcMessage::Notification(notification));
                    }
                }
                // No server here asks a client for anything.
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
            tokio::task::consume_budget().await;
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        // Those that are not read hold the stream.
        self.refusals = Answers::default();
        self.inner.close()
    }
}
