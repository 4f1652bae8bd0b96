//! What can go wrong with an agent and its runs.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{JournalError, RecordError, SetError, ToolsRefused};

/// The reason why an agent was not built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The tools cannot be built.
    #[error(transparent)]
    Tools(#[from] SetError),
    /// The model's provider cannot read tools.
    #[error("the model cannot be given every tool: {0}")]
    Unreadable(#[from] ToolsRefused),
    /// A fixed text is empty, which a model must never be shown.
    #[error("the fixed text `{name}` is empty; a model must never get an empty message")]
    EmptyText {
        /// The text's name.
        name: &'static str,
    },
    /// A template does not hold what it must, or holds something else.
    #[error("the {name} {reason}")]
    Template {
        /// Which template.
        name: &'static str,
        /// What is wrong and what to do.
        reason: Cow<'static, str>,
    },
    /// The layout has no place for a fragment.
    #[error("the layout `{layout}` has no place for `{kind}`: {reason}")]
    Layout {
        /// The layout's type.
        layout: &'static str,
        /// The kind of the fragment.
        kind: &'static str,
        /// Why, and what to do.
        reason: String,
    },
}

/// The reason why a run could not start or go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// A fragment was not recorded; nothing of the request was.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Tools have no handler.
    #[error(transparent)]
    Tools(#[from] SetError),
    /// The goal has no words.
    #[error("the goal is empty; say what the run is for")]
    EmptyGoal,
    /// The journal could not be written or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What the journal yields is not what was about to be sent; nothing was.
    #[error(
        "what the journal yields differs from the prompt in message {message}, byte {byte}, and nothing was sent; \
         a layout must be a pure function, and a store must give back what it got"
    )]
    PromptDiffers {
        /// The first message that differs, counted from 1.
        message: usize,
        /// Its first byte that differs, counted from 0.
        byte: usize,
    },
    /// The model rendered the same prompt twice, with other bytes the second time; nothing was sent.
    #[error(
        "the body of the request is not the one that the same prompt had before{}, and nothing was sent; `Model::body` must \
         be a pure function",
        place_in_body(*message, *byte)
    )]
    BodyDiffers {
        /// The message that differs first, counted from 1; known where the body is JSON with a list of `messages`.
        message: Option<usize>,
        /// The first byte of the body that differs, counted from 0; none where the earlier body went with its process.
        byte: Option<usize>,
    },
    /// A sealed prompt does not come out of the journal again.
    #[error("the prompt sealed as event {seq} cannot be made again from the journal; nothing more is sent")]
    SealDiffers {
        /// The number of the event.
        seq: u64,
    },
    /// The run met a fault before; it does not go on.
    #[error("the run was stopped by a fault and does not go on: {message}")]
    Faulted {
        /// The fault.
        message: String,
    },
    /// The agent is not the one that the run began with.
    #[error(
        "the agent differs from the one that the run began with, in {}; build the same, or resume with `.accept_changes()`",
        .changed.join(", ")
    )]
    Changed {
        /// The parts that differ; a budget with the fields that differ, and both values of each.
        changed: Vec<String>,
    },
    /// The executor belongs to other tools than the model is shown.
    #[error(
        "the executor belongs to another set of tools than the one that the model is shown; take it from this set"
    )]
    ForeignExecutor,
    /// A run was to begin inside a call that has no session for one.
    #[error("the call has no session for a run inside it; declare its tool with `#[tool(replay = child)]`")]
    NoChildSession,
    /// An approval names no waiting call.
    #[error("no call `{call}` waits for an approval")]
    NoSuchApproval {
        /// The call's id.
        call: String,
    },
    /// No outcome waits for a person.
    #[error("no unknown outcome waits for a person; there is nothing to acknowledge")]
    NothingToAcknowledge,
    /// The agent keeps no sessions.
    #[error(
        "the agent has no journal, and so no session `{session}`; give it one with `AgentBuilder::journal`"
    )]
    NoJournal {
        /// The session's id.
        session: String,
    },
    /// The session's last run is still to be finished.
    #[error(
        "the last run of the session `{session}` has not ended; speak to it by its `RunHandle`, or, where nobody \
         polls it any more, take it up with `Agent::resume`"
    )]
    Unfinished {
        /// The session's id.
        session: String,
    },
    /// A note was queued for a session that does not exist yet.
    #[error(
        "there is no session `{session}` yet, so no note can wait in it; say it with the first run, by `Request::inject`"
    )]
    NewSession {
        /// The session's id.
        session: String,
    },
    /// A fork drops what its run is for, so its first message would be a reply of the model.
    #[error(
        "a fork of the session `{session}` would begin with a reply of the model, since the fragment that says what the run is \
         for has `on_fork = drop`; give it `on_fork = keep`"
    )]
    ForkWithoutGoal {
        /// The id of the other session.
        session: String,
    },
    /// A session is to branch off from another one where that is in the middle of something.
    #[error("nothing can branch off from the session `{session}` {}", place_to_branch_off(*at, *before, *behind))]
    NoForkPoint {
        /// The id of the other session.
        session: String,
        /// How many of its records were to be inherited.
        at: u64,
        /// The nearest place before it.
        before: Option<u64>,
        /// The nearest place behind it.
        behind: Option<u64>,
    },
    /// A rollback of more turns than there are, or of none.
    #[error(
        "the session has {live} turns, so {asked} cannot be rolled back; name at least one, and no more than these"
    )]
    NoSuchTurns {
        /// How many were named.
        asked: usize,
        /// How many there are that were not rolled back.
        live: usize,
    },
    /// A rollback to a turn that the session does not have.
    #[error("the session has no turn {turn} that was not rolled back; it has {}", turns_listed(.live))]
    NoSuchTurn {
        /// The number of the turn.
        turn: u64,
        /// The numbers of those that were not rolled back.
        live: Vec<u64>,
    },
    /// The session has no run yet that could be taken up.
    #[error("the session `{session}` has no run to resume; begin one with `Request::session`")]
    NoRun {
        /// The session's id.
        session: String,
    },
    /// The run has ended, or cannot go on: it takes no more words.
    #[error(
        "the run has ended, or cannot go on; what is to be said goes with the next one of its session, by `Run::follow_up` \
         or `Request::session`, and a note into `Agent::queue`"
    )]
    Ended,
    /// The run is in the middle of something: whoever polled it let go before it came to rest.
    #[error("the run is under way; poll it until it ends or waits for a person")]
    UnderWay,
    /// The agent does not have a tool.
    #[error("the agent does not have the tool `{tool}`; it was built with others")]
    NoSuchTool {
        /// The tool's name.
        tool: String,
    },
    /// It ended without being completed, or waits for a person.
    #[error("the run was not completed: {ending}")]
    Incomplete {
        /// How it ended, as a report prints it.
        ending: String,
    },
    /// The run was polled again after it had panicked.
    #[error("the run panicked while it was polled, and cannot go on; start it again")]
    Lost,
}

