//! Events folded into live items: what a model has been told, as typed values, in the order in which it stands.

mod compaction;
mod fork;
mod import;
mod item;
mod rollback;
mod statement;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use item::ItemContent;
pub use item::{Item, ItemKind, Statement};
pub(crate) use view::Part;

use view::View;

use crate::error::ModelErrorClass;
use crate::event::{
    Call, CallId, CallTable, Closing, Decision, Event, NoteId, RecordedFragment, Reply, ReplyCall, Settled,
};
use crate::fragment::{FragmentSpec, Lifetime, OnFork};
use crate::message::ItemId;

/// The live items of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    view: View,
    /// What stood before each compaction, the oldest first, with the turn in which it was replaced: a rollback finds it
    /// here, and a person is shown it.
    before: Vec<(u64, View)>,
    /// How many turns were begun: by runs, and by a person's words in an imported history.
    turn: u64,
    /// The turns that were not rolled back.
    turns: Vec<u64>,
    /// The turn in which the run began that is under way: an earlier one, where it goes on within a run of another session.
    began: Option<u64>,
    /// The latest live statement of each kind that has one. Nothing of it is stored: it follows from the items.
    latest: BTreeMap<&'static str, (ItemId, RecordedFragment)>,
    /// What waits for the next input, and until when, in milliseconds since 1970.
    notes: BTreeMap<NoteId, (RecordedFragment, Option<u64>)>,
    /// How often what stood was changed otherwise than by adding to it.
    breaks: u64,
    /// How often an item of the open part was replaced.
    revision: u64,
    /// Whether it branched off from another session, and no model has seen it since.
    branched: bool,
    /// The compaction that is under way.
    compaction: Option<Compacting>,
    /// The calls of the last reply, with their observations as these arrive.
    open: CallTable<(Call, Option<Item>)>,
    /// Whether these are native calls.
    open_native: bool,
    /// The turn of that reply.
    open_turn: u64,
    /// The last item that stood in a request.
    heard: Option<ItemId>,
    /// The last item that a request contained, one for a summary included, or that was imported.
    shown: Option<ItemId>,
    /// Whether a request is out: what the model answers to is what it was shown.
    asked: bool,
    /// The last reply, until it is decided what it means.
    replied: Option<Arc<Reply>>,
    /// What was recorded while a request was out or calls were open; it stands behind the reply and the results.
    waiting: Vec<Item>,
}

/// A compaction on its way.
#[derive(Clone, Debug)]
pub(crate) struct Compacting {
    /// The first item that it does not reach.
    pub(crate) before: Option<ItemId>,
    /// What the model is asked.
    pub(crate) instruction: Option<Item>,
}

impl Ledger {
    /// Returns the items, in the order in which they stand.
    pub(crate) fn items(&self) -> &[Item] {
        &self.view.items
    }

    /// The parts that are final.
    pub(crate) fn closed_parts(&self) -> &[Part] {
        &self.view.closed
    }

    /// The part that things are still added to.
    pub(crate) fn open_part(&self) -> Part {
        Part { end: self.view.items.len(), arranged: self.view.open_arranged }
    }

    /// How often what stood was changed otherwise than by adding to it: a projection begins anew then.
    pub(crate) fn breaks(&self) -> u64 {
        self.breaks
    }

