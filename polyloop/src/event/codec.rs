//! Events as records: the name of each kind, the version of its form, and the payload as JSON.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde::de::value::EnumAccessDeserializer;
use serde::{Deserialize, Serialize};

use super::context::{ImportedTurns, NoteId, WrittenFragment, WrittenImport, WrittenPart};
use super::events::Event;
use super::input::UserInput;
use super::outcome::Status;
use super::tagged::Tagged;
use crate::error::JournalError;
use crate::fragment::{FragmentSpec, Rendered};
use crate::journal::{ERASED, OPENED, REDACTED, REMARK, Record, tombstone};
use crate::message::{ItemId, Role};

/// The version of the records that are written. The payloads of version 1 have the same form.
pub(crate) const VERSION: u32 = 2;

/// What a model replied. What is taken of it stands in the decision, but for what only its provider can read.
const REPLIED: &str = "model.replied";
/// The member that holds that.
const STATE: &str = "\"provider_state\"";
/// What is about to be done. It is for whoever takes the run up again; no prompt is made of it.
const INTENT: &str = "action.intent";
// Kinds that hold fragments: reading them takes a registry.
const FRAGMENT: &str = Event::FRAGMENT;
const NOTE: &str = Event::NOTE;
const IMPORT: &str = Event::IMPORT;

/// Every kind with the variant that it stands for. Several kinds may share a form: what became of a call.
const KINDS: &[(&str, &str)] = &[
    (OPENED, "SessionOpened"),
    ("lease.taken", "LeaseTaken"),
    ("run.started", "RunStarted"),
    ("run.resumed", "RunResumed"),
    ("run.suspended", "RunSuspended"),
    ("tools.enabled", "ToolsEnabled"),
    ("header.changed", "HeaderChanged"),
    (FRAGMENT, "FragmentRecorded"),
    ("fragment.retired", "FragmentRetired"),
    ("input.recorded", "InputRecorded"),
    (NOTE, "NoteQueued"),
    ("note.taken", "NoteTaken"),
    ("note.withdrawn", "NoteWithdrawn"),
    (IMPORT, "HistoryImported"),
    ("history.rolled_back", "HistoryRolledBack"),
    ("compaction.started", "CompactionStarted"),
    ("compaction.applied", "CompactionApplied"),
    ("compaction.abandoned", "CompactionAbandoned"),
    ("prompt.refused", "PromptRefused"),
    ("prompt.sealed", "PromptSealed"),
    (REPLIED, "ModelReplied"),
    ("model.failed", "ModelFailed"),
    ("model.abandoned", "ModelAbandoned"),
    ("decision", "Decided"),
    ("approval.asked", "ApprovalAsked"),
    ("approval.given", "ApprovalGiven"),
    (INTENT, "CallStarted"),
    ("action.refused", "CallSettled"),
    ("action.outcome", "CallSettled"),
    ("action.unknown", "CallSettled"),
    ("action.verified", "CallVerified"),
    ("stop.checked", "StopChecked"),
    ("clock.marked", "ClockMarked"),
    (REMARK, "RemarkRecorded"),
    ("unknown.acknowledged", "UnknownAcknowledged"),
    ("cancel.requested", "CancelRequested"),
    ("run.ended", "RunEnded"),
    ("run.faulted", "RunFaulted"),
    (REDACTED, "RecordsRedacted"),
];

/// A fragment's record.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenItem {
    pub(super) item: ItemId,
    pub(super) fragment: WrittenFragment<String, Rendered>,
    pub(super) instead_of: Option<ItemId>,
}

/// A note's record.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenNote {
    pub(super) note: NoteId,
    pub(super) fragment: WrittenFragment<String, Rendered>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<u64>,
}

/// The record of what was imported.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenHistory {
    pub(super) items: Vec<WrittenImport>,
}

impl Event {
    pub(super) const FRAGMENT: &str = "fragment.recorded";
    pub(super) const NOTE: &str = "note.queued";
    pub(super) const IMPORT: &str = "history.imported";

