//! Where turns begin, and what a session is called: a person's words, never a fragment.

use std::collections::BTreeMap;

use super::Session;
use crate::event::UserInput;
use crate::ledger::Item;
use crate::registry::Registry;

/// One turn: what a person said, and all that followed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LiveTurn<'s> {
    /// The number of the turn in the session, counted from 1: what [`Agent::roll_back_to`](crate::Agent::roll_back_to) takes, and
    /// what [`SessionTurn::number`](crate::SessionTurn::number) is. Numbers are not given again after a rollback. 0 outside of
    /// turns: in a session that records by hand, and for what stands before the first turn.
    pub number: u64,
    /// The first of a person's words as typed, empty where these are images alone; none where a fragment says what the turn is
    /// for.
    pub words: Option<&'s str>,
    /// Everything that was recorded in it, in that order.
    pub items: Vec<&'s Item>,
}

impl<'s> LiveTurn<'s> {
    fn new(number: u64) -> Self {
        Self { number, words: None, items: Vec::new() }
    }

    fn add(&mut self, item: &'s Item) {
        self.words = self.words.or_else(|| item.typed().map(UserInput::as_str));
        self.items.push(item);
    }
}

impl<R: Registry> Session<R> {
    /// Returns the turns that were not rolled back, in order. A run is one, whatever is said while it is under way; outside of
    /// runs, as in an imported history, a person's words begin one. What was recorded before the first turn is listed with it.
    /// What compaction replaced is in them, what it only stated anew is not.
    #[must_use]
    pub fn turns(&self) -> Vec<LiveTurn<'_>> {
        let mut outside: Vec<LiveTurn<'_>> = Vec::new();
        let live = self.ledger.turns().iter();
        let mut runs: BTreeMap<u64, LiveTurn<'_>> =
            live.map(|number| (*number, LiveTurn::new(*number))).collect();
        for item in self.ledger.transcript() {
            if let Some(run) = runs.get_mut(&item.turn()) {
                run.add(item);
            } else if item.turn() == 0 {
                match outside.last_mut() {
                    Some(last) if last.words.is_none() || item.typed().is_none() => last.add(item),
                    _ => {
                        let mut turn = LiveTurn::new(0);
                        turn.add(item);
                        outside.push(turn);
                    }
                }
            }
        }
        if let Some(mut first) = runs.remove(&1) {
            // What an imported history states before the first words is listed with them.
            if let Some(before) = outside.pop_if(|last| last.words.is_none()) {
                first.items = [before.items, first.items].concat();
            }
            outside.push(first);
        }
        outside.extend(runs.into_values());
        outside
    }

    /// Returns what a session may be called: the first of a person's words as typed, at most so many characters of them. None
    /// where a person said nothing, or showed images only.
    #[must_use]
    pub fn title(&self, most_chars: usize) -> Option<&str> {
        self.typed().next().map(|words| start_of(words, most_chars))
    }

    /// Returns what a person said last, as typed, at most so many characters of it. None where a person said nothing, or showed
    /// images only.
    #[must_use]
    pub fn preview(&self, most_chars: usize) -> Option<&str> {
        self.typed().next_back().map(|words| start_of(words, most_chars))
    }

    /// A person's words as typed, those that were not rolled back; images alone are none.
    fn typed(&self) -> impl DoubleEndedIterator<Item = &str> {
        let typed = self.ledger.transcript().into_iter().filter_map(Item::typed).map(UserInput::as_str);
        typed.filter(|words| !words.trim().is_empty())
    }
}

/// The first characters of a text.
fn start_of(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}