    /// Returns how often an item of the open part was replaced: that part is projected again then.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether a request is out.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked
    }

    /// Returns `true` if the open calls are native calls: then each outcome is a message without a template.
    pub(crate) fn has_native_calls(&self) -> bool {
        self.open_native
    }

    /// Whether a call waits for its result.
    pub(crate) fn has_open_calls(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether a request is out or a call waits for its result.
    pub(crate) fn is_between_steps(&self) -> bool {
        self.open.is_empty() && !self.asked
    }

    /// The latest live statement of a kind, by its item: what a model was told of it last.
    pub(crate) fn latest(&self, kind: &str) -> Option<&(ItemId, RecordedFragment)> {
        self.latest.get(kind)
    }

    /// Whether a statement of this type takes the place of the one before.
    pub(crate) fn refreshes(&self, spec: &FragmentSpec) -> bool {
        self.branched && spec.on_fork == OnFork::Refresh
    }

    /// What waits for the next input, in the order in which it was queued.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (NoteId, &RecordedFragment)> {
        self.notes.iter().map(|(note, (fragment, _))| (*note, fragment))
    }

    /// Returns the waiting notes whose time passed at `now`, in milliseconds since 1970.
    pub(crate) fn expired_notes(&self, now: u64) -> impl Iterator<Item = NoteId> {
        let notes = self.notes.iter();
        notes.filter(move |(_, (_, until))| until.is_some_and(|until| until < now)).map(|(note, _)| *note)
    }

    /// The turn that is under way, or was last.
    pub(crate) fn turn(&self) -> u64 {
        self.turn
    }

    /// Whether an item belongs to the run that is under way.
    pub(crate) fn is_of_this_run(&self, item: &Item) -> bool {
        (self.began.unwrap_or(self.turn)..=self.turn).contains(&item.turn())
    }

    /// The first item of the present turn, as long as no model has seen anything of it.
    pub(crate) fn first_unseen(&self) -> Option<ItemId> {
        let of_this_turn = |item: &&Item| item.turn() == self.turn;
        let (seen, unseen) = self.items().split_at_checked(self.view.open_from())?;
        if seen.iter().rev().any(|item| of_this_turn(&item)) {
            return None;
        }
        unseen.iter().find(of_this_turn).map(Item::id)
    }

    /// Whether a person said something that stood in no request yet.
    pub(crate) fn has_unheard_words(&self) -> bool {
        let unheard = |item: &&Item| Some(item.id()) > self.heard;
        let mut words = self.unsent().iter().chain(&self.waiting).filter(unheard);
        words.any(|item| matches!(item.content(), ItemContent::Input { .. }))
    }

    /// The open part. Behind a compaction it has more than what is new.
    fn unsent(&self) -> &[Item] {
        self.items().get(self.view.open_from()..).unwrap_or_default()
    }

    /// The turns that were not rolled back.
    pub(crate) fn turns(&self) -> &[u64] {
        &self.turns
    }

    /// The compaction that is under way.
    pub(crate) fn compacting(&self) -> Option<&Compacting> {
        self.compaction.as_ref()
    }

    /// Takes what happened.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::SessionOpened { fork: Some(_), .. } => self.branched_off(),
            Event::FragmentRecorded { item, fragment, instead_of: Some(old) } => {
                if self.refreshes(fragment.spec) {
                    self.refreshed(*item, fragment, *old);
                } else {
                    self.replaced(*item, fragment, *old);
                }
            }
            Event::FragmentRetired { item } => self.retired(*item),
            Event::FragmentRecorded { item, fragment, instead_of: None } => {
                self.said(*item, fragment.clone());
            }
            Event::InputRecorded { item, input, typed, forged_marker } => {
                let content = ItemContent::Input { input: input.clone(), typed: typed.clone() };
                self.place(self.item(*item, content).forging(*forged_marker));
            }
            Event::NoteQueued { note, fragment, until } => {
                drop(self.notes.insert(*note, (fragment.clone(), *until)));
            }
            Event::NoteWithdrawn { note, .. } => drop(self.notes.remove(note)),
            Event::NoteTaken { note, item } => {
                if let Some((fragment, _)) = self.notes.remove(note) {
                    self.said(*item, fragment);
                }
            }
            Event::HistoryImported { items } => self.imported(items),
            Event::HistoryRolledBack { turns, keeps_context } => self.rolled_back(*turns, *keeps_context),
            Event::CompactionStarted { before, instruction, .. } => {
                let asks = |(id, text): &(ItemId, Arc<str>)| {
                    self.item(*id, ItemContent::Instruction { text: text.clone() })
                };
                self.compaction =
                    Some(Compacting { before: *before, instruction: instruction.as_ref().map(asks) });
            }
            Event::CompactionApplied { .. } => self.compacted(event),
            Event::CompactionAbandoned { .. } => self.compaction = None,
            // A request for a summary is about what stands, and adds nothing.
            Event::PromptSealed { .. } if self.compaction.is_some() => {
                let before = self.compaction.as_ref().and_then(|compacting| compacting.before);
                let shown = self.items().iter().map(Item::id).take_while(|item| Some(*item) != before);
                self.shown = shown.max().max(self.shown);
            }
            Event::PromptSealed { .. } => {
                self.shown = self.items().iter().map(Item::id).max().max(self.shown);
                self.heard = self.unsent().iter().map(Item::id).max().max(self.heard);
                self.view.close();
                self.branched = false;
                self.asked = true;
                // What a model replied to another request is not what it replies to this one.
                self.replied = None;
            }
            Event::ModelFailed { closing: Some(closing), .. } => self.failed(closing),
            // A compaction comes before the next request, so nothing is in the middle of a step.
            Event::ModelFailed { error, closing: None }
                if error.class() == ModelErrorClass::ContextTooLong =>
            {
                self.asked = false;
                self.close();
            }
            Event::ModelReplied { reply } => self.replied = Some(reply.clone()),
            Event::Decided { .. } => self.decided(event),
            Event::CallSettled { item, call, settled } => {
                self.settled(*item, call, settled);
            }
            // Of a request that nobody waits for any more, and of calls that a run left behind, nothing follows.
            Event::RunStarted { .. } => {
                self.asked = false;
                self.close();
                self.begin_turn();
                // What a run of another session was for, a run that branched off within it is for as well.
                self.began.get_or_insert(self.turn);
            }
            Event::RunEnded { told, .. } => {
                self.asked = false;
                self.began = None;
                self.close();
                if let Some((id, text)) = told {
                    self.place(self.item(*id, ItemContent::Cancelled { text: text.clone() }));
                }
            }
            Event::ModelFailed { closing: None, .. }
            | Event::SessionOpened { fork: None, .. }
            | Event::LeaseTaken {}
            | Event::RunResumed { .. }
            | Event::RunSuspended { .. }
            | Event::ToolsEnabled { .. }
            | Event::HeaderChanged { .. }
            | Event::PromptRefused { .. }
            | Event::CallVerified { .. }
            | Event::StopChecked { .. }
            | Event::ClockMarked { .. }
            | Event::ModelAbandoned {}
            | Event::ApprovalAsked { .. }
            | Event::ApprovalGiven { .. }
            | Event::CallStarted { .. }
            | Event::RemarkRecorded { .. }
            | Event::UnknownAcknowledged {}
            | Event::CancelRequested { .. }
            | Event::RunFaulted { .. }
            | Event::RecordsRedacted { .. } => {}
        }
    }

    /// Closes a step in which the model gave no reply.
    fn failed(&mut self, closing: &Closing) {
        self.asked = false;
        let (reply, text) = &closing.reply;
        self.place(self.item(*reply, ItemContent::Synthetic { reply: true, text: text.clone() }));
        let (observation, text) = &closing.observation;
        let content = ItemContent::Synthetic { reply: false, text: text.clone() };
        self.place(self.item(*observation, content));
        self.close();
    }

    fn begin_turn(&mut self) {
        self.turn += 1;
        self.turns.push(self.turn);
    }

    fn item(&self, id: ItemId, content: ItemContent) -> Item {
        Item::new(id, self.turn, content)
    }

    fn said(&mut self, id: ItemId, fragment: RecordedFragment) {
        if fragment.spec.lifetime == Lifetime::Latest {
            self.latest.insert(fragment.spec.kind, (id, fragment.clone()));
        }
        self.place(self.item(id, ItemContent::Fragment(fragment)));
    }

    fn decided(&mut self, event: &Event) {
        let Event::Decided { item, decision, calls, native, explanation, forged_marker, .. } = event else {
            return;
        };
        self.asked = false;
        let text: Arc<str> = decision.history_text().into();
        let replied = self.replied.take().filter(|reply| is_taken_whole(reply, &text, calls));
        let state = replied.and_then(|reply| reply.provider_state().cloned());
        let content = ItemContent::Reply { text, calls: calls.as_slice().into(), native: *native, state };
        self.place(self.item(*item, content).forging(*forged_marker));
        if let (Decision::Invalid { explanation: text, .. }, Some(id)) = (decision, explanation) {
            self.place(self.item(*id, ItemContent::Explanation { text: text.as_str().into() }));
        }
        self.open = calls.iter().map(|call| (call.id().clone(), (call.clone(), None))).collect();
        self.open_native = *native;
        self.open_turn = self.turn;
        self.close();
    }

    fn settled(&mut self, item: ItemId, id: &CallId, settled: &Settled) {
        let Some((call, place)) = self.open.settle(id) else { return };
        let content = ItemContent::Observation {
            call: id.clone(),
            tool: call.action().label().into(),
            native: self.open_native,
            status: settled.outcome.status,
            is_error: settled.outcome.is_error,
            receipt: settled.receipt,
            missing: settled.missing(),
            parts: settled.shown(),
        };
        *place = Some(Item::new(item, self.open_turn, content).forging(settled.forged_marker));
        self.close();
    }

    /// Puts an item where it stands: at the end, or behind what the model still says and does.
    fn place(&mut self, item: Item) {
        if self.is_between_steps() { self.view.items.push(item) } else { self.waiting.push(item) }
    }

    /// Places the results once the last of them is there, in the order of the calls, and then what waited.
    fn close(&mut self) {
        if self.open.is_settled() {
            let results =
                std::mem::take(&mut self.open).into_values().filter_map(|(_, observation)| observation);
            self.view.items.extend(results);
            self.view.items.append(&mut self.waiting);
        }
    }

    /// What stands was changed: nothing that was derived from it holds any more.
    fn changed_otherwise(&mut self) {
        self.breaks += 1;
        self.know_latest();
    }

    /// Finds the latest live statement of each kind.
    fn know_latest(&mut self) {
        let stand = self.view.items.iter().chain(&self.waiting);
        let latest = stand.filter_map(|item| {
            let fragment = item.recorded()?;
            let is_latest = fragment.spec.lifetime == Lifetime::Latest;
            is_latest.then(|| (fragment.spec.kind, (item.id(), fragment.clone())))
        });
        self.latest = latest.collect();
    }
}

/// Whether the history keeps a reply as it came. What a provider signed or encrypted belongs to the whole of it.
fn is_taken_whole(reply: &Reply, text: &str, calls: &[Call]) -> bool {
    let same = |(sent, taken): (&ReplyCall, &Call)| {
        (sent.name.as_str(), sent.arguments.as_str()) == (taken.action().label(), taken.action().payload())
    };
    reply.as_text() == text && reply.calls().len() == calls.len() && reply.calls().iter().zip(calls).all(same)
}
