//! The events of a session. They are the one source of truth: everything else is folded from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::context::{CompactionReason, ImportedItem, NoteEnd, NoteId, RecordedFragment};
use super::decision::Decision;
use super::input::UserInput;
use super::outcome::{ActionOutcome, Status, Verdict};
use super::parts::{Call, CallId, Ending};
use super::reply::Reply;
use crate::error::ModelError;
use crate::journal::{Fork, RedactedRecord, SessionId};
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
        /// Where it branched off, where it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fork: Option<Fork>,
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
        /// The item that it replaces at its place: in a fork an inherited one, else one that no request contained.
        #[serde(skip_serializing_if = "Option::is_none")]
        instead_of: Option<ItemId>,
    },
    /// A statement is removed: in a fork every inherited one of its kind, else one that no request contained.
    FragmentRetired {
        item: ItemId,
    },
    InputRecorded {
        item: ItemId,
        input: UserInput,
        /// What was typed, where that is not what is sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        typed: Option<UserInput>,
        forged_marker: bool,
    },
    /// A note waits for the next input.
    #[serde(skip_deserializing)]
    NoteQueued {
        note: NoteId,
        fragment: RecordedFragment,
        /// The time after which it is not stated any more, in milliseconds since 1970.
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<u64>,
    },
    /// A note is not stated, and waits no longer.
    NoteWithdrawn {
        note: NoteId,
        why: NoteEnd,
    },
    /// A note is told, and waits no longer.
    NoteTaken {
        note: NoteId,
        item: ItemId,
    },
    /// What another program recorded.
    #[serde(skip_deserializing)]
    HistoryImported {
        items: Vec<ImportedItem>,
    },
    /// The last turns are no longer part of what a model is shown.
    HistoryRolledBack {
        turns: u64,
        /// Whether sticky context that was recorded before the first input of the session stays.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        keeps_context: bool,
    },
    CompactionStarted {
        reason: CompactionReason,
        /// The first item that it does not reach: those of a turn that no model has seen.
        before: Option<ItemId>,
        /// What the model is asked for the summary; none where it is not asked.
        instruction: Option<(ItemId, Arc<str>)>,
    },
    CompactionApplied {
        replaced: Vec<ItemId>,
        summary: Option<(ItemId, Arc<str>)>,
        /// What is stated anew, each with the item that stated it last.
        restated: Vec<(ItemId, ItemId)>,
        /// The calls among what was replaced that took effect and may not be repeated, a line each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        effects: Vec<String>,
        /// Whether the summary holds a registered marker.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        forged_marker: bool,
        /// Observations that are shown shorter from here on, each with the texts that are shown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shortened: Vec<(ItemId, Arc<[Arc<str>]>)>,
        /// Whether the notes of the turn that is under way stay. Earlier versions dropped them, and their events
        /// yield the same prompts as before.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        keeps_present_notes: bool,
        /// The restated items that stand in the first part of the prompt, where their kind was stated first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        in_place: Vec<ItemId>,
        /// Whether restated items that follow the first part of the prompt directly are ordered together with it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        together: bool,
    },
    CompactionAbandoned {
        why: String,
        /// The size of the prompt that was to be compacted, in characters, where the strategy is not asked again
        /// before the prompt has grown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chars: Option<usize>,
    },
    /// A prompt was over the budget; it was not sent.
    PromptRefused {
        chars: usize,
        limit: usize,
        /// The size in bytes, where that is over the budget; `limit` is in bytes then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<usize>,
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
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        forged_marker: bool,
    },
    ApprovalAsked {
        call: CallId,
        /// The effective arguments to which a person is to agree; none where they are those that the model wrote.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Arc<str>>,
    },
    ApprovalGiven {
        call: CallId,
        /// Whether the same call needs no approval from now on.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        always: bool,
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
        /// The outcome of a call that arrived after the run had been taken over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        late: Option<Box<LateOutcome>>,
    },
    UnknownAcknowledged {},
    CancelRequested {
        /// Whether what is under way is dropped.
        now: bool,
    },
    RunEnded {
        ending: Ending,
        /// What the model is told of it: of a turn that was cancelled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<(ItemId, Arc<str>)>,
    },
    RunFaulted {
        message: String,
    },
    /// Texts were removed from records.
    RecordsRedacted {
        /// The session of the records; `None` for this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// The records, each with the hash of what is left of it.
        records: Vec<RedactedRecord>,
        /// Who had them redacted, as the host states it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// Why, as the host states it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// The parts of a definition, each with what stands for it: a hash, or a name.
pub(crate) type Definitions = BTreeMap<String, String>;

/// What is about to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// The step, counted from 1.
    pub(crate) step: usize,
    /// Which request of the step this is, counted from 1.
    pub(crate) attempt: u32,
    /// The size of all messages, in characters.
    pub(crate) chars: usize,
    /// For what the model is asked.
    #[serde(default, skip_serializing_if = "SealPurpose::is_step")]
    pub(crate) purpose: SealPurpose,
    /// How many of these stood in the request before.
    pub(crate) shared_chars: usize,
    /// The first item that did not stand there, where the request before is no prefix of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) broken_at: Option<ItemId>,
    /// The hash of all messages, as hexadecimal digits.
    pub(crate) messages: String,
    /// The hash of the request's body, as hexadecimal digits; none where a model takes the prompt as it is.
    pub(crate) wire: Option<String>,
}