    /// The name of what happened.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::SessionOpened { .. } => OPENED,
            Self::LeaseTaken {} => "lease.taken",
            Self::RunStarted { .. } => "run.started",
            Self::RunResumed { .. } => "run.resumed",
            Self::RunSuspended { .. } => "run.suspended",
            Self::ToolsEnabled { .. } => "tools.enabled",
            Self::HeaderChanged { .. } => "header.changed",
            Self::FragmentRecorded { .. } => FRAGMENT,
            Self::FragmentRetired { .. } => "fragment.retired",
            Self::InputRecorded { .. } => "input.recorded",
            Self::NoteQueued { .. } => NOTE,
            Self::NoteTaken { .. } => "note.taken",
            Self::NoteWithdrawn { .. } => "note.withdrawn",
            Self::HistoryImported { .. } => IMPORT,
            Self::HistoryRolledBack { .. } => "history.rolled_back",
            Self::CompactionStarted { .. } => "compaction.started",
            Self::CompactionApplied { .. } => "compaction.applied",
            Self::CompactionAbandoned { .. } => "compaction.abandoned",
            Self::PromptRefused { .. } => "prompt.refused",
            Self::PromptSealed { .. } => "prompt.sealed",
            Self::ModelReplied { .. } => REPLIED,
            Self::ModelFailed { .. } => "model.failed",
            Self::ModelAbandoned {} => "model.abandoned",
            Self::Decided { .. } => "decision",
            Self::ApprovalAsked { .. } => "approval.asked",
            Self::ApprovalGiven { .. } => "approval.given",
            Self::CallStarted { .. } => INTENT,
            Self::CallSettled { settled, .. } => match settled.outcome.status {
                Status::NotExecuted => "action.refused",
                Status::Unknown => "action.unknown",
                Status::Executed | Status::EnvironmentError => "action.outcome",
            },
            Self::CallVerified { .. } => "action.verified",
            Self::StopChecked { .. } => "stop.checked",
            Self::ClockMarked { .. } => "clock.marked",
            Self::RemarkRecorded { .. } => REMARK,
            Self::UnknownAcknowledged {} => "unknown.acknowledged",
            Self::CancelRequested { .. } => "cancel.requested",
            Self::RunEnded { .. } => "run.ended",
            Self::RunFaulted { .. } => "run.faulted",
            Self::RecordsRedacted { .. } => REDACTED,
        }
    }

    /// The payload, as JSON text.
    pub(crate) fn payload(&self) -> Result<Arc<str>, JournalError> {
        let failed = |error: serde_json::Error| JournalError::Store { message: error.to_string() };
        let tagged = serde_json::to_string(self).map_err(failed)?;
        // `{"Variant":payload}`: the kind stands for the variant.
        let payload = tagged.split_once(':').and_then(|(_, rest)| rest.strip_suffix('}'));
        Ok(payload.unwrap_or("{}").into())
    }

    /// Whether a record is the outcome of a call that arrived after the run had been taken over.
    pub(crate) fn is_late_outcome(record: &Record) -> bool {
        #[derive(Deserialize)]
        struct Remark {
            late: Option<IgnoredAny>,
        }
        let read = || serde_json::from_str::<Remark>(&record.payload).ok();
        record.kind == REMARK && read().is_some_and(|remark| remark.late.is_some())
    }

    /// Whether a record may say something of which a prompt is made.
    pub(crate) fn may_be_shown(record: &Record) -> bool {
        match &*record.kind {
            INTENT => false,
            REPLIED => record.payload.contains(STATE),
            _ => true,
        }
    }

    /// Reads with which words each turn of an imported history begins; none in records of other kinds. It takes no registry.
    pub(crate) fn imported_turns(record: &Record) -> Result<Vec<UserInput>, JournalError> {
        if record.kind != IMPORT {
            return Ok(Vec::new());
        }
        let unreadable = |reason| unreadable(record, reason);
        let WrittenHistory { items } = parsed(tombstone::event(&record.payload), unreadable)?;
        let mut turns = ImportedTurns::default();
        let first_words = items.into_iter().filter_map(|WrittenImport { part, joined, .. }| {
            let words = if let WrittenPart::Input { input, .. } = part { Some(input) } else { None };
            let begins = turns.begins(words.is_some(), joined);
            words.filter(|_| begins)
        });
        Ok(first_words.collect())
    }

    /// Reads a record back; none where it may be passed over. `find` knows the fragments of a registry, or tells
    /// which there are.
    pub(crate) fn read(
        record: &Record,
        find: impl Fn(&str, Option<Role>) -> Result<&'static FragmentSpec, Vec<String>>,
    ) -> Result<Option<Self>, JournalError> {
        let unreadable = |reason| unreadable(record, reason);
        if record.kind == ERASED {
            return Err(JournalError::Erased { session: record.session.to_string() });
        }
        // A tombstone holds what is left of the event.
        let payload = tombstone::event(&record.payload);
        let known = KINDS.iter().find(|(kind, _)| *kind == record.kind);
        let Some((_, variant)) = known.filter(|_| record.v <= VERSION) else {
            if record.ignorable {
                return Ok(None);
            }
            return Err(unreadable(match known {
                None => "this version of the library does not know the kind; use a newer one".to_owned(),
                Some(_) => format!(
                    "its version is {}, and {VERSION} is the last known; use a newer library",
                    record.v
                ),
            }));
        };
        let find = |kind: &str, role: Option<Role>| {
            find(kind, role).map_err(|known| JournalError::UnknownFragment {
                seq: record.seq,
                kind: kind.to_owned(),
                known,
            })
        };
        match &*record.kind {
            FRAGMENT => {
                let WrittenItem { item, fragment, instead_of } = parsed(payload, unreadable)?;
                let spec = find(&fragment.kind, fragment.role)?;
                let fragment = fragment.known_as(spec);
                Ok(Some(Self::FragmentRecorded { item, fragment, instead_of }))
            }
            NOTE => {
                let WrittenNote { note, fragment, until } = parsed(payload, unreadable)?;
                let spec = find(&fragment.kind, fragment.role)?;
                let fragment = fragment.known_as(spec);
                Ok(Some(Self::NoteQueued { note, fragment, until }))
            }
            IMPORT => {
                let WrittenHistory { items } = parsed(payload, unreadable)?;
                let items = items.into_iter().map(|written| written.known_by(find));
                Ok(Some(Self::HistoryImported { items: items.collect::<Result<_, _>>()? }))
            }
            _ => {
                let tagged = Tagged { variant, payload };
                let event = Self::deserialize(EnumAccessDeserializer::new(tagged));
                event.map(Some).map_err(|error| unreadable(error.to_string()))
            }
        }
    }
}

/// The error for a record whose payload cannot be read.
pub(super) fn unreadable(record: &Record, reason: String) -> JournalError {
    JournalError::Unreadable { seq: record.seq, kind: record.kind.to_string(), reason }
}

pub(super) fn parsed<'a, T: Deserialize<'a>>(
    payload: &'a str,
    unreadable: impl Fn(String) -> JournalError,
) -> Result<T, JournalError> {
    serde_json::from_str(payload).map_err(|error| unreadable(error.to_string()))
}
