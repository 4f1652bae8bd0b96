//! A run of its own inside a call of another run.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use super::budget::Budget;
use super::definition::Definition;
use super::request::Request;
use super::resume::Resumption;
use super::run::Run;
use crate::error::RunError;
use crate::event::UserInput;
use crate::execute::Executor;
use crate::journal::SessionId;
use crate::registry::{Registered, Registry};
use crate::tool::{BoxFuture, CallContext};

/// What a run inside a call begins with; await it to begin the run, or to take it up where an earlier attempt of the
/// call began it. Made by [`Agent::child`](crate::Agent::child).
#[must_use = "a run is begun when this is awaited"]
pub struct ChildRequest<R: Registry> {
    definition: Arc<Definition<R>>,
    state: Arc<R::State>,
    request: Request<R>,
    call: CallContext,
    accept_changes: bool,
}

impl<R: Registry> ChildRequest<R> {
    pub(super) fn new(definition: Arc<Definition<R>>, state: Arc<R::State>, call: CallContext) -> Self {
        let request = Request::new(definition.clone(), state.clone());
        Self { definition, state, request, call, accept_changes: false }
    }

    /// Adds a fragment, where the run begins.
    pub fn inject<F: Registered<R>>(mut self, fragment: F) -> Self {
        self.request = self.request.inject(fragment);
        self
    }

    /// Adds fragments of one type, in their order, where the run begins.
    pub fn inject_all<F: Registered<R>>(mut self, fragments: impl IntoIterator<Item = F>) -> Self {
        self.request = self.request.inject_all(fragments);
        self
    }

    /// Sets the goal, where the run begins.
    pub fn goal(mut self, goal: impl Into<UserInput>) -> Self {
        self.request = self.request.goal(goal);
        self
    }

    /// Sets the budget of this run; the agent's budget unless set. A run that an earlier attempt of the call began is only
    /// taken up under the same one.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.definition = self.definition.with_budget(budget);
        self.request = self.request.budget(budget);
        self
    }

    /// Sets the executor of this run; the one of the agent unless set. A run that an earlier attempt of the call began is only
    /// taken up with one of the same type.
    pub fn executor<E: Executor<R::State>>(mut self, executor: E) -> Self {
        self.definition = self.definition.with_executor(executor);
        self.request = self.request.with_definition(self.definition.clone());
        self
    }

    /// Takes the run up also where the agent is not the one that it began with.
    pub fn accept_changes(mut self) -> Self {
        self.accept_changes = true;
        self
    }

    async fn begin(self) -> Result<Run<R>, RunError> {
        let Some(session) = self.call.child_session().map(SessionId::from) else {
            return Err(RunError::NoChildSession);
        };
        let journal = self.definition.journal_of(&session)?;
        let run = if journal.read_boxed(&session, 0).await?.is_empty() {
            self.request.session(session).start().await?
        } else {
            let resumption = Resumption::new(self.definition, self.state, session);
            if self.accept_changes { resumption.accept_changes().await? } else { resumption.await? }
        };
        let call = self.call;
        Ok(run.cancelled_with(Box::pin(async move { call.cancelled().await })))
    }
}

impl<R: Registry> IntoFuture for ChildRequest<R> {
    type Output = Result<Run<R>, RunError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.begin())
    }
}

impl<R: Registry> fmt::Debug for ChildRequest<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ChildRequest").field("call", &self.call).finish_non_exhaustive()
    }
}
