//! Begins a session and its runs, with the right to write there.

use std::sync::Arc;

use tokio::sync::watch;

use super::carry_out::{Acting, RunExecutor};
use super::definition::Definition;
use super::driver::Driver;
use super::handle::{Cancel, Ear, RunHandle};
use super::opening::Ready;
use crate::error::{JournalError, RunError};
use crate::event::Event;
use crate::journal::Fork;
use crate::registry::Registry;
use crate::session::TurnContext;

/// The definition of a run, and what carries out its actions.
type Actors<R> = (Arc<Definition<R>>, Acting<<R as Registry>::State>);

impl<R: Registry> Driver<R> {
    /// Records the beginning of a session, which may branch off from another one.
    pub(super) fn open_session(&mut self, fork: Option<Fork>) {
        self.record(self.definition.session_opened(fork));
    }

    /// Commits the first records of a session. Another request for it may have taken the lease since.
    pub(super) async fn commit_first(&mut self) -> Result<(), RunError> {
        let session = self.writer.session().clone();
        self.commit().await.map_err(|error| match error {
            RunError::Journal(error) => error.of_a_new_session(session.as_str()).into(),
            error => error,
        })
    }

    /// Records the beginning of a run.
    pub(super) fn begin(&mut self, opening: Ready) {
        self.not_recorded = Arc::default();
        self.record_lease();
        self.record(Event::RunStarted { definition: self.definition.parts.clone() });
        if !opening.enabled.is_empty() {
            self.record(Event::ToolsEnabled { tools: opening.enabled });
        }
        self.begin_turn(&opening.turn);
        self.turn = Some(opening.turn);
    }

    /// Records what a turn begins with, and tells which notes wait on.
    pub(super) fn begin_turn(&mut self, turn: &TurnContext) {
        self.session.begin(turn);
        for error in turn.notes_left() {
            self.not_recorded(error.clone());
        }
    }

    /// Returns the definition of the next run, and what carries out its actions: as in the run before, unless another state or
    /// another executor is given.
    pub(super) fn acting_next(
        &self,
        state: Option<Arc<R::State>>,
        executor: Option<RunExecutor<R::State>>,
    ) -> Result<Actors<R>, RunError> {
        if state.is_none() && executor.is_none() {
            return Ok((self.definition.clone(), self.acting.clone()));
        }
        let definition = match executor {
            Some(executor) => self.definition.with_run_executor(executor),
            None => self.definition.clone(),
        };
        let acting = match state.or_else(|| self.acting.state().cloned()) {
            Some(state) => definition.acting(state)?,
            None => Acting::Nothing,
        };
        Ok((definition, acting))
    }

    /// Records that the right to write was taken, where nothing was written under it.
    pub(super) fn record_lease(&mut self) {
        if self.writer.has_new_lease() {
            self.record(Event::LeaseTaken {});
        }
    }

    /// Takes the right to write, where the session was only looked at so far.
    pub(super) async fn take_over(&mut self) -> Result<(), RunError> {
        while !self.writer.has_lease() {
            match self.writer.take_lease_at(self.writer.chain().len()).await {
                Err(JournalError::OutOfOrder { .. }) if self.writer.follow_late_outcomes().await? => {}
                taken => taken?,
            }
        }
        Ok(())
    }

    /// Hears a new handle in place of the old ones, which belong to the run that ended.
    pub(super) fn listen_anew(&mut self) -> RunHandle<R> {
        let (handle, ear) = Ear::new(self.definition.clone(), Cancel::No);
        self.ear = ear;
        self.cancelled = watch::channel(false).0;
        handle
    }
}
