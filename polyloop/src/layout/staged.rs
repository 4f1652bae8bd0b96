//! For runs with one goal: from what changes least across runs to what changes most.

use super::Layout;
use crate::fragment::{Pin, Slot};
use crate::ledger::{Item, ItemContent};
use crate::message::ItemId;

/// The usual layout of a run with one goal: run fragments, injections, goal fragments, the goal, then the steps.
///
/// Every item is its own message. With no injection the prompt is, byte for byte, the one of a layout without that
/// slot. Injections are sorted by channel, in byte order; inside a channel the given order stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Staged;

impl Layout for Staged {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        let mut order: Vec<&Item> = items.iter().collect();
        // Stable: ties keep the order of recording.
        order.sort_by(|left, right| place(left).cmp(&place(right)));
        order.into_iter().map(|item| vec![item.id()]).collect()
    }
}

/// The stage, and the order inside it: the channel of an injection, else pin and rank.
type Place<'i> = (u8, &'i str, u8, i32);

fn place(item: &Item) -> Place<'_> {
    let ItemContent::Fragment(fragment) = item.content() else { return (4, "", 0, 0) };
    let spec = fragment.spec;
    let pin = match spec.pin {
        Some(Pin::Top) => 0,
        None => 1,
        Some(Pin::Bottom) => 2,
    };
    match spec.slot {
        Slot::Run => (0, "", pin, spec.rank),
        Slot::Injection(_) => (1, fragment.rendered.channel().unwrap_or_default(), 0, 0),
        Slot::Goal => (2, "", pin, spec.rank),
        Slot::Turn => (3, "", pin, spec.rank),
    }
}
