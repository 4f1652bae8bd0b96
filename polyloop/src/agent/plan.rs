//! What is next: a pure function of where a run is.

use std::sync::Arc;

use super::budget::Budget;
use super::state::{Phase, RunState};
use crate::error::ModelError;
use crate::event::{Ending, Reply};

/// What a driver carries out.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    /// Seal a prompt and ask the model.
    Ask,
    /// Say what the reply means.
    Interpret(Arc<Reply>),
    /// Carry out the open calls.
    Act,
    /// Record the end.
    End(Ending),
    /// Nothing: a person must look first.
    Suspend(Ending),
    /// Nothing: it ended.
    Done,
}

/// Says what is next.
pub(crate) fn plan(state: &RunState, budget: &Budget) -> Next {
    if state.ending.is_some() {
        return Next::Done;
    }
    match &state.phase {
        Phase::Assembling => before_asking(state, budget),
        // A sealed prompt without a reply is asked again; that is what a crash leaves.
        Phase::Sealed => Next::Ask,
        Phase::Replied(reply) => Next::Interpret(reply.clone()),
        Phase::Acting => Next::Act,
        Phase::Settled => after_step(state, budget),
    }
}

/// The first match ends the run; the order is fixed.
fn after_step(state: &RunState, budget: &Budget) -> Next {
    let ending = if state.cancelled {
        Ending::Cancelled
    } else if state.environment_completed {
        Ending::EnvironmentCompleted
    } else if let Some(tool) = &state.completed_by {
        Ending::ToolCompleted { tool: tool.clone() }
    } else if state.final_answer {
        Ending::FinalAnswer
    } else if state.unknown_outcomes > budget.unknown_outcomes {
        return Next::Suspend(Ending::UnknownOutcomes);
    } else if state.environment_errors > 0 && state.environment_errors >= budget.environment_errors {
        Ending::EnvironmentFailure
    } else if let Some(failure) = last_failure(state).filter(|failure| failure.class().is_final()) {
        // Asking again does not mend it, so it matters more than what is used up.
        Ending::ModelFailure { message: failure.to_string() }
    } else if state.actions >= budget.actions {
        Ending::ActionsUsedUp
    } else if state.steps >= budget.steps {
        Ending::StepsUsedUp
    } else {
        return before_asking(state, budget);
    };
    Next::End(ending)
}

/// What forbids the next request before it is put together.
fn before_asking(state: &RunState, budget: &Budget) -> Next {
    if state.cancelled {
        Next::End(Ending::Cancelled)
    } else if budget.steps == 0 {
        Next::End(Ending::StepsUsedUp)
    } else {
        Next::Ask
    }
}

/// What forbids a request that is put together: first its size, then failures of the model in a row.
pub(crate) fn before_sending(state: &RunState, budget: &Budget, chars: usize) -> Option<Ending> {
    if chars > budget.prompt_chars {
        return Some(Ending::ContextOverflow { chars });
    }
    let failure = last_failure(state).filter(|_| state.model_failures >= budget.model_failures)?;
    Some(Ending::ModelFailure { message: failure.to_string() })
}

/// The failure of the step before, if the model failed there.
fn last_failure(state: &RunState) -> Option<&ModelError> {
    state.failure.as_ref().filter(|_| state.model_failures > 0)
}
