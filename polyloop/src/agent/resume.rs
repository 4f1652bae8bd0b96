//! Going on with a run that was interrupted, here or in another process.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use super::definition::{Definition, differing};
use super::driver::Driver;
use super::mirror::Mirror;
use super::plan::{Next, plan};
use super::run::{Channels, Run};
use super::state::{Phase, RunState};
use super::writer::Writer;
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
        let Self { definition, state: tools_state, session, accept_changes } = self;
        let Some(journal) = definition.journal.clone() else {
            return Err(JournalError::NoSuchSession { session: session.to_string() }.into());
        };
        let handlers = definition.handlers(tools_state)?;
        let agreed = |from: &Definitions| {
            let changed = differing(from, &definition.parts);
            if changed.is_empty() || accept_changes {
                Ok(changed)
            } else {
                Err(RunError::Changed { changed })
            }
        };
        let mut writer = Writer::without_lease(journal, session.clone());
        let mut mirror = Mirror::new(session, &definition);
        let mut state = RunState::default();
        let records = writer.read(0).await?;
        let begun = mirror.begun(&records)?;
        if let Some(message) = begun.fault {
            return Err(RunError::Faulted { message });
        }
        let mut changed = agreed(&begun.definition)?;
        // Prompts from before an accepted change were made with something else.
        let rebuild_from = if changed.is_empty() { begun.unchanged_from } else { u64::MAX };
        mirror.follow(&records, rebuild_from, |event| state.apply(event))?;
        if state.is_open() {
            writer.take_lease().await?;
            // Whoever had the session may have written until now.
            let tail = writer.read(mirror.chain().len()).await?;
            mirror.follow(&tail, rebuild_from, |event| state.apply(event))?;
            changed = agreed(&state.definition)?;
        }
        if let Some(message) = state.fault {
            return Err(RunError::Faulted { message });
        }
        writer.go_on_behind(mirror.chain().clone());
        let channels = Channels::new(state.cancelled);
        let mut driver = Driver {
            session: mirror.session().twin().journaled(),
            prompt: mirror.prompt().map(|prompt| prompt.clone().with_tools(definition.header.clone())),
            definition,
            handlers,
            state,
            updates: channels.updates,
            cancel: channels.asked,
            cancelled: channels.cancelled,
            writer,
            mirror,
            suspended: None,
            fault: None,
        };
        if driver.state.is_open() {
            driver.recover(changed).await?;
        }
        Ok(Run::new(driver, channels.receiver, channels.cancel))
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
        if let Next::Suspend(ending) = plan(&self.state, &self.definition.budget) {
            self.suspended = Some(ending);
        }
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
