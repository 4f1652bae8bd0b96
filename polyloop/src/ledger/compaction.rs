//! Compaction: a summary in the place of what it was made of, and what holds for a while stated anew.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Ledger;
use super::item::{Item, ItemContent, ItemKind, Statement};
use super::view::{Part, View};
use crate::event::Event;
use crate::fragment::{FragmentSpec, Lifetime, OnCompact, Rendered, Slot};
use crate::message::ItemId;

impl Ledger {
    /// The items that compaction would state anew, in the order in which they stand: whatever says so and is reached, what said
    /// only what changed, and what has its place in the system part.
    pub(crate) fn to_restate(
        &self,
        before: Option<ItemId>,
        in_place: impl Fn(&FragmentSpec) -> bool,
    ) -> Vec<ItemId> {
        let reached = self.reached(before);
        let stand = self.items().iter().enumerate();
        let to_restate = stand.filter(|(at, item)| {
            let Some(spec) = item.fragment().filter(|_| self.is_latest(item)) else { return false };
            match item.statement() {
                Some(Statement::Full | Statement::Change) if in_place(spec) => {
                    spec.on_compact != OnCompact::Drop || *at >= reached
                }
                Some(Statement::Full) => spec.on_compact == OnCompact::Restate && *at < reached,
                Some(Statement::Change) => spec.on_compact != OnCompact::Drop || *at >= reached,
                Some(Statement::Retraction) | None => false,
            }
        });
        to_restate.map(|(_, item)| item.id()).collect()
    }

    /// Whether each reply is among these items with all results of its calls, or none of them is.
    pub(crate) fn may_replace(&self, items: &[ItemId]) -> bool {
        let items: BTreeSet<ItemId> = items.iter().copied().collect();
        let mut goes = BTreeMap::new();
        self.items().iter().all(|item| {
            let replaced = items.contains(&item.id());
            match item.content() {
                ItemContent::Reply { calls, .. } => {
                    goes.extend(calls.iter().map(|call| (call.id().clone(), replaced)));
                    true
                }
                ItemContent::Observation { call, .. } => goes.get(call).is_none_or(|goes| *goes == replaced),
                _ => true,
            }
        })
    }

    /// The notes of earlier turns that later ones of their kind made out of date, although nothing says what a compaction
    /// does with them: `sticky`, in the slot of a turn, without a stated `on_compact`.
    pub(crate) fn outdated_notes(&self, before: Option<ItemId>) -> Vec<&Item> {
        let mut last = BTreeMap::new();
        for item in self.items() {
            if let Some(spec) = item.fragment() {
                last.insert((spec.kind, item.entry_id(), channel(item)), item.turn());
            }
        }
        let is_outdated = |item: &&Item| {
            let Some(spec) = item.fragment() else { return false };
            let is_note = spec.slot == Slot::Turn && spec.lifetime == Lifetime::Sticky;
            let later = last.get(&(spec.kind, item.entry_id(), channel(item)));
            is_note && !spec.on_compact_stated && later.is_some_and(|turn| *turn > item.turn())
        };
        self.items().iter().take(self.reached(before)).filter(is_outdated).collect()
    }

    /// Takes an applied compaction.
    pub(super) fn compacted(&mut self, event: &Event) {
        let Event::CompactionApplied {
            replaced,
            summary,
            restated,
            effects,
            forged_marker,
            shortened,
            keeps_present_notes,
            in_place,
            together,
        } = event
        else {
            return;
        };
        let summary = summary.as_ref().map(|(id, text)| {
            let (text, effects) = (text.clone(), effects.as_slice().into());
            self.item(*id, ItemContent::Summary { text, effects }).forging(*forged_marker)
        });
        let shortened: BTreeMap<ItemId, &Arc<[Arc<str>]>> =
            shortened.iter().map(|(id, parts)| (*id, parts)).collect();
        let before = self.compaction.take().and_then(|compacting| compacting.before);
        let reached = self.reached(before);
        let replaced: BTreeSet<ItemId> = replaced.iter().copied().collect();
        let facts = restated.iter().filter_map(|(id, of)| {
            let source = self.items().iter().find(|item| item.id() == *of && item.fragment().is_some())?;
            Some((*of, source.restated_as(*id, self.turn)))
        });
        let (sources, stated_anew): (BTreeSet<ItemId>, Vec<Item>) = facts.unzip();
        let (placed, stated_anew): (Vec<Item>, Vec<Item>) =
            stated_anew.into_iter().partition(|item| in_place.contains(&item.id()));
        let head = self.view.closed.first().filter(|part| part.arranged).map_or(0, |part| part.end);
        let is_replaced = |item: &Item| item.fragment().is_none() && replaced.contains(&item.id());
        let place = self.items().iter().rposition(is_replaced);
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for (at, item) in self.items().iter().enumerate() {
            let gone = replaced.contains(&item.id()) || sources.contains(&item.id());
            let present = *keeps_present_notes && self.is_present_note(item);
            if !gone && (present || self.is_kept(item, at < reached)) {
                let context = at < head && item.kind() != ItemKind::Input && !present;
                let item =
                    shortened.get(&item.id()).map_or_else(|| item.clone(), |parts| item.shortened_to(parts));
                if context { &mut first } else { &mut rest }.push(item);
            }
            if place == Some(at) {
                rest.extend(summary.clone());
            }
        }
        if place.is_none() {
            rest.extend(summary);
        }
        first.extend(placed);
        let view = assembled(first, rest, stated_anew, *together);
        let old = std::mem::replace(&mut self.view, view);
        self.before.push((self.turn, old));
        self.changed_otherwise();
    }

