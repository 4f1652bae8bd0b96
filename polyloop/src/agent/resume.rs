//! Going on with a run that was interrupted, here or in another process.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use super::budget::Budget;
use super::definition::{Definition, described, differing};
use super::driver::Driver;
use super::open::{Purpose, open_existing};
use super::run::Run;
use super::state::RunState;
use crate::error::RunError;
use crate::event::Definitions;
use crate::execute::Executor;
use crate::journal::{Head, SessionId};
use crate::registry::Registry;
use crate::tool::BoxFuture;

/// Takes up a run from its journal; await it to go on.
///
/// Nobody else can write to the session afterwards: another process that still has the run stops before its next effect.
#[must_use = "a run is taken up when this is awaited"]
pub struct Resumption<R: Registry> {
    definition: Arc<Definition<R>>,
    state: Arc<R::State>,
    session: SessionId,
    accept_changes: bool,
    head: Option<Head>,
}

impl<R: Registry> Resumption<R> {
    pub(super) fn new(definition: Arc<Definition<R>>, state: Arc<R::State>, session: SessionId) -> Self {
        Self { definition, state, session, accept_changes: false, head: None }
    }

    /// Goes on also where the agent is not the one that the run began with. The journal holds what changed.
    pub fn accept_changes(mut self) -> Self {
        self.accept_changes = true;
        self
    }

    /// Sets the budget of the run, where it was begun with one of its own; the agent's budget unless set. One that differs
    /// from the recorded budget is refused, unless changes are accepted.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.definition = self.definition.with_budget(budget);
        self
    }

    /// Requires that the session holds the end that a host noted earlier, in a place of its own: one that was truncated or
    /// changed since, or replaced by an older copy, is refused. See [`Run::head`](crate::Run::head).
    pub fn expecting(mut self, head: Head) -> Self {
        self.head = Some(head);
        self
    }

    /// Sets the executor of the run, where it was begun with its own; the one of the agent unless set. One of another type
    /// than the recorded one is refused, unless changes are accepted.
    pub fn executor<E: Executor<R::State>>(mut self, executor: E) -> Self {
        self.definition = self.definition.with_executor(executor);
        self
    }

    async fn resume(self) -> Result<Run<R>, RunError> {
        let Self { definition, state, session, accept_changes, head } = self;
        let acting = definition.acting(state.clone())?;
        let going_on = GoingOn { session: &session, accept_changes, head };
        let mut opened = open_existing(&definition, &session, going_on).await?;
        let changed = std::mem::take(&mut opened.changed);
        let (mut driver, handle, updates) = Driver::new(definition, acting, opened);
        if driver.state.is_open() {
            driver.recover(changed, &state).await?;
        }
        Ok(Run::new(driver, handle, updates))
    }
}

/// A session is opened to go on with its last run.
struct GoingOn<'a> {
    session: &'a SessionId,
    accept_changes: bool,
    head: Option<Head>,
}

impl Purpose for GoingOn<'_> {
    fn changed(&self, from: &Definitions, now: &Definitions) -> Result<Vec<String>, RunError> {
        if from.is_empty() {
            return Err(RunError::NoRun { session: self.session.to_string() });
        }
        let changed = differing(from, now);
        if changed.is_empty() || self.accept_changes {
            Ok(changed)
        } else {
            Err(RunError::Changed { changed: described(changed, from, now) })
        }
    }

    fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    fn takes_over(&self) -> bool {
        true
    }

    /// A run that has ended is only looked at.
    fn writes(&self, state: &RunState) -> Result<bool, RunError> {
        Ok(state.is_open())
    }
}

impl<R: Registry> IntoFuture for Resumption<R> {
    type Output = Result<Run<R>, RunError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.resume())
    }
}

impl<R: Registry> fmt::Debug for Resumption<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Resumption").field("session", &self.session).finish_non_exhaustive()
    }
}