/// For what a model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SealPurpose {
    /// A decision.
    #[default]
    Step,
    /// A summary of what compaction replaces.
    Summary,
}

impl SealPurpose {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls takes a reference")]
    fn is_step(&self) -> bool {
        *self == Self::Step
    }
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
    /// The effective arguments, as the handler takes them; or the code.
    pub(crate) arguments: String,
    /// The hash of the tool's description; none for code.
    pub(crate) spec: Option<Arc<str>>,
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

/// The outcome of a call that arrived after the run had been taken over. The run goes on without it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LateOutcome {
    pub(crate) call: CallId,
    /// The lease under which the call was begun.
    pub(crate) epoch: u64,
    pub(crate) outcome: ActionOutcome,
}

/// What became of a call, and what the model is told of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settled {
    pub(crate) outcome: ActionOutcome,
    /// What the model sees; none where it sees the observation as it is, which is so most of the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shown: Option<Arc<[Arc<str>]>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) forged_marker: bool,
    /// Whether the result is a receipt although the tool may be repeated: the handler asked for its idempotency key, or
    /// a verifier reported the outcome.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) receipt: bool,
}

impl Settled {
    pub(crate) fn new(outcome: ActionOutcome, shown: Arc<[Arc<str>]>) -> Self {
        let differs = *shown != *outcome.observation.parts();
        Self { outcome, shown: differs.then_some(shown), forged_marker: false, receipt: false }
    }

    /// Sets whether the result is a receipt.
    pub(crate) fn with_receipt(self, receipt: bool) -> Self {
        Self { receipt, ..self }
    }

    /// Whether what the model sees holds a registered marker.
    pub(crate) fn forging(self, forged_marker: bool) -> Self {
        Self { forged_marker, ..self }
    }

    /// How many characters of an executed call's result the model does not see.
    pub(crate) fn missing(&self) -> usize {
        let chars = |parts: &[Arc<str>]| parts.iter().map(|part| part.chars().count()).sum::<usize>();
        match &self.shown {
            Some(shown) if self.outcome.status == Status::Executed => {
                chars(self.outcome.observation.parts()).saturating_sub(chars(shown))
            }
            _ => 0,
        }
    }

    /// What the model sees.
    pub(crate) fn shown(&self) -> Arc<[Arc<str>]> {
        self.shown.clone().unwrap_or_else(|| self.outcome.observation.parts().into())
    }
}
