//! Redactions in the life of a session.

use std::collections::BTreeSet;

use super::{App, Choices, LATEST, Life};
use crate::event::{Event, Extent, Holders, without_texts};
use crate::journal::{Chain, SessionId};
use crate::ledger::Item;
use crate::message::ItemId;
use crate::registry::fragment_by_kind;

impl Life {
    /// Texts of some items are removed; the chain of the records stays the same, and the session is read anew.
    pub(super) fn redact(&mut self, choices: &mut Choices<'_>) {
        let records = self.records(&mut Chain::new(SessionId::from("life")));
        let holders = Holders::of(&records).unwrap();
        let known: Vec<ItemId> = self.session.items().iter().map(Item::id).collect();
        let chosen = known.into_iter().filter(|_| choices.below(4) == 0);
        // A fixed text of the runtime, such as the remark on a cancelled turn, is nobody's data.
        let items: BTreeSet<ItemId> = chosen
            .map(|item| holders.original(item))
            .filter(|item| holders.of_item(*item).is_some())
            .collect();
        let summaries = holders.summaries_of(items.iter());
        let mut held: BTreeSet<u64> =
            items.iter().filter_map(|item| holders.of_item(*item)).flatten().copied().collect();
        held.extend(holders.repeating(items.iter().chain(&summaries)));
        let mut chain = Chain::new(SessionId::from("life"));
        for record in &records {
            let place = usize::try_from(record.seq).unwrap();
            let bare = held.contains(&record.seq).then(|| {
                without_texts(record, &Extent::Items { items: &items, summaries: &summaries }).unwrap()
            });
            let Some(bare) = bare.flatten() else {
                chain.follow(record).unwrap();
                continue;
            };
            let tombstone = record.with_tombstone(&bare);
            assert_eq!(chain.follow(&tombstone).map(|()| tombstone.hash()), Ok(record.hash()));
            assert_eq!(tombstone.with_tombstone(&bare), tombstone, "once more changes nothing");
            self.events[place] = Event::read(&tombstone, fragment_by_kind::<App>).unwrap().unwrap();
        }
        self.redacted = self.events.len();
        // What was removed is what no model is told any more.
        self.before.fill(None);
        self.sent = None;
        let bare = |item: &Item| items.contains(&holders.original(item.id()));
        for kind in LATEST {
            // A compaction drops statements that hold no longer; those of which the text was removed are such ones.
            let mut statements = self.session.items().iter().filter(|item| item.kind_name() == kind);
            if statements.any(bare) {
                self.unsure.insert(kind);
            }
        }
        self.session = self.read::<App>();
        for item in self.session.items().iter().filter(|item| bare(item)) {
            assert_eq!(item.text(), "[redacted]", "{item:?}");
        }
    }
}
