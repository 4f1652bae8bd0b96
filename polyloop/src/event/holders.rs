//! Which records hold the texts of an item.

use std::collections::{BTreeMap, BTreeSet};

use super::events::Event;
use super::outcome::Verdict;
use super::parts::CallId;
use super::redaction::Written;
use crate::error::JournalError;
use crate::journal::Record;
use crate::message::ItemId;

/// Which records hold the texts of which item.
#[derive(Default)]
pub(crate) struct Holders {
    records: BTreeMap<ItemId, BTreeSet<u64>>,
    /// The compactions that repeat arguments or results of an item, or of what a summary was made of.
    repeats: BTreeMap<ItemId, BTreeSet<u64>>,
    /// The item of each record that holds part of a reply: it is removed with the whole reply.
    replies: BTreeMap<u64, ItemId>,
    /// The item whose text stands in another one as well.
    copies: BTreeMap<ItemId, ItemId>,
    /// Each summary, with what it replaced.
    summaries: Vec<(ItemId, Vec<ItemId>)>,
    /// The reply of each call that has no outcome.
    open: BTreeMap<CallId, ItemId>,
    /// The last reply that nothing was made of yet.
    replied: Option<u64>,
    /// The reply of each call, with its intent, consent and verdict.
    calls: BTreeMap<CallId, (ItemId, Vec<u64>)>,
    notes: BTreeMap<u64, u64>,
}

impl Holders {
    /// Reads a session.
    pub(crate) fn of(records: &[Record]) -> Result<Self, JournalError> {
        let mut holders = Self::default();
        for record in records {
            if let Some(written) = Written::read(record)? {
                holders.take(record.seq, &written);
            }
        }
        Ok(holders)
    }

    /// Returns the records that hold the texts of an item; `None` where the session recorded no such text.
    pub(crate) fn of_item(&self, item: ItemId) -> Option<&BTreeSet<u64>> {
        let item = self.copies.get(&item).copied().unwrap_or(item);
        self.records.get(&item)
    }

    /// Returns the compactions that repeat arguments or results of these items.
    pub(crate) fn repeating<'a>(
        &'a self,
        items: impl Iterator<Item = &'a ItemId> + 'a,
    ) -> impl Iterator<Item = u64> + 'a {
        items.filter_map(|item| self.repeats.get(item)).flatten().copied()
    }

    /// Returns the item that is recorded by its own record, and not as a copy of another one.
    pub(crate) fn original(&self, item: ItemId) -> ItemId {
        self.copies.get(&item).copied().unwrap_or(item)
    }

    /// Returns the reply of which a record holds a part.
    pub(crate) fn reply_in(&self, seq: u64) -> Option<ItemId> {
        self.replies.get(&seq).copied()
    }

    /// Returns `true` where calls of a reply have no outcome.
    pub(crate) fn is_open(&self, item: ItemId) -> bool {
        self.open.values().any(|open| *open == item)
    }

    /// Returns `true` for a reply of which nothing was made yet.
    pub(crate) fn is_undecided(&self, seq: u64) -> bool {
        self.replied == Some(seq)
    }

    /// Returns the summaries that were made of one of these items, or of such a summary.
    pub(crate) fn summaries_of<'a>(&self, items: impl Iterator<Item = &'a ItemId>) -> BTreeSet<ItemId> {
        let mut reached: BTreeSet<ItemId> = items.copied().collect();
        let mut found = BTreeSet::new();
        for (summary, replaced) in &self.summaries {
            if replaced.iter().any(|item| reached.contains(&self.original(*item))) && reached.insert(*summary)
            {
                found.insert(*summary);
            }
        }
        found
    }

    fn hold(&mut self, item: ItemId, seqs: impl IntoIterator<Item = u64>) {
        self.records.entry(item).or_default().extend(seqs);
    }

    fn take(&mut self, seq: u64, written: &Written) {
        match written {
            Written::Fragment(written) => self.hold(written.item, [seq]),
            Written::Note(written) => drop(self.notes.insert(written.note.0, seq)),
            Written::Import(history) => {
                for imported in &history.items {
                    self.hold(imported.item, [seq]);
                }
            }
            Written::Other(event) => self.take_event(seq, event),
        }
    }

    fn take_event(&mut self, seq: u64, event: &Event) {
        match event {
            Event::InputRecorded { item, .. } => self.hold(*item, [seq]),
            Event::NoteTaken { note, item } => {
                if let Some(queued) = self.notes.remove(&note.0) {
                    self.hold(*item, [queued]);
                }
            }
            Event::ModelReplied { .. } => self.replied = Some(seq),
            Event::PromptSealed { .. } | Event::RunStarted { .. } | Event::RunEnded { .. } => {
                self.replied = None;
                if matches!(event, Event::RunStarted { .. } | Event::RunEnded { .. }) {
                    self.open.clear();
                }
            }
            Event::CompactionAbandoned { .. } => self.replied = None,
            Event::CompactionApplied { summary, replaced, restated, effects, shortened, .. } => {
                let replied = self.replied.take();
                // What is restated may itself be a statement that was restated before.
                let copies = restated.iter().map(|(item, of)| (*item, self.original(*of)));
                self.copies.extend(copies.collect::<Vec<_>>());
                if let Some((item, _)) = summary {
                    self.hold(*item, [seq].into_iter().chain(replied));
                    self.replies.extend(replied.map(|seq| (seq, *item)));
                    self.summaries.push((*item, replaced.clone()));
                }
                let repeated = replaced.iter().filter(|_| !effects.is_empty());
                for item in repeated.chain(shortened.iter().map(|(item, _)| item)) {
                    self.repeats.entry(self.original(*item)).or_default().insert(seq);
                }
            }
            Event::Decided { item, calls, explanation, .. } => {
                let seqs: Vec<u64> = self.replied.take().into_iter().chain([seq]).collect();
                self.replies.extend(seqs.iter().map(|seq| (*seq, *item)));
                self.hold(*item, seqs);
                self.copies.extend(explanation.map(|explanation| (explanation, *item)));
                for call in calls {
                    self.open.insert(call.id().clone(), *item);
                    self.calls.insert(call.id().clone(), (*item, Vec::new()));
                }
            }
            Event::ApprovalAsked { call, .. }
            | Event::CallStarted { call, .. }
            | Event::ApprovalGiven { call, .. } => {
                self.part_of_reply(seq, call);
            }
            Event::CallVerified { call, verdict: Verdict::Happened(_) } => {
                if let Some((_, verdicts)) = self.calls.get_mut(call) {
                    verdicts.push(seq);
                }
            }
            Event::CallSettled { item, call, .. } => {
                self.open.remove(call);
                let verdicts = self.calls.get(call).map(|(_, verdicts)| verdicts.clone()).unwrap_or_default();
                self.hold(*item, verdicts.into_iter().chain([seq]));
            }
            _ => {}
        }
    }

    fn part_of_reply(&mut self, seq: u64, call: &CallId) {
        if let Some((item, _)) = self.calls.get(call) {
            let item = *item;
            self.replies.insert(seq, item);
            self.hold(item, [seq]);
        }
    }
}
