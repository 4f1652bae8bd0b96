//! Events without their texts.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::codec::{WrittenHistory, WrittenItem, WrittenNote, parsed, unreadable};
use super::context::{WrittenFragment, WrittenImport, WrittenPart};
use super::decision::{Action, Decision};
use super::events::{Event, Intent, LateOutcome, Settled};
use super::outcome::Verdict;
use super::parts::{Call, CallId, Ending};
use super::reply::Reply;
use crate::error::{JournalError, ModelError};
use crate::fragment::Rendered;
use crate::journal::{Record, tombstone};
use crate::message::ItemId;

/// The text in the place of one that was removed.
pub(crate) const REDACTED: &str = "[redacted]";
/// The arguments in the place of those that were removed.
const ARGUMENTS: &str = r#"{"redacted":true}"#;
/// The characters of an effect by which a line of a summary is found that states it.
const BEGINNING: usize = 16;

/// The payload of a record, read without a registry.
pub(super) enum Written {
    Fragment(WrittenItem),
    Note(WrittenNote),
    Import(WrittenHistory),
    Other(Event),
}

impl Written {
    /// Reads a record; `None` for one that a reader may skip.
    pub(super) fn read(record: &Record) -> Result<Option<Self>, JournalError> {
        let payload = tombstone::event(&record.payload);
        let failed = |reason| unreadable(record, reason);
        Ok(Some(match &*record.kind {
            Event::FRAGMENT => Self::Fragment(parsed(payload, failed)?),
            Event::NOTE => Self::Note(parsed(payload, failed)?),
            Event::IMPORT => Self::Import(parsed(payload, failed)?),
            _ => match Event::read(record, |_, _| Err(Vec::new()))? {
                Some(event) => Self::Other(event),
                None => return Ok(None),
            },
        }))
    }
}

/// Which texts of a record are removed.
pub(crate) enum Extent<'a> {
    /// All of them.
    Whole,
    /// Those of these items.
    Items {
        items: &'a BTreeSet<ItemId>,
        /// The summaries that were made of them.
        summaries: &'a BTreeSet<ItemId>,
    },
}

impl Extent<'_> {
    fn covers(&self, item: ItemId) -> bool {
        match self {
            Self::Whole => true,
            Self::Items { items, .. } => items.contains(&item),
        }
    }

    /// Whether the effects of what a compaction replaced are among the texts.
    fn reaches(&self, item: ItemId) -> bool {
        match self {
            Self::Whole => true,
            Self::Items { items, summaries } => items.contains(&item) || summaries.contains(&item),
        }
    }
}

/// Returns the payload of a record without its texts; `None` where it holds no text.
pub(crate) fn without_texts(record: &Record, extent: &Extent<'_>) -> Result<Option<Arc<str>>, JournalError> {
    let failed = |error: serde_json::Error| JournalError::Store { message: error.to_string() };
    let payload: Arc<str> = match Written::read(record)? {
        None => return Ok(None),
        Some(Written::Fragment(written)) => {
            let fragment = fragment(written.fragment);
            serde_json::to_string(&WrittenItem { fragment, ..written }).map_err(failed)?.into()
        }
        Some(Written::Note(written)) => {
            let fragment = fragment(written.fragment);
            serde_json::to_string(&WrittenNote { fragment, ..written }).map_err(failed)?.into()
        }
        Some(Written::Import(WrittenHistory { items })) => {
            let items =
                items.into_iter().map(|item| if extent.covers(item.item) { imported(item) } else { item });
            serde_json::to_string(&WrittenHistory { items: items.collect() }).map_err(failed)?.into()
        }
        Some(Written::Other(event)) => match event_without_texts(event, extent) {
            Some(event) => event.payload()?,
            None => return Ok(None),
        },
    };
    Ok(Some(payload))
}

/// A fact that was removed counts as one that the model is not told: it is stated again when a host next states it.
fn fragment(written: WrittenFragment<String, Rendered>) -> WrittenFragment<String, Rendered> {
    let rendered = Rendered::imported(REDACTED, written.rendered.channel().map(str::to_owned));
    WrittenFragment { kind: written.kind, rendered, full: None, retracts: true, role: written.role }
}

