//! A call on its way: what a handler may ask for, and what it will do.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

use super::results::Results;
use super::returned::Returned;

/// A boxed future that may be sent between threads.
pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Takes progress reports.
pub(crate) type Progress = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// What a handler may know of its call: `#[call] call: &CallContext`.
#[derive(Clone)]
pub struct CallContext {
    // On the heap: the future of a handler holds one.
    facts: Arc<Facts>,
}

/// What a call context holds.
#[derive(Clone)]
struct Facts {
    session: Option<Arc<str>>,
    run: Option<u64>,
    id: Arc<str>,
    attempt: u32,
    child: Option<Arc<str>>,
    cancelled: watch::Receiver<bool>,
    progress: Progress,
    key_asked: Arc<AtomicBool>,
    results: Option<Arc<dyn Results>>,
}

/// Tells whether a handler asked for the idempotency key of its call.
#[derive(Clone, Debug)]
pub(crate) struct KeyUse(Arc<AtomicBool>);

impl KeyUse {
    pub(crate) fn was_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl CallContext {
    pub(crate) fn new(
        id: Arc<str>,
        attempt: u32,
        cancelled: watch::Receiver<bool>,
        progress: Progress,
    ) -> Self {
        let (session, run, child) = (None, None, None);
        let (key_asked, results) = (Arc::default(), None);
        let facts = Facts { session, run, id, attempt, child, cancelled, progress, key_asked, results };
        Self { facts: Arc::new(facts) }
    }

    pub(crate) fn in_run(mut self, session: Arc<str>, run: u64) -> Self {
        let facts = Arc::make_mut(&mut self.facts);
        (facts.session, facts.run) = (Some(session), Some(run));
        self
    }

    pub(crate) fn with_results(mut self, results: Arc<dyn Results>) -> Self {
        Arc::make_mut(&mut self.facts).results = Some(results);
        self
    }

    pub(crate) fn results(&self) -> Option<&dyn Results> {
        self.facts.results.as_deref()
    }

    pub(crate) fn key_use(&self) -> KeyUse {
        KeyUse(self.facts.key_asked.clone())
    }

    /// Makes the context of a call outside any run: to call a handler in a test of your own.
    ///
    /// It is the first attempt, is never cancelled, and nobody hears its progress.
    ///
    /// ```
    /// use polyloop::CallContext;
    ///
    /// let call = CallContext::detached("call_1");
    /// assert_eq!((call.id(), call.attempt(), call.is_cancelled()), ("call_1", 1, false));
    /// ```
    #[must_use]
    pub fn detached(id: impl Into<Arc<str>>) -> Self {
        Self::new(id.into(), 1, watch::channel(false).1, Arc::new(|_: &str, _: &str| {}))
    }

    /// Returns the library's own id of the call, the same at every attempt. No other call of its session has it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.facts.id
    }

    /// Returns the id of the session, or `None` outside a run.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.facts.session.as_deref()
    }

    /// Returns the number of the run in its session, counted from 1, or `None` outside a run. Its records in the journal have it
    /// as well.
    #[must_use]
    pub fn run(&self) -> Option<u64> {
        self.facts.run
    }

    /// Returns what no other call of any session has, the same at every attempt: the session's id and the call's. A service that
    /// takes an idempotency key does not do the same thing twice.
    ///
    /// Outside a run it is the call's id alone.
    ///
    /// A result is a receipt where its handler asked for the key: a compaction keeps it beside the call, although the tool
    /// may be repeated.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        self.facts.key_asked.store(true, Ordering::Relaxed);
        self.facts
            .session
            .as_ref()
            .map_or_else(|| self.facts.id.to_string(), |session| format!("{session}/{}", self.facts.id))
    }

    /// Returns which attempt this is, counted from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.facts.attempt
    }

    /// Returns the id of the session for a run inside this call, where its tool is declared with `replay = child`. It is the
    /// same at every attempt; [`Agent::child`](crate::Agent::child) takes it from here.
    #[must_use]
    pub fn child_session(&self) -> Option<&str> {
        self.facts.child.as_deref()
    }

    /// Sets the session for a run inside this call: to call a handler with `replay = child` in a test of your own.
    #[must_use]
    pub fn with_child_session(mut self, session: impl Into<Arc<str>>) -> Self {
        Arc::make_mut(&mut self.facts).child = Some(session.into());
        self
    }

    /// Whether the run was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.facts.cancelled.borrow()
    }

    /// Waits until the run is cancelled; for ever if it never is.
    pub async fn cancelled(&self) {
        let mut receiver = self.facts.cancelled.clone();
        if receiver.wait_for(|cancelled| *cancelled).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Reports progress to the host. The model never sees it.
    pub fn progress(&self, text: impl AsRef<str>) {
        (self.facts.progress)(&self.facts.id, text.as_ref());
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallContext")
            .field("id", &self.facts.id)
            .field("attempt", &self.facts.attempt)
            .finish_non_exhaustive()
    }
}

type Handler<S> = Box<dyn for<'a> FnOnce(&'a S, &'a CallContext) -> BoxFuture<'a, Returned> + Send>;

/// A handler with its arguments, checked and read; nothing has run yet.
pub struct Prepared<S: ?Sized>(Option<Handler<S>>);

impl<S: ?Sized> Prepared<S> {
    /// Keeps the handler until it is called.
    #[doc(hidden)]
    pub fn new<F>(handler: F) -> Option<Self>
    where
        F: for<'a> FnOnce(&'a S, &'a CallContext) -> BoxFuture<'a, Returned> + Send + 'static,
    {
        Some(Self(Some(Box::new(handler))))
    }

    /// Says that the arguments are right and that there is no handler.
    #[doc(hidden)]
    #[must_use]
    pub fn without_handler() -> Option<Self> {
        Some(Self(None))
    }

    /// Calls the handler; none where the tool has none.
    pub(crate) fn call<'a>(self, state: &'a S, call: &'a CallContext) -> Option<BoxFuture<'a, Returned>> {
        self.0.map(|handler| handler(state, call))
    }
}

impl<S: ?Sized> fmt::Debug for Prepared<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Prepared").field("has_handler", &self.0.is_some()).finish()
    }
}
