//! What the stock layouts sort by, and how neighbours come to share a message.

use crate::event::RecordedFragment;
use crate::fragment::{FragmentSpec, Pin, Slot};
use crate::ledger::{Item, ItemContent};
use crate::message::ItemId;

/// Sorts items by their places; ties keep the order in which they were recorded.
pub(super) fn sorted<'i, P: Ord>(
    items: impl Iterator<Item = &'i Item>,
    mut place: impl FnMut(&'i Item) -> P,
) -> Vec<&'i Item> {
    let mut places: Vec<(P, &Item)> = items.map(|item| (place(item), item)).collect();
    places.sort_by(|(left, _), (right, _)| left.cmp(right));
    places.into_iter().map(|(_, item)| item).collect()
}

/// Where a type wants to stand in its group: what is pinned to the top first, then by rank.
pub(super) fn pinned(spec: &FragmentSpec) -> (u8, i32) {
    let pin = match spec.pin {
        Some(Pin::Top) => 0,
        None => 1,
        Some(Pin::Bottom) => 2,
    };
    (pin, spec.rank)
}

/// The slot, and the order inside it: the channel of an injection, else pin and rank.
pub(super) type Stage<'i> = (u8, &'i str, (u8, i32));

pub(super) fn stage(fragment: &RecordedFragment) -> Stage<'_> {
    let spec = fragment.spec;
    match spec.slot {
        Slot::Run => (0, "", pinned(spec)),
        Slot::Injection(_) => (1, channel(fragment), (0, 0)),
        Slot::Goal => (2, "", pinned(spec)),
        Slot::Turn => (3, "", pinned(spec)),
    }
}

/// The channel of an injection; nothing for any other fragment.
pub(super) fn channel(fragment: &RecordedFragment) -> &str {
    fragment.rendered.channel().unwrap_or_default()
}

/// Whether both are fragments of one role that may stand in one message.
pub(super) fn may_merge(one: &Item, other: &Item) -> bool {
    match (one.content(), other.content()) {
        (ItemContent::Fragment(one), ItemContent::Fragment(other)) => {
            !one.spec.standalone && !other.spec.standalone && one.spec.role == other.spec.role
        }
        _ => false,
    }
}

/// One message for each run of neighbours that may stand in one.
pub(super) fn merged(order: &[&Item]) -> Vec<Vec<ItemId>> {
    let messages = order.chunk_by(|one, other| may_merge(one, other));
    messages.map(|message| message.iter().map(|item| item.id()).collect()).collect()
}
