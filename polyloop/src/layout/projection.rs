//! The projection of a ledger, carried along: a step costs what it adds.

use std::collections::BTreeMap;

use super::message::push_message;
use super::{Frame, Layout};
use crate::ledger::{Item, ItemKind, Ledger, Part};
use crate::message::{ItemId, Prompt};

/// A prompt, and how much of the ledger it holds.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    /// The messages of the parts that are final.
    closed: Prompt,
    /// How many parts these are.
    parts: usize,
    /// The messages of the open part as well.
    open: Prompt,
    /// How much of the ledger they hold, and in which revision; none where they are not made yet.
    holds: Option<(Part, u64)>,
    /// How often what stood had been changed.
    breaks: u64,
}

impl Projection {
    pub(crate) fn new() -> Self {
        Self { closed: Prompt::empty(), parts: 0, open: Prompt::empty(), holds: None, breaks: 0 }
    }

    /// How often what stood had been changed when it was projected last.
    pub(crate) fn breaks(&self) -> u64 {
        self.breaks
    }

    /// Projects the ledger. What was projected before stays as it is, and is shared.
    pub(crate) fn project(&mut self, ledger: &Ledger, layout: &dyn Layout, observation: &Frame) -> Prompt {
        if self.breaks != ledger.breaks() {
            *self = Self { breaks: ledger.breaks(), ..Self::new() };
        }
        self.close(ledger, layout, observation);
        let open = ledger.open_part();
        let holds = Some((open, ledger.revision()));
        if self.holds != holds {
            let from = end_of(ledger, self.parts);
            self.open = self.closed.clone();
            lay_out(&mut self.open, part(ledger.items(), from, open), open, layout, observation);
            self.holds = holds;
        }
        self.open.clone()
    }

    /// Projects what stands before an item.
    pub(crate) fn project_before(
        &mut self,
        ledger: &Ledger,
        layout: &dyn Layout,
        observation: &Frame,
        before: impl Fn(&Item) -> bool,
    ) -> Prompt {
        self.project(ledger, layout, observation);
        let from = end_of(ledger, self.parts);
        let items = part(ledger.items(), from, ledger.open_part());
        let reached = items.iter().position(before).unwrap_or(items.len());
        let mut prompt = self.closed.clone();
        let items = items.get(..reached).unwrap_or_default();
        lay_out(&mut prompt, items, ledger.open_part(), layout, observation);
        prompt
    }

    /// Takes the parts that became final.
    fn close(&mut self, ledger: &Ledger, layout: &dyn Layout, observation: &Frame) {
        for closed in ledger.closed_parts().iter().skip(self.parts) {
            if self.holds == Some((*closed, ledger.revision())) {
                // It was projected whole while it was open.
                self.closed = self.open.clone();
            } else {
                let from = end_of(ledger, self.parts);
                let items = part(ledger.items(), from, *closed);
                lay_out(&mut self.closed, items, *closed, layout, observation);
            }
            self.parts += 1;
            self.holds = None;
        }
    }
}

/// Where a number of closed parts ends.
fn end_of(ledger: &Ledger, parts: usize) -> usize {
    parts.checked_sub(1).and_then(|last| ledger.closed_parts().get(last)).map_or(0, |part| part.end)
}

fn part(items: &[Item], from: usize, part: Part) -> &[Item] {
    items.get(from..part.end).unwrap_or_default()
}

/// Adds the messages of one part.
fn lay_out(prompt: &mut Prompt, items: &[Item], part: Part, layout: &dyn Layout, observation: &Frame) {
    if part.arranged {
        for group in arranged(items, &layout.arrange(items)) {
            push_message(prompt, &group, observation, Item::role);
        }
        return;
    }
    let role = |item: &Item| match item.fragment() {
        Some(spec) if item.imported_in().is_none() => layout.later_role(spec),
        _ => item.role(),
    };
    for run in items.chunk_by(stand_together) {
        if run.iter().any(|item| !is_said(item)) || run.len() == 1 {
            push_message(prompt, &run.iter().collect::<Vec<_>>(), observation, role);
            continue;
        }
        for group in arranged(run, &layout.follow(run)) {
            push_message(prompt, &group, observation, role);
        }
    }
}

/// Whether two neighbours are of one kind: said here one after the other, or recorded elsewhere in one message.
fn stand_together(one: &Item, other: &Item) -> bool {
    match (one.imported_in(), other.imported_in()) {
        (None, None) => is_said(one) && is_said(other),
        (one, other) => one == other,
    }
}

/// Whether a layout may say with what it shares a message: fragments and a person's words. What the model says and does,
/// and what another program recorded, stands as it stands.
fn is_said(item: &Item) -> bool {
    matches!(item.kind(), ItemKind::Fragment | ItemKind::Input) && item.imported_in().is_none()
}

/// The items in a layout's order; what it left out stands at the end.
fn arranged<'i>(items: &'i [Item], groups: &[Vec<ItemId>]) -> Vec<Vec<&'i Item>> {
    let mut by_id: BTreeMap<_, _> = items.iter().map(|item| (item.id(), item)).collect();
    let mut arranged: Vec<Vec<&'i Item>> = groups
        .iter()
        .map(|group| group.iter().filter_map(|id| by_id.remove(id)).collect::<Vec<_>>())
        .filter(|group| !group.is_empty())
        .collect();
    arranged.extend(by_id.into_values().map(|item| vec![item]));
    arranged
}
