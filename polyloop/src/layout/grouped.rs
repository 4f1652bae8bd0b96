//! For long sessions: a block of context in front, then the conversation.

use super::Layout;
use super::order::{channel, merged, pinned, sorted};
use crate::fragment::FragmentSpec;
use crate::ledger::Item;
use crate::message::{ItemId, Role};

/// A layout for long sessions in which a person keeps talking: the context in a few messages in front, then the
/// conversation.
///
/// What is recorded before the first request, and what compaction states anew, stands in this order:
///
/// 1. one `system` message of all system fragments that may share one, a block each;
/// 2. each `standalone` system fragment, a message each;
/// 3. one `developer` message of all developer fragments that may share one, a block each;
/// 4. each `standalone` developer fragment, a message each;
/// 5. each `standalone` user fragment, a message each; injections are such, and are sorted by channel, in byte order;
/// 6. one `user` message of all user fragments that may share one, a block each;
/// 7. the conversation.
///
/// A message of which nothing was recorded is not there. Inside each of these groups `pin` decides, then `rank`, then the
/// order of recording; slots do not.
///
/// What is recorded later stands where it was recorded, so each request begins with the bytes of the one before. Neighbours
/// of one role share a message there too, but never with a person's words, which are always a message of their own.
///
/// A fragment with `role = assistant` has no place here: an agent whose registry has one is not built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouped;

impl Layout for Grouped {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        merged(&sorted(items.iter(), place))
    }

    fn follow(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        merged(&items.iter().collect::<Vec<_>>())
    }

    fn accepts(&self, spec: &FragmentSpec) -> Result<(), String> {
        match spec.role {
            Role::System | Role::Developer | Role::User => Ok(()),
            Role::Assistant | Role::Tool => Err(format!(
                "context in front of a conversation is not spoken by the {}; give it `role = user`, or take the layout `Staged`",
                spec.role
            )),
        }
    }
}

/// The group; whether it stands alone behind what shares a message; pin and rank; the channel.
type Place<'i> = (u8, bool, (u8, i32), &'i str);

fn place(item: &Item) -> Place<'_> {
    let Some(fragment) = item.recorded() else { return (4, false, (0, 0), "") };
    let spec = fragment.spec;
    let (group, alone) = match spec.role {
        Role::System => (0, spec.standalone),
        Role::Developer => (1, spec.standalone),
        // The other way round: what shares a message stands directly before the conversation.
        Role::User => (2, !spec.standalone),
        // No agent is built with it. A session by itself asks nobody, and drops nothing.
        Role::Assistant | Role::Tool => (3, spec.standalone),
    };
    (group, alone, pinned(spec), channel(fragment))
}
