//! What came of a run.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::error::{RecordError, RunError};
use crate::event::{Ending, Usage};
use crate::journal::Head;
use crate::message::{Prompt, Share};

/// The result of a run, or how far it is. Printed, it is the answer, or how the run ended where there is none.
///
/// It keeps the two kinds of completion apart: `tool_completed` is what the agent says, `environment_completed` is
/// evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub ending: Ending,
    /// The answer: what the completing tool returned, or the model's last words.
    pub answer: Option<String>,
    /// Whether a tool that completes the run succeeded.
    pub tool_completed: bool,
    /// Whether the environment gave evidence of completion.
    pub environment_completed: bool,
    /// Whether a person said something that stood in no request yet. A [`follow_up`](crate::Run::follow_up) without
    /// words answers it.
    pub unheard: bool,
    /// Why something that was said to the run was not recorded, in this process: more of a kind than a turn may record, or input
    /// of which the sanitizer left nothing. Serialized, each is its message.
    #[serde(serialize_with = "as_messages")]
    pub not_recorded: Vec<RecordError>,
    /// How many decisions there were, and steps that the model failed.
    pub steps: usize,
    /// How many actions were executed.
    pub actions: usize,
    /// How many requests were sent.
    pub requests: usize,
    /// The size of the last request, in characters.
    pub prompt_chars: usize,
    /// What filled the last request, by kind and tool; the sum is `prompt_chars`.
    pub shares: Vec<Share>,
    /// What all requests cost together, as the provider reports it.
    pub usage: Usage,
    /// What those of them cost that asked for a summary.
    pub summaries: SummaryCost,
}

/// The cost of the requests for summaries in a run; those that gave none are counted as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SummaryCost {
    /// How many requests were sent.
    pub requests: usize,
    /// The size of the requests and of the replies together, in characters.
    pub chars: usize,
    /// The tokens, as the provider reports them.
    pub usage: Usage,
}

/// The state of a run as far as a report shows it. Every update carries one, so its size does not depend on the run.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct Seen {
    /// How the run ended, or why it waits for a person.
    pub(crate) ending: Option<Ending>,
    pub(crate) answer: Option<Arc<str>>,
    pub(crate) tool_completed: bool,
    pub(crate) environment_completed: bool,
    pub(crate) unheard: bool,
    pub(crate) steps: usize,
    pub(crate) actions: usize,
    pub(crate) requests: usize,
    pub(crate) usage: Usage,
    pub(crate) summaries: SummaryCost,
    /// The last prompt that was sealed.
    pub(crate) prompt: Option<Prompt>,
    /// The end of what was written.
    pub(crate) head: Head,
    pub(crate) not_recorded: Arc<Vec<RecordError>>,
}

impl Seen {
    pub(crate) fn report(&self) -> Report {
        Report {
            ending: self.ending.clone().unwrap_or(Ending::UnderWay),
            answer: self.answer.as_deref().map(str::to_owned),
            tool_completed: self.tool_completed,
            environment_completed: self.environment_completed,
            unheard: self.unheard,
            not_recorded: self.not_recorded.to_vec(),
            steps: self.steps,
            actions: self.actions,
            requests: self.requests,
            prompt_chars: self.prompt.as_ref().map_or(0, Prompt::chars),
            shares: self.prompt.as_ref().map(Prompt::shares).unwrap_or_default(),
            usage: self.usage,
            summaries: self.summaries,
        }
    }
}

fn as_messages<S: Serializer>(errors: &[RecordError], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(errors.iter().map(ToString::to_string))
}

impl Report {
    /// Returns what a run came to that was completed: its answer, or that the goal is reached.
    ///
    /// # Errors
    ///
    /// [`Incomplete`](RunError::Incomplete) when it ended otherwise, or waits for a person.
    pub fn into_answer(self) -> Result<String, RunError> {
        let Self { ending, answer, .. } = self;
        match ending {
            Ending::FinalAnswer | Ending::ToolCompleted { .. } | Ending::EnvironmentCompleted => {
                Ok(answer.unwrap_or_else(|| ending.to_string()))
            }
            ending => Err(RunError::Incomplete { ending: ending.to_string() }),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.answer {
            Some(answer) => formatter.write_str(answer),
            None => write!(formatter, "{}", self.ending),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => formatter.write_str("cancelled"),
            Self::EnvironmentCompleted => formatter.write_str("completed, by evidence of the environment"),
            Self::ToolCompleted { tool } => write!(formatter, "completed by `{tool}`"),
            Self::FinalAnswer => formatter.write_str("answered"),
            Self::EnvironmentFailure => formatter.write_str("the environment failed too often in a row"),
            Self::ActionsUsedUp => formatter.write_str("all actions are used up"),
            Self::StepsUsedUp => formatter.write_str("all steps are used up"),
            Self::TimeUsedUp => formatter.write_str("all time is used up"),
            Self::ContextOverflow { chars } => {
                write!(formatter, "the next prompt has {chars} characters, over the budget; it was not sent")
            }
            Self::RequestTooLarge { bytes } => {
                write!(formatter, "the next request has {bytes} bytes, over the budget; it was not sent")
            }
            Self::ModelFailure { message } => write!(formatter, "the model failed: {message}"),
            Self::UnknownOutcomes => formatter.write_str("outcomes are unknown; a person must look first"),
            Self::UnderWay => formatter.write_str("under way"),
            Self::AwaitingApproval => formatter.write_str("a person must agree to a call first"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Report, Seen};
    use crate::error::RunError;
    use crate::event::Ending;

    fn report(ending: Ending, answer: Option<&str>) -> Report {
        Report { ending, answer: answer.map(str::to_owned), ..Seen::default().report() }
    }

    #[test]
    fn only_a_run_that_was_completed_has_an_answer() {
        let submitted = Ending::ToolCompleted { tool: "submit".to_owned() };
        for ending in [Ending::FinalAnswer, submitted, Ending::EnvironmentCompleted] {
            assert_eq!(report(ending, Some("six")).into_answer(), Ok("six".to_owned()));
        }
        let reached = Ending::EnvironmentCompleted.to_string();
        assert_eq!(report(Ending::EnvironmentCompleted, None).into_answer(), Ok(reached));
        for ending in [Ending::StepsUsedUp, Ending::AwaitingApproval, Ending::Cancelled, Ending::UnderWay] {
            let incomplete = RunError::Incomplete { ending: ending.to_string() };
            assert_eq!(report(ending, Some("five, so far")).into_answer(), Err(incomplete));
        }
    }
}