fn imported(written: WrittenImport) -> WrittenImport {
    let part = match written.part {
        WrittenPart::Fragment(written) => WrittenPart::Fragment(Box::new(fragment(*written))),
        WrittenPart::Input { .. } => WrittenPart::Input { input: REDACTED.into(), forged_marker: false },
        WrittenPart::Text { role, .. } => {
            WrittenPart::Text { role, text: REDACTED.into(), forged_marker: false }
        }
        WrittenPart::Reply { calls, .. } => {
            let calls = calls.iter().map(call).collect();
            WrittenPart::Reply { text: REDACTED.into(), calls, forged_marker: false }
        }
        WrittenPart::Result { call, tool, .. } => WrittenPart::Result {
            call,
            tool,
            parts: [REDACTED.into()].into(),
            shown: None,
            forged_marker: false,
        },
    };
    WrittenImport { part, ..written }
}

fn call(call: &Call) -> Call {
    let action = match call.action() {
        Action::Tool { name, .. } => Action::tool(name, ARGUMENTS),
        Action::Code { language, .. } => {
            Action::Code { language: language.clone(), source: REDACTED.to_owned() }
        }
    };
    Call::new(call.id().clone(), action)
}

fn reply(reply: &Reply) -> Reply {
    let mut bare = Reply::text(if reply.as_text().is_empty() { "" } else { REDACTED });
    for call in reply.calls() {
        bare = bare.call_with_id(&call.id, &call.name, ARGUMENTS);
    }
    bare.finished(reply.finish()).used(reply.usage())
}

fn decision(decision: &Decision, calls: &[Call]) -> Decision {
    let history_text = if decision.history_text().is_empty() { "" } else { REDACTED }.to_owned();
    match decision {
        Decision::Act { .. } => {
            Decision::Act { history_text, actions: calls.iter().map(|call| call.action().clone()).collect() }
        }
        Decision::Final { .. } => Decision::Final { history_text, answer: REDACTED.to_owned() },
        Decision::Invalid { .. } => Decision::Invalid { history_text, explanation: REDACTED.to_owned() },
    }
}

fn settled(settled: Settled) -> Settled {
    let (mut outcome, receipt) = (settled.outcome, settled.receipt);
    outcome.observation = REDACTED.into();
    let mut bare = Settled::new(outcome, [REDACTED.into()].into());
    bare.receipt = receipt;
    bare
}

fn ending(ending: Ending) -> Ending {
    match ending {
        Ending::ModelFailure { .. } => Ending::ModelFailure { message: REDACTED.to_owned() },
        other => other,
    }
}