fn turns_listed(live: &[u64]) -> String {
    let numbers: Vec<String> = live.iter().map(u64::to_string).collect();
    match &*numbers {
        [] => "none at all; use 0 to name what stands before the first one".to_owned(),
        numbers => format!("the turns {}, and 0 names what stands before the first one", numbers.join(", ")),
    }
}

fn place_to_branch_off(at: u64, before: Option<u64>, behind: Option<u64>) -> String {
    let nearest = match (before, behind) {
        (None, None) => return "yet; wait until a step of it is settled".to_owned(),
        (Some(nearest), None) | (None, Some(nearest)) => nearest.to_string(),
        (Some(before), Some(behind)) => format!("{before} or {behind}"),
    };
    format!("behind {at} records, in the middle of something; the nearest place is behind {nearest}")
}

fn place_in_body(message: Option<usize>, byte: Option<usize>) -> String {
    match (message, byte) {
        (Some(message), Some(byte)) => format!(", from byte {byte} on, in message {message}"),
        (_, Some(byte)) => format!(", from byte {byte} on"),
        (_, None) => String::new(),
    }
}

/// The reason why a model gave no reply.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{class}: {message}")]
pub struct ModelError {
    class: ModelErrorClass,
    message: String,
    retry_after: Option<Duration>,
}

/// The class of a model's failure, which decides whether the model is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelErrorClass {
    /// The connection failed.
    #[error("transport")]
    Transport,
    /// No answer in time.
    #[error("timeout")]
    Timeout,
    /// Too many requests.
    #[error("rate limited")]
    RateLimited,
    /// The provider has no capacity.
    #[error("overloaded")]
    Overloaded,
    /// The provider failed.
    #[error("server")]
    Server,
    /// The answer cannot be read.
    #[error("protocol")]
    Protocol,
    /// The reply has neither a call nor any text.
    #[error("empty")]
    Empty,
    /// The provider refused the content.
    #[error("content refused")]
    ContentRefused,
    /// The prompt is too long for the model.
    #[error("context too long")]
    ContextTooLong,
    /// The request is wrong.
    #[error("bad request")]
    BadRequest,
    /// The key is wrong or missing, or its account may not ask.
    #[error("authorisation")]
    Authorisation,
}

impl ModelErrorClass {
    /// Whether asking again makes no sense: the run ends.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::ContextTooLong | Self::BadRequest | Self::Authorisation)
    }
}

impl ModelError {
    /// Makes an error.
    #[must_use]
    pub fn new(class: ModelErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), retry_after: None }
    }

    /// Adds the provider's advice: how long to wait before asking again.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Returns the class.
    #[must_use]
    pub fn class(&self) -> ModelErrorClass {
        self.class
    }

    /// Returns what the model's side said.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns how long to wait before asking again, if the provider gave advice.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}
