//! For sessions behind a chat: a system part that never changes, and notes that ride with a person's words.

use super::Layout;
use super::order::{Stage, merged, pinned, sorted, stage};
use crate::fragment::{FragmentSpec, Lifetime, Slot};
use crate::ledger::{Item, ItemKind};
use crate::message::{ItemId, Role};

/// A layout for sessions in which turns follow each other: a system part that stays the same, byte for byte, and notes that
/// ride with a person's words.
///
/// What is recorded before the first request, and what compaction states anew, stands in this order:
///
/// 1. one `system` message of all system fragments that may share one, a block each;
/// 2. each `standalone` system fragment, a message each;
/// 3. the context, a message each: what is `sticky` or `latest` and has not `slot = turn`, with `slot = run` first, then
///    injections, sorted by channel, in byte order, then `slot = goal`;
/// 4. the conversation. Directly before a person's words stands what was recorded for them and has `lifetime = once` or
///    `slot = turn`, a message each. What has `slot = turn` and `role = user`, and is not `standalone`, rides with the words:
///    it is a text block in the same message, behind what the person gave.
///
/// Inside each of these `pin` decides, then `rank`, then the order of recording. What is recorded between two inputs is
/// recorded for the second one, and what is recorded behind the last for the last.
///
/// What is recorded later stands where it was recorded, a message each, so each request begins with the bytes of the one
/// before; notes ride there too. What is said while a model or a tool is at work, and no input after it, stands by itself.
///
/// A system fragment is `sticky` or `latest`; an agent whose registry has a system fragment that is `once` is not built. A
/// `latest` system fragment that changes after the first request is sent as a developer message where the change was recorded. The
/// next compaction, or a fork that refreshes it, puts the latest value into the system part, where the first one was: the
/// prefix breaks there anyway. News of one turn are a user fragment with `slot = turn, lifetime = once`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn;

impl Layout for Turn {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        let last = items.iter().filter(|item| is_input(item)).count().saturating_sub(1);
        let mut inputs = 0;
        let order = sorted(items.iter(), |item| {
            let place = place(item, inputs, last);
            inputs += usize::from(is_input(item));
            place
        });
        let system = order.partition_point(|item| is_system(item));
        let (system, rest) = order.split_at(system);
        [merged(system), riding(rest)].concat()
    }

    fn follow(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        riding(&items.iter().collect::<Vec<_>>())
    }

    fn accepts(&self, spec: &FragmentSpec) -> Result<(), String> {
        if spec.role == Role::System && spec.lifetime == Lifetime::Once {
            return Err("the system part stays the same from turn to turn, and this is `once`; \
                        give it `role = developer`, or another `lifetime`"
                .to_owned());
        }
        Ok(())
    }

    fn later_role(&self, spec: &FragmentSpec) -> Role {
        let is_system_fact = spec.role == Role::System && spec.lifetime == Lifetime::Latest;
        if is_system_fact { Role::Developer } else { spec.role }
    }
}

/// Where an item stands in the first statement, in the order of the variants.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Place<'i> {
    System {
        alone: bool,
        stage: Stage<'i>,
    },
    Context(Stage<'i>),
    /// In the conversation: how many inputs stand before it; what it is to the next of them; pin and rank.
    Conversation(usize, Part, (u8, i32)),
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// What was said and done before.
    Earlier,
    /// A message of its own before the words.
    Before,
    /// A block behind the words.
    Note,
    Input,
}

/// The place of an item behind so many inputs, of which the last has this number.
fn place(item: &Item, inputs: usize, last: usize) -> Place<'_> {
    let Some(fragment) = item.recorded() else {
        let part = if is_input(item) { Part::Input } else { Part::Earlier };
        return Place::Conversation(inputs, part, (0, 0));
    };
    let spec = fragment.spec;
    if spec.role == Role::System {
        return Place::System { alone: spec.standalone, stage: stage(fragment) };
    }
    if spec.slot != Slot::Turn && spec.lifetime != Lifetime::Once {
        return Place::Context(stage(fragment));
    }
    let part = if rides(item) { Part::Note } else { Part::Before };
    Place::Conversation(inputs.min(last), part, pinned(spec))
}

fn is_input(item: &Item) -> bool {
    item.kind() == ItemKind::Input
}

fn is_system(item: &Item) -> bool {
    item.fragment().is_some_and(|spec| spec.role == Role::System)
}

/// Whether it is a block in the message of a person's words.
fn rides(item: &Item) -> bool {
    item.fragment().is_some_and(|spec| spec.slot == Slot::Turn && spec.role == Role::User && !spec.standalone)
}

/// A message each, but for notes: they ride with the next input, or, where none follows, with the last.
fn riding(order: &[&Item]) -> Vec<Vec<ItemId>> {
    let behind = order.iter().rposition(|item| is_input(item)).map_or(0, |last| last + 1);
    let (order, behind) = order.split_at(behind);
    let (late, behind): (Vec<&Item>, Vec<&Item>) =
        behind.iter().partition(|item| !order.is_empty() && rides(item));
    let mut messages: Vec<Vec<ItemId>> = Vec::new();
    let mut notes = Vec::new();
    for item in order {
        if rides(item) {
            notes.push(item.id());
            continue;
        }
        let mut message = vec![item.id()];
        if is_input(item) {
            message.append(&mut notes);
        }
        messages.push(message);
    }
    if let Some(last) = messages.last_mut() {
        last.extend(late.iter().map(|note| note.id()));
    }
    messages.extend(behind.iter().map(|item| vec![item.id()]));
    messages
}
