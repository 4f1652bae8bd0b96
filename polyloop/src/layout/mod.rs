//! Layouts: pure functions from the items of a ledger to the messages of a prompt. [`Staged`], [`Grouped`] and [`Turn`] come
//! with the library.
//!
//! A layout orders what was recorded before the first prompt, and what compaction states anew, by the fields of the types
//! alone. What was recorded later stands where it was recorded. It has no way to make text.

mod framing;
mod grouped;
mod message;
mod order;
mod projection;
mod staged;
#[cfg(test)]
mod tests;
mod turn;

pub use grouped::Grouped;
pub use staged::Staged;
pub use turn::Turn;

pub(crate) use framing::{Frame, NO_OUTPUT, Template};
pub(crate) use message::push_instruction;
pub(crate) use projection::Projection;

use crate::fragment::FragmentSpec;
use crate::ledger::Item;
use crate::message::{ItemId, Role};

/// An order of items, and which of them share a message: [`Staged`], [`Grouped`], [`Turn`], or one of your own.
///
/// A group of ids is one message. The library sees to what no layout may break: an item that is left out stands at the
/// end, so that nothing is ever dropped; a message has one role; what must be its own message is; what the model said and did
/// stands where it stood, as does what another program recorded; and what was sent is not laid out again. The same items must
/// give the same groups: before a request leaves, its bytes are compared with what the journal yields.
pub trait Layout: Send + Sync + 'static {
    /// Arranges the items that were recorded before the first prompt, or that compaction states anew.
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>>;

    /// Arranges fragments and a person's words that were recorded one after another, behind a prompt that was sent. They
    /// stand where they were recorded, each in a message of its own, unless a layout says otherwise.
    fn follow(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        items.iter().map(|item| vec![item.id()]).collect()
    }

    /// Returns the role in which a statement of a fragment type is sent where it was recorded after the first prompt: that of the
    /// type, unless a layout overrides it.
    ///
    /// A `latest` fragment for which a layout returns another role has its place in the first part of a prompt. Its latest value
    /// is stated there again as soon as the prefix breaks anyway: by a compaction, or in a fork.
    fn later_role(&self, spec: &FragmentSpec) -> Role {
        spec.role
    }

    /// Says whether a fragment type has a place here; asked of every registered one when an agent is built.
    ///
    /// # Errors
    ///
    /// When it has none, with the reason and what to do.
    fn accepts(&self, spec: &FragmentSpec) -> Result<(), String> {
        let _ = spec;
        Ok(())
    }
}
