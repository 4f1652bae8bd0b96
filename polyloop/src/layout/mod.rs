//! Layouts: pure functions from the items of a ledger to the messages of a prompt.
//!
//! A layout orders what was recorded before the first prompt, by the fields of the types alone. What was recorded
//! later stands where it was recorded. It has no way to make text.

mod framing;
mod projection;
mod staged;

pub use staged::Staged;

pub(crate) use framing::Template;
pub(crate) use projection::Projection;

use crate::ledger::Item;
use crate::message::ItemId;

/// An order of the items that were recorded before the first prompt: one message each, in the order returned.
///
/// It must return every item once; what it leaves out stands at the end, so that nothing is ever dropped.
pub trait Layout: Send + Sync + 'static {
    /// Returns the ids of the items, in the order in which they stand.
    fn order(&self, items: &[Item]) -> Vec<ItemId>;
}
