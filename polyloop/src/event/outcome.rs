//! What became of an action.

use serde::{Deserialize, Serialize};

use crate::tool::Observation;

/// The status of an action: whether it was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// It ran, also when it ended in an ordinary error.
    Executed,
    /// It never started. That spends a step, but no action.
    NotExecuted,
    /// The environment failed, and it did not take effect.
    EnvironmentError,
    /// Nobody knows whether it took effect.
    Unknown,
}

/// The outcome of an action: what an [`Executor`](crate::Executor) returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActionOutcome {
    /// Whether it was executed.
    pub status: Status,
    /// What was observed. For what was not executed or failed with the environment the model sees a fixed text of
    /// the definition instead, and this goes to the audit.
    pub observation: Observation,
    /// Whether the observation is the runtime's own sentence.
    pub observation_is_synthetic: bool,
    /// Whether the action ended in an error.
    pub is_error: bool,
    /// Whether the environment gave evidence that the goal is reached.
    pub env_reported_completion: bool,
    /// How many characters of the observation were left out.
    pub observation_truncated_chars: usize,
}

impl ActionOutcome {
    /// Makes the outcome of an executed action.
    #[must_use]
    pub fn executed(observation: impl Into<Observation>) -> Self {
        let observation = observation.into();
        Self {
            status: Status::Executed,
            observation_truncated_chars: observation.left_out_chars(),
            observation,
            observation_is_synthetic: false,
            is_error: false,
            env_reported_completion: false,
        }
    }

    /// Makes the outcome of an action that never started, with the reason.
    #[must_use]
    pub fn not_executed(reason: impl Into<Observation>) -> Self {
        Self {
            status: Status::NotExecuted,
            observation_is_synthetic: true,
            is_error: true,
            ..Self::executed(reason)
        }
    }

    /// Makes the outcome of an action that the environment failed.
    #[must_use]
    pub fn environment_error(text: impl Into<Observation>) -> Self {
        Self { status: Status::EnvironmentError, is_error: true, ..Self::executed(text) }
    }

    /// Makes the outcome of an action of which nobody knows whether it took effect.
    #[must_use]
    pub fn unknown(text: impl Into<Observation>) -> Self {
        Self { status: Status::Unknown, is_error: true, ..Self::executed(text) }
    }

    /// Says that it ended in an error.
    #[must_use]
    pub fn as_error(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Says that the environment gave evidence of completion.
    #[must_use]
    pub fn completed(mut self) -> Self {
        self.env_reported_completion = true;
        self
    }
}

/// What somebody who can look says of an action whose outcome nobody knew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// It took effect, and this is what is to be told of it.
    Happened(Observation),
    /// It did not take effect; it may be begun anew.
    DidNotHappen,
    /// That cannot be told.
    Unknown,
}
