//! What stands, and in which parts a layout meets it.

use super::item::Item;

/// A run of items that a layout meets at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// How many items of the view stand before its end.
    pub(crate) end: usize,
    /// Whether a layout orders them; else they stand where they were recorded.
    pub(crate) arranged: bool,
}

/// The live items, in the order in which they stand.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) items: Vec<Item>,
    /// The parts that are final: nothing is added to them any more. What stands behind them is the open part.
    pub(super) closed: Vec<Part>,
    /// Whether a layout orders the open part.
    pub(super) open_arranged: bool,
}

impl Default for View {
    fn default() -> Self {
        Self { items: Vec::new(), closed: Vec::new(), open_arranged: true }
    }
}

impl View {
    /// Where the open part begins.
    pub(super) fn open_from(&self) -> usize {
        self.closed.last().map_or(0, |part| part.end)
    }

    /// Closes the open part: what it holds was sent.
    pub(super) fn close(&mut self) {
        let end = self.items.len();
        if end > self.open_from() {
            self.closed.push(Part { end, arranged: self.open_arranged });
        }
        self.open_arranged = false;
    }

    /// Keeps some items, each in its part.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(&Item) -> bool) {
        let closed = std::mem::take(&mut self.closed);
        let mut parts = closed.into_iter().peekable();
        let (mut kept, mut seen) = (0, 0);
        let mut ends = Vec::new();
        self.items.retain(|item| {
            while let Some(part) = parts.next_if(|part| part.end <= seen) {
                ends.push(Part { end: kept, ..part });
            }
            seen += 1;
            let keep = keeps(item);
            kept += usize::from(keep);
            keep
        });
        ends.extend(parts.map(|part| Part { end: kept, ..part }));
        let mut end = 0;
        ends.retain(|part| part.end > std::mem::replace(&mut end, part.end));
        self.closed = ends;
    }
}
