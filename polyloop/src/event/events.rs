//! The events of a session. They are the one source of truth: everything else is folded from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::decision::Decision;
use super::outcome::{ActionOutcome, Verdict};
use super::parts::{Call, CallId, Ending, UserInput};
use super::reply::Reply;
use crate::error::ModelError;
use crate::fragment::{FragmentSpec, Rendered};
use crate::journal::SessionId;
use crate::message::ItemId;
use crate::tool::Replay;

/// Is one thing that happened. What a variant holds is the payload of its record; a change of it is a new version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Event {
    SessionOpened {
        /// The version of the library.
        library: String,
        /// The registry's fingerprint.
        registry: String,
    },
    LeaseTaken {},
    RunStarted {
        definition: Definitions,
    },
    RunResumed {
        definition: Definitions,
        changed: Vec<String>,
    },
    RunSuspended {
        ending: Ending,
    },
    /// Hidden tools are shown from now on.
    ToolsEnabled {
        tools: Vec<String>,
    },
    /// What stands beside the messages of a request, where it is not what it was.
    HeaderChanged {
        header: Header,
    },
    // Its description is found in a registry, so reading it back takes one.
    #[serde(skip_deserializing)]
    FragmentRecorded {
        item: ItemId,
        fragment: RecordedFragment,
    },
    InputRecorded {
        item: ItemId,
        input: UserInput,
        forged_marker: bool,
    },
    /// A prompt was over the budget; it was not sent.
    PromptRefused {
        chars: usize,
        limit: usize,
    },
    PromptSealed {
        seal: Seal,
    },
    ModelReplied {
        reply: Arc<Reply>,
    },
    ModelFailed {
        error: ModelError,
        /// None where the model is asked again within the step.
        closing: Option<Closing>,
    },
    /// A request was on its way when the process ended: nobody knows what it cost.
    ModelAbandoned {},
    Decided {
        item: ItemId,
        decision: Decision,
        calls: Vec<Call>,
        native: bool,
        explanation: Option<ItemId>,
        /// What read the reply, with its version.
        interpreter: String,
    },
    ApprovalAsked {
        call: CallId,
    },
    ApprovalGiven {
        call: CallId,
    },
    CallStarted {
        call: CallId,
        intent: Intent,
    },
    /// What somebody who can look says of a call that nobody knew the outcome of.
    CallVerified {
        call: CallId,
        verdict: Verdict,
    },
    CallSettled {
        item: ItemId,
        call: CallId,
        settled: Settled,
    },
    /// A step is over: what was measured, and everything that could end the run here.
    StopChecked {
        measured: Measured,
        matches: Vec<Ending>,
    },
    /// How long the run was active since the last such event.
    ClockMarked {
        millis: u64,
    },
    /// A note for whoever reads the journal; no model ever sees it.
    RemarkRecorded {
        text: String,
    },
    UnknownAcknowledged {},
    CancelRequested {
        /// Whether what is under way is dropped.
        now: bool,
    },
    RunEnded {
        ending: Ending,
    },
    RunFaulted {
        message: String,
    },
}

/// The parts of a definition, each with what stands for it: a hash, or a name.
pub(crate) type Definitions = BTreeMap<String, String>;

/// A fragment as recorded.
#[derive(Clone, Debug)]
pub(crate) struct RecordedFragment {
    pub(crate) spec: &'static FragmentSpec,
    pub(crate) rendered: Arc<Rendered>,
}

/// A fragment as a journal holds it: with the kind in place of the description.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenFragment<K, T> {
    pub(super) kind: K,
    pub(super) rendered: T,
}

impl Serialize for RecordedFragment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenFragment { kind: self.spec.kind, rendered: &*self.rendered }.serialize(serializer)
    }
}

/// What is about to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// The step, counted from 1.
    pub(crate) step: usize,
    /// Which request of the step this is, counted from 1.
    pub(crate) attempt: u32,
    /// The size of all messages, in characters.
    pub(crate) chars: usize,
    /// How many of these stood in the request before.
    pub(crate) shared_chars: usize,
    /// The hash of all messages, as hexadecimal digits.
    pub(crate) messages: String,
    /// The hash of the request's body, as hexadecimal digits; none where a model takes the prompt as it is.
    pub(crate) wire: Option<String>,
}

/// What stands beside the messages of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Who makes the body, the model's name and its parameters.
    pub(crate) model: String,
    /// The native tools, as JSON text.
    pub(crate) tools: String,
}

/// What is measured when a step is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) steps: usize,
    pub(crate) actions: usize,
    pub(crate) environment_errors: usize,
    pub(crate) model_failures: usize,
    pub(crate) unknown_outcomes: usize,
    /// Milliseconds in which the run was active.
    pub(crate) active_millis: u64,
    /// The size of the last prompt, in characters.
    pub(crate) prompt_chars: usize,
}

/// What is about to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Intent {
    /// Which attempt this is, counted from 1.
    pub(crate) attempt: u32,
    /// Whether it may be done again if nobody knows what became of it.
    pub(crate) replay: Replay,
    /// The arguments, or the code.
    pub(crate) arguments: String,
    /// The hash of the tool's description; none for code.
    pub(crate) spec: Option<String>,
    /// Whether success completes the run.
    pub(crate) completes_run: bool,
    /// The session of the run that the call begins, where it begins one.
    pub(crate) child: Option<SessionId>,
}

/// What closes a step that the model failed: two fixed texts of the definition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Closing {
    pub(crate) reply: (ItemId, Arc<str>),
    pub(crate) observation: (ItemId, Arc<str>),
}

/// What became of a call, and what the model is told of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settled {
    pub(crate) outcome: ActionOutcome,
    /// What the model sees; none where it sees the observation as it is, which is so most of the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shown: Option<Arc<[Arc<str>]>>,
}

impl Settled {
    pub(crate) fn new(outcome: ActionOutcome, shown: Arc<[Arc<str>]>) -> Self {
        let differs = *shown != *outcome.observation.parts();
        Self { outcome, shown: differs.then_some(shown) }
    }

    /// What the model sees.
    pub(crate) fn shown(&self) -> Arc<[Arc<str>]> {
        self.shown.clone().unwrap_or_else(|| self.outcome.observation.parts().into())
    }
}
