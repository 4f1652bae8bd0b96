//! Fork: what the types say of it holds for everything that is inherited, also for what a compaction replaced.

use super::Ledger;
use super::item::Item;
use super::view::View;
use crate::event::RecordedFragment;
use crate::fragment::OnFork;
use crate::message::ItemId;

impl Ledger {
    /// Begins as the branch of another session.
    pub(super) fn branched_off(&mut self) {
        self.branched = true;
        self.notes.clear();
        self.compaction = None;
        let before = self.view.items.len();
        for view in self.views() {
            view.retain(|item| item.fragment().is_none_or(|spec| spec.on_fork != OnFork::Drop));
        }
        if self.view.items.len() < before {
            self.changed_otherwise();
        }
    }

    /// States a fact in the place of what was inherited; the child is told one value only.
    pub(super) fn refreshed(&mut self, id: ItemId, fragment: &RecordedFragment, old: ItemId) {
        // The system part states a fact where it was stated first.
        let first = self.first_statement(fragment.spec.kind) == Some(old)
            && self.latest(fragment.spec.kind).is_some_and(|(latest, _)| *latest != old);
        for view in self.views() {
            view.refresh(id, fragment, old, first);
        }
        self.changed_otherwise();
    }

    /// What stands, and what would stand again after a rollback.
    pub(super) fn views(&mut self) -> impl Iterator<Item = &mut View> {
        self.before.iter_mut().map(|(_, view)| view).chain([&mut self.view])
    }
}

impl View {
    fn refresh(&mut self, id: ItemId, fragment: &RecordedFragment, old: ItemId, first: bool) {
        let is_one = |item: &Item| item.fragment().is_some_and(|spec| spec.kind == fragment.spec.kind);
        // Before a compaction the same fact was another item.
        let place = self.items.iter().position(|item| item.id() == old && is_one(item));
        let other = || {
            if first { self.items.iter().position(is_one) } else { self.items.iter().rposition(is_one) }
        };
        let Some(place) = place.or_else(other) else { return };
        if let Some(item) = self.items.get_mut(place) {
            *item = item.refreshed_as(id, fragment);
        }
        self.retain(|item| item.id() == id || !is_one(item));
    }
}
