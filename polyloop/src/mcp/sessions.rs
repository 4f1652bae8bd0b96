//! The sessions of clients over HTTP: a bounded number, and none of their calls outlives its client.

use std::cell::Cell;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionConfig, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

use super::busy::Busy;

/// How many sessions there may be, where the host says nothing else.
pub(super) const MAX_SESSIONS: usize = 64;

/// How long a client may be away from an answer before its call is cancelled. The SDK tells clients to come back after 3 seconds.
const AWAY: Duration = Duration::from_secs(10);

/// How many messages are kept for a client that does not read them, of each request.
const UNREAD: usize = 8;

tokio::task_local! {
    /// Set while a request is answered, if it is refused because there are too many sessions.
    pub(super) static IS_FULL: Cell<bool>;
}

/// The sessions of a server.
pub(super) struct Sessions {
    inner: Arc<LocalSessionManager>,
    most: usize,
    /// Held while a session is made, so that no two take the last place.
    making: tokio::sync::Mutex<()>,
    left: Arc<Left>,
}

/// The requests whose clients have gone away from the answer.
#[derive(Default)]
struct Left {
    requests: Mutex<HashMap<SessionId, HashMap<u64, RequestId>>>,
    next: AtomicU64,
}

impl Left {
    /// Adds a request; returns the number by which it is found again.
    fn add(&self, session: &SessionId, request: RequestId) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.entry(session.clone()).or_default().insert(number, request);
        number
    }

    /// Removes a request, if its client has not come back.
    fn take(&self, session: &SessionId, number: u64) -> Option<RequestId> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let of_session = requests.get_mut(session)?;
        let request = of_session.remove(&number);
        if of_session.is_empty() {
            requests.remove(session);
        }
        request
    }

    /// Removes all requests of a session.
    fn take_all(&self, session: &SessionId) -> Vec<RequestId> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.remove(session).unwrap_or_default().into_values().collect()
    }
}

impl Sessions {
    pub(super) fn new(most: usize) -> Self {
        let mut config = SessionConfig::default();
        config.channel_capacity = UNREAD;
        config.completed_cache_ttl = AWAY;
        let mut inner = LocalSessionManager::default();
        inner.session_config = config;
        Self { inner: Arc::new(inner), most, making: tokio::sync::Mutex::default(), left: Arc::default() }
    }

    fn attended<St>(&self, session: &SessionId, stream: St, requests: Vec<RequestId>) -> Attended<St> {
        Attended {
            stream: Box::pin(stream),
            requests,
            session: session.clone(),
            inner: self.inner.clone(),
            left: self.left.clone(),
        }
    }
}

/// Why a session is not to be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    /// There are as many as there may be.
    #[error("there are {0} sessions, which is as many as there may be")]
    Full(usize),
    /// What the SDK says.
    #[error(transparent)]
    Sdk(#[from] LocalSessionManagerError),
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = Busy<SessionTransport>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let _making = self.making.lock().await;
        if self.inner.sessions.read().await.len() >= self.most {
            // Outside of a request there is nobody to tell.
            let _told = IS_FULL.try_with(|is_full| is_full.set(true));
            return Err(SessionsError::Full(self.most));
        }
        let (id, transport) = self.inner.create_session().await?;
        Ok((id, Busy::new(transport)))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        Ok(self.inner.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.left.take_all(id);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let request = match &message {
            JsonRpcMessage::Request(request) => vec![request.id.clone()],
            _ => Vec::new(),
        };
        let stream = self.inner.create_stream(id, message).await?;
        Ok(self.attended(id, stream, request))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        Ok(self.inner.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.inner.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.inner.resume(id, last_event_id).await?;
        // Whichever of its answers the client came back for: it is there again.
        Ok(self.attended(id, stream, self.left.take_all(id)))
    }
}

/// The answer to a request, while its client reads it. Dropped before the end, it gives the client some time to come back, and then
/// cancels the request.
struct Attended<St> {
    stream: Pin<Box<St>>,
    /// Those that are not answered.
    requests: Vec<RequestId>,
    session: SessionId,
    inner: Arc<LocalSessionManager>,
    left: Arc<Left>,
}

impl<St: Stream<Item = ServerSseMessage>> Stream for Attended<St> {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let polled = self.stream.as_mut().poll_next(context);
        if let Poll::Ready(Some(event)) = &polled {
            let answered = match event.message.as_deref() {
                Some(JsonRpcMessage::Response(response)) => Some(&response.id),
                Some(JsonRpcMessage::Error(error)) => error.id.as_ref(),
                _ => None,
            };
            self.requests.retain(|request| Some(request) != answered);
        }
        polled
    }
}

impl<St> Drop for Attended<St> {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        for request in std::mem::take(&mut self.requests) {
            let (session, inner, left) = (self.session.clone(), self.inner.clone(), self.left.clone());
            let number = left.add(&session, request);
            runtime.spawn(async move {
                tokio::time::sleep(AWAY).await;
                let Some(request) = left.take(&session, number) else { return };
                let cancelled =
                    CancelledNotificationParam::new(Some(request), Some("the client left".into()));
                let cancelled = CancelledNotification::new(cancelled);
                // A session that is over has cancelled its calls itself.
                drop(
                    inner
                        .accept_message(&session, ClientJsonRpcMessage::notification(cancelled.into()))
                        .await,
                );
            });
        }
    }
}
