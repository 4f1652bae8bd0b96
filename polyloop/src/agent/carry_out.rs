//! What carries out an action: the handler of its tool, or an executor.

use std::any::type_name;
use std::sync::Arc;

use crate::event::{Action, ActionOutcome, Status};
use crate::execute::{DynExecutor, Executor, ToolExecutor, catching, within_limit};
use crate::tool::{CallContext, CheckedCall, Replay, ToolSpec};

/// An action that may be carried out.
pub(super) struct Ready<S> {
    /// The action, with the effective arguments of a call.
    pub(super) action: Action,
    /// The checked call of a tool; none for a block of code.
    pub(super) checked: Option<CheckedCall<S>>,
    /// Whether it may be repeated where its outcome is not known.
    pub(super) replay: Replay,
}

impl<S> Ready<S> {
    /// Makes a call of a tool ready.
    pub(super) fn call(name: &str, checked: CheckedCall<S>) -> Self {
        let (action, replay) = (Action::tool(name, checked.arguments()), checked.spec().replay);
        Self { action, checked: Some(checked), replay }
    }

    fn spec(&self) -> Option<&'static ToolSpec> {
        self.checked.as_ref().map(CheckedCall::spec)
    }

    /// Returns `true` if it is the call of a tool with this flag.
    pub(super) fn is(&self, flag: impl Fn(&ToolSpec) -> bool) -> bool {
        self.spec().is_some_and(flag)
    }
}

/// An executor of one run, with the name of its type.
pub(crate) struct RunExecutor<S> {
    pub(super) name: &'static str,
    pub(super) executor: Arc<dyn DynExecutor<S>>,
}

impl<S> RunExecutor<S> {
    pub(super) fn new<E: Executor<S>>(executor: E) -> Self {
        Self { name: type_name::<E>(), executor: Arc::new(executor) }
    }
}

/// What carries out the actions of a run.
pub(crate) enum Acting<S> {
    /// The handlers of the tools.
    Handlers(Arc<ToolExecutor<S>>),
    /// An executor, with the state of the run.
    Executor { executor: Arc<dyn DynExecutor<S>>, state: Arc<S> },
    /// Nothing: the session is only written to.
    Nothing,
}

impl<S> Clone for Acting<S> {
    fn clone(&self) -> Self {
        match self {
            Self::Handlers(handlers) => Self::Handlers(handlers.clone()),
            Self::Executor { executor, state } => {
                Self::Executor { executor: executor.clone(), state: state.clone() }
            }
            Self::Nothing => Self::Nothing,
        }
    }
}

/// The outcome of an action, and whether an executor refused it.
pub(super) struct CarriedOut {
    pub(super) outcome: ActionOutcome,
    /// The sentence is the executor's own, which nothing can make again.
    pub(super) refused_by_executor: bool,
}

impl From<ActionOutcome> for CarriedOut {
    fn from(outcome: ActionOutcome) -> Self {
        Self { outcome, refused_by_executor: false }
    }
}

impl<S: Send + Sync + 'static> Acting<S> {
    /// Returns the state of the run.
    pub(super) fn state(&self) -> Option<&Arc<S>> {
        match self {
            Self::Handlers(handlers) => Some(handlers.state()),
            Self::Executor { state, .. } => Some(state),
            Self::Nothing => None,
        }
    }

    /// Returns `true` if blocks of code can be carried out.
    pub(super) fn takes_code(&self) -> bool {
        matches!(self, Self::Executor { .. })
    }

    /// Carries out an action, within the time limit of its tool.
    pub(super) async fn carry_out(&self, ready: Ready<S>, context: &CallContext) -> CarriedOut {
        let limit = ready.spec().and_then(|spec| spec.timeout);
        match self {
            Self::Handlers(handlers) => match ready.checked {
                Some(checked) => handlers.call(checked, context).await.into(),
                None => ActionOutcome::not_executed(NO_CALL).into(),
            },
            Self::Executor { executor, state } => {
                // Its own function may panic before there is a future.
                let work = Box::pin(async { executor.execute_boxed(&ready.action, context, state).await });
                match within_limit(limit, ready.replay, catching(work)).await {
                    Ok(Ok(outcome)) => {
                        let refused_by_executor = outcome.status == Status::NotExecuted;
                        CarriedOut { outcome, refused_by_executor }
                    }
                    Ok(Err(panicked)) => ActionOutcome::executed(panicked).as_error().into(),
                    Err(outcome) => outcome.into(),
                }
            }
            Self::Nothing => ActionOutcome::not_executed("there is nothing that could execute it").into(),
        }
    }
}

/// The reason of a refusal where there are only handlers, and the action is a block of code.
pub(super) const NO_CALL: &str = "there is no tool call in the action";
