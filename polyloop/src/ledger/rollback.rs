//! Rollback: the last turns leave the view, and what a compaction replaced since comes back.

use std::collections::BTreeSet;

use super::Ledger;
use super::item::{Item, ItemKind};
use crate::fragment::{Lifetime, OnRollback, Slot};
use crate::message::ItemId;

impl Ledger {
    pub(super) fn rolled_back(&mut self, turns: u64, keeps_context: bool) {
        let count = usize::try_from(turns).unwrap_or(usize::MAX);
        let gone = self.turns.split_off(self.turns.len().saturating_sub(count));
        let Some(first) = gone.first().copied() else { return };
        let context_ends = if keeps_context { self.first_purpose() } else { None };
        let survives = |item: &Item| {
            let keeps = item.fragment().is_some_and(|spec| spec.on_rollback == OnRollback::Keep);
            item.turn() < first || keeps || is_context(item) && Some(item.id()) < context_ends
        };
        // What was replaced in a turn that is gone stands again.
        while let Some((_, before)) = self.before.pop_if(|(turn, _)| *turn >= first) {
            let later = std::mem::replace(&mut self.view, before);
            let known: BTreeSet<_> = self.view.items.iter().map(Item::id).collect();
            let kept = later.items.into_iter().filter(|item| {
                item.turn() >= first && !item.is_restated() && survives(item) && !known.contains(&item.id())
            });
            self.view.items.extend(kept);
        }
        self.view.retain(survives);
        let said_here = |item: &Item| item.recorded().is_some() && item.imported_in().is_none();
        if self.turns.is_empty() && self.view.items.iter().all(said_here) {
            // It begins anew: a layout orders what is said first. What another program recorded it never orders.
            self.view.closed.clear();
            self.view.open_arranged = true;
        }
        self.changed_otherwise();
    }

    /// Returns the first input of the session, or the first goal where its first turn has no input.
    fn first_purpose(&self) -> Option<ItemId> {
        let transcript = self.transcript();
        let is_goal = |item: &&&Item| item.fragment().is_some_and(|spec| spec.slot == Slot::Goal);
        let is_input = |item: &&&Item| item.kind() == ItemKind::Input;
        let first = transcript.iter().find(|item| is_input(item) || is_goal(item))?;
        let mut of_its_turn = transcript.iter().filter(|item| item.turn() == first.turn());
        Some(of_its_turn.find(is_input).unwrap_or(first).id())
    }

    /// Everything that happened and was not rolled back, in the order in which it was recorded: also what compaction replaced,
    /// and what waits for a reply or a result; not what compaction only stated anew.
    pub(crate) fn transcript(&self) -> Vec<&Item> {
        let stood = self.before.iter().map(|(_, view)| view).chain([&self.view]).flat_map(|view| &view.items);
        let results = self.open.iter().filter_map(|(_, observation)| observation.as_ref());
        let all = stood.chain(&self.waiting).chain(results);
        let mut items: Vec<&Item> = all.filter(|item| !item.is_restated()).collect();
        items.sort_by_key(|item| item.id());
        items.dedup_by_key(|item| item.id());
        items
    }
}

/// Returns `true` for a fragment that holds for the whole session.
fn is_context(item: &Item) -> bool {
    item.fragment().is_some_and(|spec| {
        spec.lifetime == Lifetime::Sticky && !matches!(spec.slot, Slot::Goal | Slot::Turn)
    })
}
