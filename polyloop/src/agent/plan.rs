//! What is next: a pure function of where a run is.

use std::sync::Arc;
use std::time::Duration;

use super::budget::Budget;
use super::state::{Phase, RunState};
use crate::error::ModelError;
use crate::event::{Ending, Reply};

/// What a driver carries out.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    /// Put a prompt together and, if nothing forbids it, ask the model.
    Ask,
    /// Say what the reply means.
    Interpret(Arc<Reply>),
    /// Carry out the open calls.
    Act,
    /// A step is over: see whether the run stops.
    Check,
    /// Nothing: it ended.
    Done,
}

/// Says what is next.
pub(crate) fn plan(state: &RunState) -> Next {
    if state.ending.is_some() {
        return Next::Done;
    }
    match &state.phase {
        // A sealed prompt without a reply is asked again; that is what a crash leaves.
        Phase::Assembling | Phase::Sealed => Next::Ask,
        Phase::Replied(reply) => Next::Interpret(reply.clone()),
        Phase::Acting => Next::Act,
        Phase::Settled => Next::Check,
    }
}

/// Everything that stops a run when a step is over. The first one counts; the order is fixed. Words that stood in no
/// request yet are unheard.
pub(crate) fn after_step(state: &RunState, budget: &Budget, unheard: bool) -> Vec<Ending> {
    let mut matches = Vec::new();
    let mut rule = |applies: bool, ending: Ending| matches.extend(applies.then_some(ending));
    rule(state.is_cancelled(), Ending::Cancelled);
    rule(state.environment_completed, Ending::EnvironmentCompleted);
    if let Some(tool) = &state.completed_by {
        rule(true, Ending::ToolCompleted { tool: tool.clone() });
    }
    // What a person said meanwhile is answered as well, as long as there is something left to do it with.
    rule(state.final_answer && !(unheard && may_go_on(state, budget)), Ending::FinalAnswer);
    rule(too_many_unknown(state, budget), Ending::UnknownOutcomes);
    let in_a_row = state.environment_errors;
    rule(in_a_row > 0 && in_a_row >= budget.environment_errors, Ending::EnvironmentFailure);
    if let Some(failure) = last_failure(state).filter(|failure| failure.class().is_final()) {
        // Asking again does not mend it, so it matters more than what is used up.
        rule(true, Ending::ModelFailure { message: failure.to_string() });
    }
    rule(state.actions >= budget.actions, Ending::ActionsUsedUp);
    rule(state.steps >= budget.steps, Ending::StepsUsedUp);
    rule(time_is_up(state, budget), Ending::TimeUsedUp);
    matches
}

fn may_go_on(state: &RunState, budget: &Budget) -> bool {
    state.actions < budget.actions && state.steps < budget.steps && !time_is_up(state, budget)
}

/// Everything that forbids a request of this size, in characters and bytes. The first one counts; the order is fixed.
pub(crate) fn before_request(state: &RunState, budget: &Budget, chars: usize, bytes: usize) -> Vec<Ending> {
    let mut matches = Vec::new();
    let mut rule = |applies: bool, ending: Ending| matches.extend(applies.then_some(ending));
    rule(state.is_cancelled(), Ending::Cancelled);
    rule(state.steps >= budget.steps, Ending::StepsUsedUp);
    rule(time_is_up(state, budget), Ending::TimeUsedUp);
    rule(chars > budget.prompt_chars, Ending::ContextOverflow { chars });
    rule(bytes > budget.request_bytes, Ending::RequestTooLarge { bytes });
    if let Some(failure) = last_failure(state).filter(|_| state.model_failures >= budget.model_failures) {
        rule(true, Ending::ModelFailure { message: failure.to_string() });
    }
    matches
}

/// Whether a run does not end here, but waits for a person.
pub(crate) fn is_a_wait(ending: &Ending) -> bool {
    matches!(ending, Ending::UnknownOutcomes | Ending::AwaitingApproval)
}

fn too_many_unknown(state: &RunState, budget: &Budget) -> bool {
    state.unknown_outcomes > budget.unknown_outcomes
}

