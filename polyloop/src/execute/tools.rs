//! The executor that a set of tools gives: check, call, outcome.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Executor;
use super::limit::{not_known, within_limit};
use super::panics::catching;
use super::timer::has_timer;
use crate::error::SetError;
use crate::event::{Action, ActionOutcome};
use crate::tool::{CallContext, CheckedCall, IntoState, Replay, Returned, ToolError, ToolSet};

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

    /// Returns the state that the handlers borrow.
    pub(crate) fn state(&self) -> &Arc<S> {
        &self.state
    }

    /// Returns the set that it belongs to.
    #[must_use]
    pub fn tools(&self) -> &ToolSet<S> {
        &self.tools
    }

    /// Checks the call of a tool, and calls its handler.
    pub async fn execute(&self, action: &Action, call: &CallContext) -> ActionOutcome {
        let Action::Tool { name, arguments } = action else {
            return ActionOutcome::not_executed("there is no tool call in the action");
        };
        match self.tools.validate(name, arguments) {
            Ok(checked) => self.call(checked, call).await,
            Err(error) => ActionOutcome::not_executed(error.to_string()),
        }
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
        let limit = spec.timeout.or_else(|| default.filter(|_| has_timer()));
        match within_limit(limit, spec.replay, catching(handler)).await {
            Ok(returned) => outcome(returned, spec.replay),
            Err(outcome) => (outcome, false),
        }
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

/// The handlers borrow the state with which the executor was made, not that of the run.
impl<S: Send + Sync + 'static> Executor<S> for ToolExecutor<S> {
    async fn execute(&self, action: &Action, call: &CallContext, _: &S) -> ActionOutcome {
        Self::execute(self, action, call).await
    }

    fn tools(&self) -> Option<&ToolSet<S>> {
        Some(&self.tools)
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
        Err(ToolError::Unknown(text)) => not_known(text.into(), replay),
        Err(ToolError::Failed { class, text }) => {
            ActionOutcome::executed(format!("{class}: {text}")).as_error()
        }
    };
    (outcome, false)
}
