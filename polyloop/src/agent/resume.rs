//! Going on with a run that was interrupted, here or in another process.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use super::definition::{Definition, differing};
use super::driver::Driver;
use super::open::{Purpose, open};
use super::run::Run;
use super::state::{Phase, RunState};
use crate::error::{JournalError, RunError};
use crate::event::{ActionOutcome, Call, Definitions, Event, Intent};
use crate::journal::SessionId;
use crate::registry::Registry;
use crate::tool::{BoxFuture, Replay};

/// How often a call that may be done again is begun at most.
const ATTEMPTS: u32 = 2;

/// Takes up a run from its journal; await it to go on.
///
/// Nobody else can write to the session afterwards: another process that still has the run stops before its next effect.
#[must_use = "a run is taken up when this is awaited"]
pub struct Resumption<R: Registry> {
    definition: Arc<Definition<R>>,
    state: Arc<R::State>,
    session: SessionId,
    accept_changes: bool,
}

impl<R: Registry> Resumption<R> {
    pub(super) fn new(definition: Arc<Definition<R>>, state: Arc<R::State>, session: SessionId) -> Self {
        Self { definition, state, session, accept_changes: false }
    }

    /// Goes on also where the agent is not the one that the run began with. The journal holds what changed.
    pub fn accept_changes(mut self) -> Self {
        self.accept_changes = true;
        self
    }

    async fn resume(self) -> Result<Run<R>, RunError> {
        let Self { definition, state, session, accept_changes } = self;
        let no_journal = || RunError::NoJournal { session: session.to_string() };
        let journal = definition.journal.clone().ok_or_else(no_journal)?;
        let handlers = definition.handlers(state)?;
        let opened = open(&definition, journal, session.clone(), GoingOn { accept_changes }).await?;
        let missing = || JournalError::NoSuchSession { session: session.to_string() };
        let mut opened = opened.ok_or_else(missing)?;
        let changed = std::mem::take(&mut opened.changed);
        let session = opened.mirror.session().twin().journaled();
        let (mut driver, handle, updates) = Driver::new(definition, handlers, session, opened);
        if driver.state.is_open() {
            driver.recover(changed).await?;
        }
        Ok(Run::new(driver, handle, updates))
    }
}

/// A session is opened to go on with its last run.
struct GoingOn {
    accept_changes: bool,
}

impl Purpose for GoingOn {
    fn changed(&self, from: &Definitions, now: &Definitions) -> Result<Vec<String>, RunError> {
        let changed = differing(from, now);
        if changed.is_empty() || self.accept_changes {
            Ok(changed)
        } else {
            Err(RunError::Changed { changed })
        }
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

impl<R: Registry> Driver<R> {
    /// Settles what was under way when the run was interrupted.
    async fn recover(&mut self, changed: Vec<String>) -> Result<(), RunError> {
        self.record(Event::LeaseTaken {});
        self.record(Event::RunResumed { definition: self.definition.parts.clone(), changed });
        if matches!(self.state.phase, Phase::Sealed) {
            self.record(Event::ModelAbandoned {});
        }
        let begun = self.state.calls.iter().filter(|pending| !pending.settled);
        let begun: Vec<(Call, Intent)> =
            begun.filter_map(|pending| Some((pending.call.clone(), pending.intent.clone()?))).collect();
        for (call, intent) in begun {
            if !self.may_begin_again(&call, &intent) {
                self.settle(
                    &call,
                    ActionOutcome::unknown("the process ended before the outcome was there"),
                    None,
                );
            }
        }
        self.suspended = self.waits_after_step();
        self.commit().await
    }

    /// Only what is safe then and now, once more, and not after somebody cancelled.
    fn may_begin_again(&self, call: &Call, intent: &Intent) -> bool {
        intent.replay == Replay::Safe
            && intent.attempt < ATTEMPTS
            && !self.state.cancelled
            && self.replay_now(call.action()) == Some(Replay::Safe)
    }
}
