//! What must hold of every compaction, whatever it replaced: checked on the items before it and after it.

use std::collections::BTreeSet;

use crate::event::Status;
use crate::fragment::Lifetime;
use crate::ledger::{Item, ItemContent, ItemKind};

/// The arguments of the calls that took effect, as far as a model can see them: in a live result, or in a list of effects.
fn receipts(items: &[Item]) -> BTreeSet<String> {
    let mut calls = Vec::new();
    let mut receipts = BTreeSet::new();
    for item in items {
        match item.content() {
            ItemContent::Reply { calls: made, .. } => calls.extend(made.iter()),
            ItemContent::Observation { call, status: Status::Executed, is_error: false, .. } => {
                let made = calls.iter().find(|made| made.id() == call);
                receipts.extend(made.map(|made| made.action().payload().to_owned()));
            }
            ItemContent::Summary { effects, .. } => {
                receipts.extend(effects.iter().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned));
            }
            _ => {}
        }
    }
    receipts
}

/// The turns whose words are live, and those of them that a model knows to be cancelled.
fn turns(items: &[Item]) -> (BTreeSet<u64>, BTreeSet<u64>) {
    let with_words = items.iter().filter(|item| item.kind() == ItemKind::Input).map(Item::turn).collect();
    let cancelled = items.iter().filter(|item| matches!(item.content(), ItemContent::Cancelled { .. }));
    (with_words, cancelled.map(Item::turn).collect())
}

/// Checks a compaction. No effect is stated that did not take place, and none is dropped; the remark on a cancelled turn
/// stays as long as the words of the turn; the notes of the present turn stay, where the event says so.
pub(super) fn check(before: &[Item], after: &[Item], present: u64, keeps_present_notes: bool) {
    assert_eq!(receipts(after), receipts(before), "effects are neither made up nor dropped");
    let (_, known) = turns(before);
    let (words, still_known) = turns(after);
    let forgotten: Vec<_> = known.iter().filter(|turn| !still_known.contains(turn)).collect();
    assert!(forgotten.iter().all(|turn| !words.contains(turn)), "of {forgotten:?} the words are left");
    if keeps_present_notes {
        let is_note = |item: &&Item| {
            item.turn() == present && item.fragment().is_some_and(|spec| spec.lifetime == Lifetime::Once)
        };
        let notes = |items: &[Item]| items.iter().filter(is_note).map(Item::id).collect::<Vec<_>>();
        assert_eq!(notes(after), notes(before), "a note stays until its turn has ended");
    }
}
