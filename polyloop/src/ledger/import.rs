//! Imported histories: what another program recorded, as items.

use super::item::chars;
use super::{ItemContent, Ledger};
use crate::event::{ImportedItem, ImportedPart, ImportedTurns, Status};
use crate::message::Role;

impl Ledger {
    /// Takes the history of another program. It stands as it is; no layout orders it.
    pub(super) fn imported(&mut self, items: &[ImportedItem]) {
        self.view.close();
        let mut message = None;
        let turns = turns_of(items);
        for (ImportedItem { item: id, part, joined }, begins) in items.iter().zip(turns) {
            if begins {
                self.begin_turn();
            }
            let first = *message.insert(message.filter(|_| *joined).unwrap_or(*id));
            let (content, forged) = match part {
                ImportedPart::Fragment(fragment) => {
                    self.said(*id, fragment.clone());
                    if let Some(last) = self.view.items.last_mut() {
                        *last = last.clone().imported_with(first);
                    }
                    continue;
                }
                ImportedPart::Input { input, forged_marker } => {
                    (ItemContent::Input { input: input.clone(), typed: None }, *forged_marker)
                }
                ImportedPart::Text { role, text, forged_marker } => {
                    (ItemContent::Imported { role: *role, text: text.clone() }, *forged_marker)
                }
                ImportedPart::Reply { text, calls, forged_marker } => {
                    let calls = calls.as_slice().into();
                    let text = text.clone();
                    (ItemContent::Reply { text, calls, native: true, state: None }, *forged_marker)
                }
                ImportedPart::Result { call, tool, parts, shown, forged_marker } => {
                    let missing = shown.as_ref().map_or(0, |shown| chars(parts).saturating_sub(chars(shown)));
                    let parts = shown.as_ref().unwrap_or(parts).clone();
                    let (call, tool) = (call.clone(), tool.clone());
                    let content = ItemContent::Observation {
                        call,
                        tool,
                        native: true,
                        status: Status::Executed,
                        is_error: false,
                        receipt: false,
                        missing,
                        parts,
                    };
                    (content, *forged_marker)
                }
            };
            self.place(self.item(*id, content).forging(forged).imported_with(first));
        }
        self.view.close();
        self.shown = items.iter().map(|imported| imported.item).max().max(self.shown);
    }
}

/// Tells of each imported item whether a turn begins with it. What the program stated directly before a person's words belongs
/// to their turn, but for the first one: what is stated before that holds for all of them.
fn turns_of(items: &[ImportedItem]) -> Vec<bool> {
    let mut turns = ImportedTurns::default();
    let mut begins: Vec<bool> = items
        .iter()
        .map(|item| turns.begins(matches!(item.part, ImportedPart::Input { .. }), item.joined))
        .collect();
    let words: Vec<usize> = (0..).zip(&begins).filter(|(_, begins)| **begins).map(|(at, _)| at).collect();
    for at in words.into_iter().skip(1) {
        let before = items.get(..at).unwrap_or_default().iter().rev();
        let stated = before.take_while(|item| is_stated(&item.part)).count();
        begins.swap(at, at - stated);
    }
    begins
}

/// Whether the program that recorded it stated it to the model: no words, nothing that the model said or did, and no summary,
/// which is a text in the role of a person.
fn is_stated(part: &ImportedPart) -> bool {
    match part {
        ImportedPart::Fragment(_) => true,
        ImportedPart::Text { role, .. } => matches!(role, Role::System | Role::Developer),
        ImportedPart::Input { .. } | ImportedPart::Reply { .. } | ImportedPart::Result { .. } => false,
    }
}
