//! What may be replaced.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{Action, CompactionReason, Status};
use crate::ledger::{Item, ItemContent, ItemKind, Ledger};
use crate::message::ItemId;

/// How much of a call's arguments a line shows, in characters.
const LONGEST_CALL: usize = 200;

/// Items that are replaced together or not at all: a reply with the results of its calls, a person's words, a summary.
#[derive(Clone, Debug)]
pub struct Exchange {
    items: Vec<Item>,
}

impl Exchange {
    /// Returns the items, in the order in which they stand.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the size of their texts and images, in characters.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.items.iter().map(Item::chars).sum()
    }

    /// Whether it is the summary of an earlier compaction.
    #[must_use]
    pub fn is_summary(&self) -> bool {
        self.items.iter().all(|item| item.kind() == ItemKind::Summary)
    }

    /// Whether it is a person's words.
    #[must_use]
    pub fn is_input(&self) -> bool {
        self.items.iter().all(|item| item.kind() == ItemKind::Input)
    }
}

/// What a compaction may replace, and why there is one.
#[derive(Clone, Debug)]
pub struct History {
    exchanges: Vec<Exchange>,
    reason: CompactionReason,
    chars: usize,
    limit: usize,
}

impl History {
    /// What stands before an item that compaction does not reach.
    pub(crate) fn new(
        ledger: &Ledger,
        before: Option<ItemId>,
        reason: CompactionReason,
        chars: usize,
        limit: usize,
    ) -> Self {
        let reached = ledger.items().iter().take_while(|item| Some(item.id()) != before);
        let kept = never_replaced(ledger);
        let mut exchanges: Vec<Exchange> = Vec::new();
        for item in reached {
            match item.kind() {
                ItemKind::Fragment | ItemKind::Imported => {}
                // What the model did is never parted from what it saw of it.
                ItemKind::Observation | ItemKind::Explanation => match exchanges.last_mut() {
                    Some(last) => last.items.push(item.clone()),
                    None => exchanges.push(Exchange { items: vec![item.clone()] }),
                },
                ItemKind::Synthetic if is_observed(item) => match exchanges.last_mut() {
                    Some(last) => last.items.push(item.clone()),
                    None => exchanges.push(Exchange { items: vec![item.clone()] }),
                },
                _ => exchanges.push(Exchange { items: vec![item.clone()] }),
            }
        }
        exchanges.retain(|exchange| exchange.items.iter().all(|item| !kept.contains(&item.id())));
        Self { exchanges, reason, chars, limit }
    }

    /// Returns what may be replaced, in the order in which it stands. Fragments are not among it, nor what imported texts
    /// say, the words that this turn began with, the last words, or what has an unknown outcome; nor, in a branch that goes on
    /// within a run, the words that this began with.
    #[must_use]
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Returns why there is a compaction.
    #[must_use]
    pub fn reason(&self) -> CompactionReason {
        self.reason
    }

    /// Returns the size of the prompt, in characters.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// Returns the largest prompt that the budget allows, in characters.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn items(&self) -> usize {
        self.exchanges.iter().map(|exchange| exchange.items.len()).sum()
    }

    /// The calls among these items that took effect and may not be repeated, a line each; what an earlier compaction said of
    /// them stands first.
    pub(crate) fn effects(
        &self,
        items: &BTreeSet<ItemId>,
        may_be_repeated: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let mut effects = Vec::new();
        for exchange in &self.exchanges {
            let mut calls = BTreeMap::new();
            for item in exchange.items.iter().filter(|item| items.contains(&item.id())) {
                match item.content() {
                    ItemContent::Summary { effects: earlier, .. } => effects.extend_from_slice(earlier),
                    ItemContent::Reply { calls: made, .. } => {
                        calls.extend(made.iter().map(|call| (call.id(), call.action())));
                    }
                    ItemContent::Observation { call, tool, status: Status::Executed, .. }
                        if !may_be_repeated(tool) =>
                    {
                        effects.extend(calls.get(call).map(|action| line(action)));
                    }
                    _ => {}
                }
            }
        }
        effects
    }

    /// Whether these items are whole exchanges.
    pub(crate) fn may_replace(&self, items: &BTreeSet<ItemId>) -> bool {
        let whole = self.exchanges.iter().filter(|exchange| {
            let replaced = exchange.items.iter().filter(|item| items.contains(&item.id())).count();
            replaced == exchange.items.len()
        });
        whole.map(|exchange| exchange.items.len()).sum::<usize>() == items.len()
    }
}

/// A call on one line.
fn line(action: &Action) -> String {
    let payload: String =
        action.payload().chars().map(|letter| if letter == '\n' { ' ' } else { letter }).collect();
    match payload.char_indices().nth(LONGEST_CALL).and_then(|(end, _)| payload.get(..end)) {
        Some(start) => format!("{} {start}…", action.label()),
        None => format!("{} {payload}", action.label()),
    }
}

/// The second message of a step that the model failed.
fn is_observed(item: &Item) -> bool {
    matches!(item.content(), ItemContent::Synthetic { reply: false, .. })
}

/// The words that this run and this turn began with, the last words, and whatever has an unknown outcome.
fn never_replaced(ledger: &Ledger) -> BTreeSet<ItemId> {
    let inputs = || ledger.items().iter().filter(|item| item.kind() == ItemKind::Input);
    let goal = inputs().find(|item| ledger.is_of_this_run(item));
    let turn = inputs().find(|item| item.turn() == ledger.turn());
    let unknown = ledger
        .items()
        .iter()
        .filter(|item| matches!(item.content(), ItemContent::Observation { status: Status::Unknown, .. }));
    goal.into_iter().chain(turn).chain(inputs().next_back()).chain(unknown).map(Item::id).collect()
}
