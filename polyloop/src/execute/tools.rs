//! The executor that a set of tools gives: check, call, outcome.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Executor;
use super::panics::{catching, drop_caught};
use super::timer::has_timer;
use crate::error::SetError;
use crate::event::{Action, ActionOutcome};
use crate::tool::{CallContext, CheckedCall, IntoState, Observation, Replay, Returned, ToolError, ToolSet};

/// The executor that calls the handlers of a set of tools, on one state.
pub struct ToolExecutor<S> {
    tools: ToolSet<S>,
    state: Arc<S>,
}

impl<S: Send + Sync + 'static> ToolExecutor<S> {
    /// Makes the executor of a set.
    ///
    /// # Errors
    ///
    /// When tools have no handler; all of them are named.
    pub fn new(tools: ToolSet<S>, state: impl IntoState<S>) -> Result<Self, SetError> {
        tools.all_have_handlers()?;
        Ok(Self { tools, state: state.into_state() })
    }

    /// Returns the set that it belongs to.
    #[must_use]
    pub fn tools(&self) -> &ToolSet<S> {
        &self.tools
    }

    /// Calls a handler whose arguments are right.
    pub async fn call(&self, checked: CheckedCall<S>, call: &CallContext) -> ActionOutcome {
        self.answer(checked, call, None).await.0
    }

    /// The same; and whether what was observed is JSON, by the type that the handler returned. `default` is the limit of a tool
    /// without a `timeout`, kept where the runtime has a timer.
    pub(crate) async fn answer(
        &self,
        checked: CheckedCall<S>,
        call: &CallContext,
        default: Option<Duration>,
    ) -> (ActionOutcome, bool) {
        let spec = checked.spec();
        let Some(handler) = checked.into_prepared().call(&self.state, call) else {
            let why = format!("the tool `{}` has no handler", spec.name);
            return (ActionOutcome::not_executed(why), false);
        };
        let caught = catching(handler);
        let default = default.filter(|_| has_timer());
        let Some(limit) = spec.timeout.or(default) else { return outcome(caught.await, spec.replay) };
        if !has_timer() {
            return (ActionOutcome::not_executed(NO_TIMER), false);
        }
        let mut caught = Box::pin(caught);
        if let Ok(returned) = tokio::time::timeout(limit, &mut caught).await {
            return outcome(returned, spec.replay);
        }
        drop_caught(caught);
        (timed_out(limit, spec.replay), false)
    }
}

impl<S: Send + Sync + 'static> ToolSet<S> {
    /// Returns the executor of this set, on a state.
    ///
    /// # Errors
    ///
    /// When tools have no handler; all of them are named.
    pub fn executor(&self, state: impl IntoState<S>) -> Result<ToolExecutor<S>, SetError> {
        ToolExecutor::new(self.clone(), state)
    }
}

impl<S: Send + Sync + 'static> Executor for ToolExecutor<S> {
    async fn execute(&self, action: &Action, call: &CallContext) -> ActionOutcome {
        let Action::Tool { name, arguments } = action else {
            return ActionOutcome::not_executed("there is no tool call in the action");
        };
        match self.tools.validate(name, arguments) {
            Ok(checked) => self.call(checked, call).await,
            Err(error) => ActionOutcome::not_executed(error.to_string()),
        }
    }

    fn tools_fingerprint(&self) -> Option<String> {
        Some(self.tools.fingerprint())
    }
}

impl<S> fmt::Debug for ToolExecutor<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ToolExecutor").field("tools", &self.tools).finish_non_exhaustive()
    }
}

fn outcome(returned: Result<Returned, String>, replay: Replay) -> (ActionOutcome, bool) {
    let (observation, is_json) = match returned {
        Ok(Returned { observation, is_json }) => (observation, is_json),
        Err(panicked) => return (ActionOutcome::executed(panicked).as_error(), false),
    };
    let outcome = match observation {
        Ok(observation) => return (ActionOutcome::executed(observation), is_json),
        Err(ToolError::Environment(text)) => ActionOutcome::environment_error(text),
        Err(ToolError::Unknown(text)) => nobody_knows(text.into(), replay),
        Err(ToolError::Failed { class, text }) => {
            ActionOutcome::executed(format!("{class}: {text}")).as_error()
        }
    };
    (outcome, false)
}

/// What a host must mend whose runtime cannot keep a `timeout`.
const NO_TIMER: &str =
    "the tool has a `timeout` and the tokio runtime has no timer; build the runtime with `enable_time`";

/// What may be done again has failed; of everything else nobody knows whether it took effect.
fn nobody_knows(observation: Observation, replay: Replay) -> ActionOutcome {
    match replay {
        Replay::Safe => ActionOutcome::executed(observation).as_error(),
        Replay::Never | Replay::Child => ActionOutcome::unknown(observation),
    }
}

fn timed_out(limit: Duration, replay: Replay) -> ActionOutcome {
    let text = match limit.subsec_millis() {
        0 => format!("timed out after {} s", limit.as_secs()),
        _ => format!("timed out after {} ms", limit.as_millis()),
    };
    nobody_knows(text.into(), replay)
}