/// A summary without the lines that state effects; a line may hold the beginning of one.
fn without_effects(text: &str, effects: &[String]) -> String {
    let begins: Vec<String> = effects.iter().map(|effect| effect.chars().take(BEGINNING).collect()).collect();
    let line = |line| if begins.iter().any(|begin| str::contains(line, &**begin)) { REDACTED } else { line };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Every kind of event is named here: one that holds a text of a person, a model or a tool has to lose it.
fn event_without_texts(event: Event, extent: &Extent<'_>) -> Option<Event> {
    let removed = || REDACTED.to_owned();
    Some(match event {
        Event::InputRecorded { item, .. } => {
            Event::InputRecorded { item, input: REDACTED.into(), typed: None, forged_marker: false }
        }
        Event::CompactionStarted { reason, before, instruction } => {
            let instruction = instruction.map(|(item, _)| (item, REDACTED.into()));
            Event::CompactionStarted { reason, before, instruction }
        }
        Event::CompactionApplied {
            replaced,
            summary,
            restated,
            effects,
            forged_marker,
            shortened,
            keeps_present_notes,
            in_place,
            together,
        } => {
            let short =
                |(item, texts)| (item, if extent.covers(item) { [REDACTED.into()].into() } else { texts });
            let shortened = shortened.into_iter().map(short).collect();
            // An effect names the arguments of its call and what came of it, and is a line of the summary as well.
            let touched = replaced.iter().any(|item| extent.reaches(*item));
            let summary = summary.map(|(item, text)| {
                let text = if extent.covers(item) {
                    REDACTED.into()
                } else if touched {
                    without_effects(&text, &effects).into()
                } else {
                    text
                };
                (item, text)
            });
            let effect = |effect: String| if touched { removed() } else { effect };
            let effects = effects.into_iter().map(effect).collect();
            Event::CompactionApplied {
                replaced,
                summary,
                restated,
                effects,
                forged_marker,
                shortened,
                keeps_present_notes,
                in_place,
                together,
            }
        }
        Event::CompactionAbandoned { chars, .. } => Event::CompactionAbandoned { why: removed(), chars },
        Event::ModelReplied { reply: whole } => Event::ModelReplied { reply: Arc::new(reply(&whole)) },
        Event::ModelFailed { error, closing } => {
            // The texts that close a step are those of the definition.
            Event::ModelFailed { error: ModelError::new(error.class(), REDACTED), closing }
        }
        Event::Decided { item, decision: whole, calls, native, explanation, interpreter, .. } => {
            let calls: Vec<Call> = calls.iter().map(call).collect();
            let decision = decision(&whole, &calls);
            Event::Decided { item, decision, calls, native, explanation, interpreter, forged_marker: false }
        }
        Event::ApprovalAsked { call, arguments: Some(_) } => {
            Event::ApprovalAsked { call, arguments: Some(ARGUMENTS.into()) }
        }
        // Consent to a call whose arguments are gone must not become consent to another one.
        Event::ApprovalGiven { call, .. } => Event::ApprovalGiven { call, always: false },
        Event::CallStarted { call, intent } => {
            Event::CallStarted { call, intent: Intent { arguments: ARGUMENTS.to_owned(), ..intent } }
        }
        Event::CallVerified { call, verdict: Verdict::Happened(_) } => verified(call),
        Event::CallSettled { item, call, settled: whole } => {
            Event::CallSettled { item, call, settled: settled(whole) }
        }
        Event::StopChecked { measured, matches } => {
            Event::StopChecked { measured, matches: matches.into_iter().map(ending).collect() }
        }
        Event::RunSuspended { ending: whole } => Event::RunSuspended { ending: ending(whole) },
        Event::RunEnded { ending: whole, told } => Event::RunEnded { ending: ending(whole), told },
        Event::RunFaulted { .. } => Event::RunFaulted { message: removed() },
        Event::RemarkRecorded { late, .. } => remark(late),
        Event::SessionOpened { .. }
        | Event::LeaseTaken {}
        | Event::RunStarted { .. }
        | Event::RunResumed { .. }
        | Event::ToolsEnabled { .. }
        | Event::HeaderChanged { .. }
        | Event::FragmentRecorded { .. }
        | Event::FragmentRetired { .. }
        | Event::NoteQueued { .. }
        | Event::NoteWithdrawn { .. }
        | Event::NoteTaken { .. }
        | Event::HistoryImported { .. }
        | Event::HistoryRolledBack { .. }
        | Event::PromptRefused { .. }
        | Event::PromptSealed { .. }
        | Event::ModelAbandoned {}
        | Event::ApprovalAsked { .. }
        | Event::CallVerified { .. }
        | Event::ClockMarked { .. }
        | Event::UnknownAcknowledged {}
        | Event::CancelRequested { .. }
        | Event::RecordsRedacted { .. } => return None,
    })
}

fn verified(call: CallId) -> Event {
    Event::CallVerified { call, verdict: Verdict::Happened(REDACTED.into()) }
}

fn remark(late: Option<Box<LateOutcome>>) -> Event {
    let late = late.map(|mut late| {
        late.outcome.observation = REDACTED.into();
        late
    });
    Event::RemarkRecorded { text: REDACTED.to_owned(), late }
}
