//! Statements of a `latest` kind that no request contained yet: a newer one replaces them at their place.

use super::Ledger;
use super::item::Item;
use crate::event::RecordedFragment;
use crate::fragment::{FragmentSpec, Lifetime};
use crate::message::ItemId;

impl Ledger {
    /// Returns the latest statement of a kind if it was recorded in this turn and no request contained it. Without runs nothing
    /// is known of requests, so there is none.
    pub(crate) fn unseen_statement(&self, kind: &str) -> Option<ItemId> {
        let (id, _) = self.latest(kind)?;
        self.statements(kind).find(|item| item.id() == *id && self.is_unseen(item)).map(Item::id)
    }

    /// Returns the statement of a kind that holds for the model: the last one that a request contained or that an earlier turn
    /// recorded.
    pub(crate) fn seen_statement(&self, kind: &str) -> Option<&RecordedFragment> {
        self.statements(kind).filter(|item| !self.is_unseen(item)).last().and_then(Item::recorded)
    }

    /// Returns the first live statement of a kind: its place in the system part, if it has one.
    pub(crate) fn first_statement(&self, kind: &str) -> Option<ItemId> {
        self.statements(kind).next().map(Item::id)
    }

    /// Returns `true` if a new statement of this type may replace an item, or the item may be removed.
    pub(crate) fn may_be_replaced(&self, spec: &FragmentSpec, item: ItemId) -> bool {
        if self.refreshes(spec) {
            self.statements(spec.kind).any(|statement| statement.id() == item)
        } else {
            self.unseen_statement(spec.kind) == Some(item)
        }
    }

    /// Returns the type of a live statement.
    pub(crate) fn type_of(&self, item: ItemId) -> Option<&'static FragmentSpec> {
        let all = self.view.items.iter().chain(&self.waiting);
        all.filter(|known| known.id() == item).find_map(Item::fragment)
    }

    /// Replaces a statement that no request contained, at its place.
    pub(super) fn replaced(&mut self, id: ItemId, fragment: &RecordedFragment, old: ItemId) {
        if fragment.spec.lifetime == Lifetime::Latest {
            self.latest.insert(fragment.spec.kind, (id, fragment.clone()));
        }
        self.forget(old);
        let is_old = |item: &&mut Item| item.id() == old;
        if let Some(item) = self.waiting.iter_mut().find(is_old) {
            *item = item.refreshed_as(id, fragment);
        } else if let Some(at) = self.view.items.iter().position(|item| item.id() == old)
            && let Some(item) = self.view.items.get_mut(at)
        {
            *item = item.refreshed_as(id, fragment);
            self.changed_at(at);
        }
    }

    /// Removes a statement that no request contained, or, in a fork, every inherited one of its kind.
    pub(super) fn retired(&mut self, id: ItemId) {
        let Some(spec) = self.type_of(id) else { return };
        if self.refreshes(spec) {
            for view in self.views() {
                view.retain(|item| item.fragment().is_none_or(|other| other.kind != spec.kind));
            }
            return self.changed_otherwise();
        }
        self.forget(id);
        if let Some(at) = self.view.items.iter().position(|item| item.id() == id) {
            self.view.retain(|item| item.id() != id);
            self.changed_at(at);
        }
        self.waiting.retain(|item| item.id() != id);
        self.know_latest();
    }

    /// Removes a statement from what stood before compactions: it was never sent.
    fn forget(&mut self, id: ItemId) {
        for (_, view) in &mut self.before {
            if view.items.iter().any(|item| item.id() == id) {
                view.retain(|item| item.id() != id);
            }
        }
    }

    fn statements(&self, kind: &str) -> impl Iterator<Item = &Item> {
        let all = self.view.items.iter().chain(&self.waiting);
        all.filter(move |item| item.fragment().is_some_and(|spec| spec.kind == kind))
    }

    fn is_unseen(&self, item: &Item) -> bool {
        let is_recorded_here = item.imported_in().is_none();
        self.turn > 0 && item.turn() == self.turn && is_recorded_here && Some(item.id()) > self.shown
    }

    /// Notes that the item at a position is another one. What was sent before it stays the same.
    fn changed_at(&mut self, at: usize) {
        if at < self.view.open_from() { self.breaks += 1 } else { self.revision += 1 }
    }
}
