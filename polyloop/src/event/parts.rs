//! The parts of events that a host meets: calls, how a run ended.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::decision::Action;
use crate::registry::Registry;

/// Identifies a call; minted by the library, the same in every incarnation of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallId(Arc<str>);

impl CallId {
    pub(crate) fn numbered(number: u64) -> Self {
        Self(format!("call_{number}").into())
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn text(&self) -> Arc<str> {
        self.0.clone()
    }
}

impl From<&str> for CallId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Is one action of a decision, with its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    id: CallId,
    action: Action,
}

impl Call {
    pub(crate) fn new(id: CallId, action: Action) -> Self {
        Self { id, action }
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.id
    }

    /// Returns what is to be done.
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Returns the call with other arguments, if it is one of a tool.
    pub(crate) fn with_arguments(&self, arguments: &str) -> Self {
        match &self.action {
            Action::Tool { name, .. } => Self::new(self.id.clone(), Action::tool(name, arguments)),
            Action::Code { .. } => self.clone(),
        }
    }

    /// Whether what it is made with holds a registered marker.
    pub(crate) fn holds_marker<R: Registry>(&self) -> bool {
        R::holds_marker(self.action.payload())
    }
}

/// Says how a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// It was cancelled.
    Cancelled,
    /// The environment gave evidence that the goal is reached.
    EnvironmentCompleted,
    /// A tool that completes the run was called and succeeded.
    ToolCompleted {
        /// The tool.
        tool: String,
    },
    /// The model gave its answer.
    FinalAnswer,
    /// The environment failed too often in a row.
    EnvironmentFailure,
    /// All actions are used up.
    ActionsUsedUp,
    /// All steps are used up.
    StepsUsedUp,
    /// All time is used up.
    TimeUsedUp,
    /// The next prompt is over the budget's characters; nothing was sent.
    ContextOverflow {
        /// The size of the prompt, in characters.
        chars: usize,
    },
    /// The next request is over the budget's bytes; nothing was sent.
    RequestTooLarge {
        /// The size of the texts and images, in bytes.
        bytes: usize,
    },
    /// The model failed too often in a row, or in a way that asking again does not mend.
    ModelFailure {
        /// What the model's side said last.
        message: String,
    },
    /// Outcomes are not known; a person must look before the run goes on.
    UnknownOutcomes,
    /// A person must agree to calls first; the run goes on afterwards.
    AwaitingApproval,
    /// It has not ended: what a report says of a run that is under way.
    UnderWay,
}
