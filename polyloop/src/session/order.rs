//! Which events can follow which. A journal in which they stand otherwise was not written by a run.

use std::collections::BTreeSet;

use super::Session;
use crate::event::{Call, CallId, Event, ImportedItem, ImportedPart};
use crate::message::ItemId;
use crate::registry::Registry;

impl<R: Registry> Session<R> {
    /// Whether an event can stand here; else what it does wrong. Behind events that all can, no prompt is ever sealed
    /// in which a call lacks its result.
    pub(crate) fn admits(&self, event: &Event) -> Result<(), &'static str> {
        let mut last = self.next_item;
        for item in new_items(event) {
            if item.0 <= last {
                return Err("gives an item the id of another one");
            }
            last = item.0;
        }
        match event {
            Event::PromptSealed { .. } if self.ledger.has_open_calls() => {
                Err("seals a prompt between a call and its result")
            }
            Event::Decided { .. } if self.ledger.has_open_calls() => {
                Err("is a decision between a call and its result")
            }
            Event::FragmentRecorded { fragment, instead_of: Some(old), .. }
                if !self.ledger.may_be_replaced(fragment.spec, *old) =>
            {
                Err("replaces a statement that was not inherited and that a request contained")
            }
            Event::FragmentRetired { item }
                if !self
                    .ledger
                    .type_of(*item)
                    .is_some_and(|spec| self.ledger.may_be_replaced(spec, *item)) =>
            {
                Err("removes a statement that was not inherited and that a request contained")
            }
            Event::HistoryRolledBack { turns, .. }
                if *turns == 0 || *turns > self.ledger.turns().len() as u64 =>
            {
                Err("rolls back turns that are not there")
            }
            Event::NoteQueued { note, .. } if note.0 <= self.next_note => {
                Err("gives a note the id of another one")
            }
            Event::NoteTaken { note, .. } | Event::NoteWithdrawn { note, .. }
                if !self.ledger.notes().any(|(waits, _)| waits == *note) =>
            {
                Err("takes a note that does not wait")
            }
            Event::SessionOpened { fork: Some(_), .. }
            | Event::CompactionStarted { .. }
            | Event::CompactionApplied { .. }
            | Event::HistoryRolledBack { .. }
            | Event::HistoryImported { .. }
                if !self.ledger.is_between_steps() =>
            {
                Err("changes what stands in the middle of a step")
            }
            Event::HistoryImported { items } => self.may_import(items),
            Event::CompactionApplied { .. } if self.ledger.compacting().is_none() => {
                Err("is a compaction that nobody began")
            }
            Event::CompactionApplied { restated, in_place, .. }
                if !in_place.iter().all(|item| restated.iter().any(|(restated, _)| restated == item)) =>
            {
                Err("states in its place what it does not restate")
            }
            Event::CompactionApplied { replaced, .. } if !self.ledger.may_replace(replaced) => {
                Err("parts a call from its result")
            }
            Event::Decided { .. } if !self.ledger.is_asked() => Err("is a decision on no request"),
            Event::Decided { calls, .. }
                if calls.iter().map(Call::id).cloned().ne(self.new_calls().take(calls.len())) =>
            {
                Err("gives a call the id of another one")
            }
            _ => Ok(()),
        }
    }
}

impl<R: Registry> Session<R> {
    /// Whether every call of a foreign history is answered directly behind it, under an id of this session.
    fn may_import(&self, items: &[ImportedItem]) -> Result<(), &'static str> {
        let mut ids = self.new_calls();
        let mut open: BTreeSet<&CallId> = BTreeSet::new();
        for imported in items {
            match &imported.part {
                ImportedPart::Result { call, .. } if open.remove(call) => {}
                ImportedPart::Result { .. } => return Err("holds a result of no call in front of it"),
                _ if !open.is_empty() => return Err("parts a call from its result"),
                ImportedPart::Reply { calls, .. } => {
                    if !calls.iter().all(|call| ids.next().as_ref() == Some(call.id())) {
                        return Err("gives a call the id of another one");
                    }
                    open.extend(calls.iter().map(Call::id));
                }
                ImportedPart::Fragment(_) | ImportedPart::Input { .. } | ImportedPart::Text { .. } => {}
            }
        }
        if open.is_empty() { Ok(()) } else { Err("parts a call from its result") }
    }
}

/// The items that an event adds, in the order in which they got their ids.
pub(crate) fn new_items(event: &Event) -> Vec<ItemId> {
    match event {
        Event::FragmentRecorded { item, .. }
        | Event::InputRecorded { item, .. }
        | Event::NoteTaken { item, .. }
        | Event::CompactionStarted { instruction: Some((item, _)), .. }
        | Event::RunEnded { told: Some((item, _)), .. }
        | Event::CallSettled { item, .. } => vec![*item],
        Event::Decided { item, explanation, .. } => [*item].into_iter().chain(*explanation).collect(),
        Event::ModelFailed { closing: Some(closing), .. } => vec![closing.reply.0, closing.observation.0],
        Event::HistoryImported { items } => items.iter().map(|imported| imported.item).collect(),
        Event::CompactionApplied { summary, restated, .. } => {
            let summary = summary.iter().map(|(item, _)| *item);
            summary.chain(restated.iter().map(|(item, _)| *item)).collect()
        }
        _ => Vec::new(),
    }
}
