//! What may be replaced.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::{Effect, effect_line};
use crate::event::{CompactionReason, Status};
use crate::ledger::{Item, ItemContent, ItemKind, Ledger};
use crate::message::ItemId;

/// Items that are replaced together or not at all: a reply with the results of its calls, a person's words, a summary. The
/// words of a turn that was cancelled and the remark that says so are one exchange.
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

    /// Returns the size of their texts and images, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.items.iter().map(Item::bytes).sum()
    }

    /// Returns `true` if it is the summary of an earlier compaction.
    #[must_use]
    pub fn is_summary(&self) -> bool {
        self.items.iter().all(|item| item.kind() == ItemKind::Summary)
    }

    /// Returns `true` if it is a person's words, with or without the remark that their turn was cancelled.
    #[must_use]
    pub fn is_input(&self) -> bool {
        let is_remark = |item: &Item| matches!(item.content(), ItemContent::Cancelled { .. });
        self.items.iter().any(|item| item.kind() == ItemKind::Input)
            && self.items.iter().all(|item| item.kind() == ItemKind::Input || is_remark(item))
    }

    /// The observations, each with its size in characters.
    pub(crate) fn observations(&self) -> impl Iterator<Item = (&Item, usize)> {
        let observed = self.items.iter().filter(|item| item.kind() == ItemKind::Observation);
        observed.map(|item| (item, item.chars()))
    }
}

/// What a compaction may replace, and why there is one.
#[derive(Clone, Debug)]
pub struct History {
    exchanges: Vec<Exchange>,
    reason: CompactionReason,
    size: Size,
}

/// The size of a prompt and of what the budget allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Of the prompt, in characters.
    pub(crate) chars: usize,
    /// Of the largest prompt, in characters.
    pub(crate) limit: usize,
    /// From which a compaction is wanted, in characters.
    pub(crate) threshold: usize,
    /// Of the prompt, in bytes.
    pub(crate) bytes: usize,
    /// Of the largest request, in bytes.
    pub(crate) byte_limit: usize,
}

impl Size {
    /// The size at which the stock strategy aims: it leaves half of the threshold to what comes next. In characters.
    pub(crate) fn target(self) -> usize {
        self.threshold / 2
    }

    /// Returns `true` if the prompt is larger than the budget allows.
    pub(crate) fn is_over(self) -> bool {
        self.chars > self.limit || self.bytes > self.byte_limit
    }
}

impl History {
    /// What stands before an item that compaction does not reach.
    pub(crate) fn new(ledger: &Ledger, before: Option<ItemId>, reason: CompactionReason, size: Size) -> Self {
        let reached = ledger.items().iter().take_while(|item| Some(item.id()) != before);
        let kept = never_replaced(ledger);
        let mut exchanges: Vec<Exchange> = Vec::new();
        for item in reached {
            match item.content() {
                ItemContent::Fragment(_) | ItemContent::Imported { .. } => {}
                // What the model did is never parted from what it saw of it.
                ItemContent::Observation { .. }
                | ItemContent::Explanation { .. }
                | ItemContent::Synthetic { reply: false, .. } => match exchanges.last_mut() {
                    Some(last) => last.items.push(item.clone()),
                    None => exchanges.push(Exchange { items: vec![item.clone()] }),
                },
                ItemContent::Cancelled { .. } => add_remark(&mut exchanges, item),
                _ => exchanges.push(Exchange { items: vec![item.clone()] }),
            }
        }
        exchanges.retain(|exchange| exchange.items.iter().all(|item| !kept.contains(&item.id())));
        Self { exchanges, reason, size }
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
        self.size.chars
    }

    /// Returns the largest prompt that the budget allows, in characters. Where the provider refused a request as too long,
    /// it is less than the size of that request.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.size.limit
    }

    /// Returns the size from which a compaction is wanted, in characters.
    #[must_use]
    pub fn threshold(&self) -> usize {
        self.size.threshold
    }

    /// Returns the size of the prompt, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.size.bytes
    }

    /// Returns the largest request that the budget allows, in bytes.
    #[must_use]
    pub fn byte_limit(&self) -> usize {
        self.size.byte_limit
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) fn items(&self) -> usize {
        self.exchanges.iter().map(|exchange| exchange.items.len()).sum()
    }

    /// The calls among these items that took effect and whose results are receipts, a line each; the lines of an earlier
    /// compaction stand first. A call that ended in an error is not among them.
    pub(crate) fn effects(
        &self,
        items: &BTreeSet<ItemId>,
        policy: impl Fn(&str) -> Option<Effect>,
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
                    ItemContent::Observation {
                        call,
                        tool,
                        status: Status::Executed,
                        is_error: false,
                        receipt,
                        parts,
                        ..
                    } => {
                        let effect = policy(tool).or(receipt.then_some(Effect::Receipt));
                        if let (Some(effect), Some(action)) = (effect, calls.get(call)) {
                            effects.push(effect_line(action, &parts.concat(), effect));
                        }
                    }
                    _ => {}
                }
            }
        }
        effects
    }

    /// Returns `true` if these items are whole exchanges.
    pub(crate) fn may_replace(&self, items: &BTreeSet<ItemId>) -> bool {
        let whole = self.exchanges.iter().filter(|exchange| {
            let replaced = exchange.items.iter().filter(|item| items.contains(&item.id())).count();
            replaced == exchange.items.len()
        });
        whole.map(|exchange| exchange.items.len()).sum::<usize>() == items.len()
    }
}

/// Adds the remark that a turn was cancelled to the words of that turn: it stays as long as any of them does. The words of
/// the turn become one exchange. A remark whose turn has no words here is left where it stands.
fn add_remark(exchanges: &mut Vec<Exchange>, remark: &Item) {
    let of_the_turn = |exchange: &Exchange| {
        exchange.is_input() && exchange.items.iter().any(|item| item.turn() == remark.turn())
    };
    let Some(first) = exchanges.iter().position(of_the_turn) else { return };
    let words = exchanges.extract_if(first.., |exchange| of_the_turn(exchange));
    let mut items: Vec<Item> = words.flat_map(|exchange| exchange.items).collect();
    items.push(remark.clone());
    exchanges.insert(first, Exchange { items });
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
