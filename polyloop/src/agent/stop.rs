//! Sees whether a run stops, and records what was measured and everything that stops it.

use super::driver::Driver;
use super::plan::{after_step, before_request, is_a_wait};
use super::state::{Phase, RunState};
use crate::error::RunError;
use crate::event::{Ending, Event, Measured};
use crate::registry::Registry;

impl<R: Registry> Driver<R> {
    /// Sees whether the run stops, now that a step is over. The journal has it with the next commit.
    pub(super) async fn check_after_step(&mut self) -> Result<(), RunError> {
        self.mark_clock();
        let matches = self.matches_after_step();
        self.stop_at(matches).await
    }

    /// Whether a request of this size, in characters and bytes, may be sent; if not, the run has ended.
    pub(super) async fn may_ask(&mut self, chars: usize, bytes: usize) -> Result<bool, RunError> {
        self.mark_clock();
        let budget = self.definition.budget;
        let matches = before_request(&self.state, &budget, chars, bytes);
        match matches.first() {
            None => return Ok(true),
            Some(Ending::ContextOverflow { .. }) => {
                self.record(Event::PromptRefused { chars, limit: budget.prompt_chars, bytes: None });
            }
            Some(Ending::RequestTooLarge { .. }) => {
                self.record(Event::PromptRefused { chars, limit: budget.request_bytes, bytes: Some(bytes) });
            }
            Some(_) => {}
        }
        self.stop_at(matches).await?;
        Ok(false)
    }

    /// Why the run waits for a person, where it does so between two steps.
    pub(super) fn waits_after_step(&self) -> Option<Ending> {
        let settled = matches!(self.state.phase, Phase::Settled);
        let first = settled.then(|| self.matches_after_step())?.into_iter().next();
        first.filter(is_a_wait)
    }

    fn matches_after_step(&self) -> Vec<Ending> {
        let unheard = self.session.ledger().has_unheard_words();
        after_step(&self.state, &self.definition.budget, unheard)
    }

    /// The first match counts.
    pub(super) async fn stop_at(&mut self, matches: Vec<Ending>) -> Result<(), RunError> {
        let first = matches.first().cloned();
        self.record(Event::StopChecked { measured: measured(&self.state), matches });
        match first {
            None => Ok(()),
            Some(ending) if is_a_wait(&ending) => self.suspend(ending).await,
            Some(ending) => self.end(ending).await,
        }
    }
}

fn measured(state: &RunState) -> Measured {
    Measured {
        steps: state.steps,
        actions: state.actions,
        environment_errors: state.environment_errors,
        model_failures: state.model_failures,
        unknown_outcomes: state.unknown_outcomes,
        active_millis: state.active_millis,
        prompt_chars: state.prompt_chars,
    }
}
