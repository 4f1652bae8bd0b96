//! For runs with one goal: from what changes least across runs to what changes most.

use super::Layout;
use super::order::{sorted, stage};
use crate::ledger::Item;
use crate::message::ItemId;

/// The usual layout of a run with one goal: from what changes least from run to run to what changes most.
///
/// What is recorded before the first request, and what compaction states anew, stands in this order:
///
/// 1. fragments with `slot = run`;
/// 2. injections, sorted by channel, in byte order; inside a channel the given order stays;
/// 3. fragments with `slot = goal`;
/// 4. fragments with `slot = turn`;
/// 5. a person's words.
///
/// Inside a slot `pin` decides, then `rank`, then the order of recording. Every item is its own message. With no injection
/// the prompt is, byte for byte, the one of a layout without that slot. What is recorded later stands where it was recorded,
/// so each request begins with the bytes of the one before; and runs of one agent begin with the same bytes, as far as their
/// run part goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Staged;

impl Layout for Staged {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        // What is no fragment stands behind all that are.
        let place = |item| Item::recorded(item).map_or((4, "", (0, 0)), stage);
        sorted(items.iter(), place).into_iter().map(|item| vec![item.id()]).collect()
    }
}
