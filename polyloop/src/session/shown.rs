//! What a person is shown, and what long-term memory may read: each part by the fields of its type.

use std::sync::Arc;

use serde::Serialize;

use super::Session;
use crate::event::{Call, UserInput};
use crate::fragment::Memory;
use crate::ledger::{Item, ItemContent, ItemKind, Statement};
use crate::message::{Image, ItemId, Role};
use crate::registry::Registry;

/// One part of a session, for whoever shows it or remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The recorded item.
    pub item: ItemId,
    /// The turn of the session in which it was recorded, counted from 1; 0 outside of turns.
    pub turn: u64,
    /// The door through which it came.
    pub kind: ItemKind,
    /// The kind's name: a fragment's kind, or a built-in one such as `polyloop.input`.
    pub name: &'static str,
    /// Who speaks.
    pub role: Role,
    /// The text: of a person the words as typed, of all else what the model is told.
    pub text: String,
    /// The images among a person's words.
    pub images: Vec<Image>,
    /// The calls that a reply makes.
    pub calls: Vec<Call>,
    /// The tool whose call it is that was observed.
    pub tool: Option<Arc<str>>,
    /// What a fragment says of its fact.
    pub statement: Option<Statement>,
    /// Whether words that are no fragment hold a registered marker; a person should see it.
    pub forged_marker: bool,
}

impl Entry {
    fn of(item: &Item) -> Self {
        let (calls, tool) = match item.content() {
            ItemContent::Reply { calls, .. } => (calls.to_vec(), None),
            ItemContent::Observation { tool, .. } => (Vec::new(), Some(tool.clone())),
            _ => (Vec::new(), None),
        };
        Self {
            item: item.id(),
            turn: item.turn(),
            kind: item.kind(),
            name: item.kind_name(),
            role: item.role(),
            text: item.typed().map_or_else(|| item.text().into_owned(), |typed| typed.as_str().to_owned()),
            images: item.typed().into_iter().flat_map(UserInput::images).cloned().collect(),
            calls,
            tool,
            statement: item.statement(),
            forged_marker: item.has_forged_marker(),
        }
    }
}

impl<R: Registry> Session<R> {
    /// Returns what a person is shown, in the order in which it was recorded: a person's words as typed, replies with their
    /// calls, observations, fragments whose type says `visible`, and summaries, each of which says that there was a
    /// compaction. Of texts that another program recorded, those of a system and a developer are left out.
    ///
    /// Each part is shown or hidden by itself. What compaction replaced is still shown, what it only stated anew is not; nor
    /// is what was rolled back.
    #[must_use]
    pub fn visible(&self) -> Vec<Entry> {
        self.entries(is_shown)
    }

    /// Returns what long-term memory may read, in the order in which it was recorded: a person's words as typed, replies, and
    /// fragments whose type says `memory = include`. Each part is left out or not by itself. What compaction replaced is
    /// still there; what was rolled back is not.
    #[must_use]
    pub fn memory(&self) -> Vec<Entry> {
        self.entries(is_remembered)
    }

    fn entries(&self, keeps: impl Fn(&ItemContent) -> bool) -> Vec<Entry> {
        let items = self.ledger.transcript().into_iter();
        items.filter(|item| keeps(item.content())).map(Entry::of).collect()
    }
}

fn is_shown(content: &ItemContent) -> bool {
    match content {
        ItemContent::Input { .. }
        | ItemContent::Reply { .. }
        | ItemContent::Observation { .. }
        | ItemContent::Summary { .. } => true,
        ItemContent::Fragment(fragment) => fragment.spec.visible,
        ItemContent::Imported { role, .. } => !matches!(role, Role::System | Role::Developer),
        // The runtime speaks to the model.
        ItemContent::Explanation { .. }
        | ItemContent::Synthetic { .. }
        | ItemContent::Cancelled { .. }
        | ItemContent::Instruction { .. } => false,
    }
}

fn is_remembered(content: &ItemContent) -> bool {
    match content {
        ItemContent::Input { .. } | ItemContent::Reply { .. } => true,
        ItemContent::Fragment(fragment) => fragment.spec.memory == Memory::Include,
        ItemContent::Observation { .. }
        | ItemContent::Explanation { .. }
        | ItemContent::Synthetic { .. }
        | ItemContent::Cancelled { .. }
        | ItemContent::Summary { .. }
        | ItemContent::Imported { .. }
        | ItemContent::Instruction { .. } => false,
    }
}