    /// How many items stand before the first that compaction does not reach.
    fn reached(&self, before: Option<ItemId>) -> usize {
        let place = before.and_then(|id| self.items().iter().position(|item| item.id() == id));
        place.unwrap_or(self.items().len())
    }

    fn is_latest(&self, item: &Item) -> bool {
        let kind = item.fragment().map(|spec| spec.kind);
        kind.and_then(|kind| self.latest(kind)).is_some_and(|(latest, _)| *latest == item.id())
    }

    /// Whether an item is a note of the turn that is under way: it stays until that turn has ended.
    fn is_present_note(&self, item: &Item) -> bool {
        let Some(spec) = item.fragment() else { return false };
        let is_note = spec.lifetime == Lifetime::Once
            || spec.lifetime == Lifetime::Sticky
                && spec.slot == Slot::Turn
                && spec.on_compact == OnCompact::Drop;
        is_note && self.is_of_this_run(item)
    }

    /// What a fragment's type says of compaction; everything else stays unless it is replaced.
    fn is_kept(&self, item: &Item, reached: bool) -> bool {
        let Some(spec) = item.fragment() else { return true };
        if spec.lifetime == Lifetime::Latest
            && (!self.is_latest(item) || item.statement() == Some(Statement::Retraction))
        {
            // What it says holds no longer, and what it takes back is gone with it.
            return false;
        }
        let is_goal = spec.slot == Slot::Goal && self.is_of_this_run(item);
        !reached || is_goal || spec.on_compact != OnCompact::Drop
    }
}

/// The channel of a fragment.
fn channel(item: &Item) -> Option<&str> {
    item.rendered().and_then(Rendered::channel)
}

/// The context that a layout orders first, then what was said; what is stated anew stands directly before the last
/// turn's words, or before the summary where there are none.
fn assembled(mut first: Vec<Item>, rest: Vec<Item>, mut stated_anew: Vec<Item>, together: bool) -> View {
    let last_input = rest.iter().rposition(|item| item.kind() == ItemKind::Input);
    let summary = || rest.iter().rposition(|item| item.kind() == ItemKind::Summary);
    let mut place = last_input.or_else(summary).unwrap_or(rest.len());
    if let Some(input) = last_input.and_then(|at| rest.get(at)) {
        // What this turn says first stands with its words, as does what another program put into one message with them.
        let opens = |item: &Item| {
            let are_imported = item.imported_in().is_some() && input.imported_in().is_some();
            let says_first = item.fragment().is_some() && (item.turn() == input.turn() || are_imported);
            says_first || item.imported_in().is_some() && item.imported_in() == input.imported_in()
        };
        while place.checked_sub(1).and_then(|before| rest.get(before)).is_some_and(opens) {
            place -= 1;
        }
    }
    if together && place == 0 {
        first.append(&mut stated_anew);
    }
    let mut view = View { items: first, closed: Vec::new(), open_arranged: true };
    view.close();
    let mut rest = rest.into_iter();
    view.items.extend(rest.by_ref().take(place));
    view.close();
    if !stated_anew.is_empty() {
        view.items.extend(stated_anew);
        view.closed.push(Part { end: view.items.len(), arranged: true });
    }
    view.items.extend(rest);
    view
}