fn time_is_up(state: &RunState, budget: &Budget) -> bool {
    budget.time.is_some_and(|time| Duration::from_millis(state.active_millis) >= time)
}

/// The failure of the step before, if the model failed there.
fn last_failure(state: &RunState) -> Option<&ModelError> {
    state.failure.as_ref().filter(|_| state.model_failures > 0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{after_step, before_request};
    use crate::agent::budget::Budget;
    use crate::agent::handle::Cancel;
    use crate::agent::state::RunState;
    use crate::error::{ModelError, ModelErrorClass};
    use crate::event::Ending;

    /// A run in which everything happened that can stop one.
    fn everything() -> RunState {
        RunState {
            cancel: Cancel::AfterAction,
            environment_completed: true,
            completed_by: Some("submit".to_owned()),
            final_answer: true,
            unknown_outcomes: 2,
            environment_errors: 3,
            failure: Some(ModelError::new(ModelErrorClass::BadRequest, "no")),
            model_failures: 3,
            actions: 50,
            steps: 50,
            active_millis: 1_000,
            ..RunState::default()
        }
    }

    fn budget() -> Budget {
        Budget::default().time(Duration::from_secs(1)).prompt_chars(9)
    }

    fn failed() -> Ending {
        Ending::ModelFailure { message: "bad request: no".to_owned() }
    }

    #[test]
    fn what_stops_a_run_after_a_step_is_found_in_a_fixed_order() {
        let order = [
            Ending::Cancelled,
            Ending::EnvironmentCompleted,
            Ending::ToolCompleted { tool: "submit".to_owned() },
            Ending::FinalAnswer,
            Ending::UnknownOutcomes,
            Ending::EnvironmentFailure,
            failed(),
            Ending::ActionsUsedUp,
            Ending::StepsUsedUp,
            Ending::TimeUsedUp,
        ];
        assert_eq!(after_step(&everything(), &budget(), false), order);
        assert_eq!(after_step(&RunState::default(), &budget(), true), []);
    }

    #[test]
    fn an_answer_beside_unheard_words_is_the_last_one_only_where_nothing_is_left_to_answer_them_with() {
        let answered = RunState { final_answer: true, steps: 1, ..RunState::default() };
        assert_eq!(after_step(&answered, &Budget::steps(2), false), [Ending::FinalAnswer]);
        assert_eq!(after_step(&answered, &Budget::steps(2), true), []);
        let used_up = [Ending::FinalAnswer, Ending::ActionsUsedUp, Ending::StepsUsedUp];
        assert_eq!(after_step(&answered, &Budget::steps(1).actions(0), true), used_up);
        let timed_out = RunState { active_millis: 1_000, ..answered };
        assert_eq!(after_step(&timed_out, &budget(), true), [Ending::FinalAnswer, Ending::TimeUsedUp]);
    }

    #[test]
    fn what_forbids_a_request_is_found_in_a_fixed_order() {
        let order = [
            Ending::Cancelled,
            Ending::StepsUsedUp,
            Ending::TimeUsedUp,
            Ending::ContextOverflow { chars: 10 },
            Ending::RequestTooLarge { bytes: 20_000_001 },
            failed(),
        ];
        assert_eq!(before_request(&everything(), &budget(), 10, 20_000_001), order);
        assert_eq!(before_request(&RunState::default(), &budget(), 9, 20_000_000), []);
    }

    #[test]
    fn one_less_than_each_limit_stops_nothing() {
        let nearly = RunState {
            unknown_outcomes: 1,
            environment_errors: 2,
            failure: Some(ModelError::new(ModelErrorClass::Server, "no")),
            model_failures: 2,
            actions: 49,
            steps: 49,
            active_millis: 999,
            ..RunState::default()
        };
        assert_eq!(after_step(&nearly, &budget(), false), []);
        assert_eq!(before_request(&nearly, &budget(), 9, 9), []);
        assert_eq!(
            after_step(&RunState { active_millis: u64::MAX, ..nearly }, &Budget::default(), false),
            []
        );
    }
}
