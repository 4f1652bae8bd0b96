//! Makes room where a prompt is over the budget and no summary can be asked for: a session can always go on.
//!
//! First results are cut, the older ones before the newest; the journal keeps all of them. Where that is not enough, and the
//! run before already ended because its prompt was over the budget, the oldest exchanges are dropped.

use std::sync::Arc;

use super::driver::Driver;
use super::update::Update;
use crate::compact::{Exchange, History, Size};
use crate::error::RunError;
use crate::event::{CompactionReason, Event};
use crate::ledger::Item;
use crate::message::ItemId;
use crate::registry::Registry;

/// To how many characters results are cut, one after the other until the prompt fits.
const LENGTHS: [usize; 4] = [20_000, 5_000, 1_000, 200];

/// A way to make room: an event, and what it comes to.
struct Candidate {
    event: Event,
    size: Size,
}

impl<R: Registry> Driver<R> {
    /// Makes room in a session whose prompt is over the budget; `false` where it is not, or there is nothing to cut.
    pub(super) async fn make_room(&mut self, size: Size) -> Result<bool, RunError> {
        if !size.is_over() || !self.may_change_prompt() {
            return Ok(false);
        }
        let (ledger, reason) = (self.session.ledger(), CompactionReason::Size);
        let before = ledger.first_unseen();
        let history = History::new(ledger, before, reason, size);
        let started = Event::CompactionStarted { reason, before, instruction: None };
        let Some(Candidate { event, size: after }) = self.room(&history, &started) else { return Ok(false) };
        self.record(started);
        self.tell(Update::Compacting { reason, chars: size.chars });
        self.record(event);
        self.restate_present_values();
        self.commit().await?;
        self.tell(Update::Compacted { chars: after.chars });
        Ok(true)
    }

    /// The gentlest way that leaves the prompt smaller than a compaction would be wanted for; else one that fits.
    fn room(&mut self, history: &History, started: &Event) -> Option<Candidate> {
        let fits = |candidate: &Candidate| !candidate.size.is_over();
        let leaves_room =
            |candidate: &Candidate| fits(candidate) && candidate.size.chars < candidate.size.threshold;
        let mut fitting = None;
        for shortens in ways_to_shorten(history) {
            let candidate = self.candidate(history, started, &shortens, &[]);
            if leaves_room(&candidate) {
                return Some(candidate);
            }
            fitting = fitting.or(Some(candidate).filter(fits));
        }
        if fitting.is_some() || !(self.state.compactions.overflowed || self.state.compactions.is_refused) {
            return fitting;
        }
        let shortens = ways_to_shorten(history).pop().unwrap_or_default();
        let oldest = oldest_first(history);
        // How many are to go is between two bounds, of which the upper one fits.
        let (mut low, mut high) = (0, oldest.len());
        let mut found = self.candidate(history, started, &shortens, &oldest);
        if !fits(&found) {
            return None;
        }
        while low + 1 < high {
            let middle = low.midpoint(high);
            let candidate =
                self.candidate(history, started, &shortens, oldest.get(..middle).unwrap_or_default());
            if leaves_room(&candidate) {
                (high, found) = (middle, candidate);
            } else {
                low = middle;
            }
        }
        Some(found)
    }

    /// What would be applied where these results are cut and these exchanges are dropped.
    fn candidate(
        &mut self,
        history: &History,
        started: &Event,
        shortens: &[(ItemId, usize)],
        dropped: &[&Exchange],
    ) -> Candidate {
        let before = match started {
            Event::CompactionStarted { before, .. } => *before,
            _ => None,
        };
        let replaced: Vec<ItemId> =
            dropped.iter().flat_map(|exchange| exchange.items()).map(Item::id).collect();
        let kept: Vec<(ItemId, usize)> =
            shortens.iter().filter(|(id, _)| !replaced.contains(id)).copied().collect();
        let shortened: Vec<(ItemId, Arc<[Arc<str>]>)> = self.shortened(history, &kept);
        let number = dropped.len().to_string();
        let summary = (!dropped.is_empty()).then(|| self.definition.texts.added.not_summarized.fill(&number));
        let event = self.applied(history, replaced, shortened, summary, before);
        let mut after = self.session.twin();
        after.follow(started);
        after.follow(&event);
        let size = self.size(&after.prompt());
        Candidate { event, size }
    }
}

/// The ways to cut results, the gentlest first: those of all exchanges but the newest, then all.
fn ways_to_shorten(history: &History) -> Vec<Vec<(ItemId, usize)>> {
    let exchanges = history.exchanges();
    let newest = exchanges.iter().rposition(|exchange| exchange.observations().next().is_some());
    let older = exchanges.get(..newest.unwrap_or_default()).unwrap_or_default();
    let cut = |exchanges: &[Exchange], most: usize| {
        let observed = exchanges.iter().flat_map(Exchange::observations);
        observed.filter(|(_, chars)| *chars > most).map(|(item, _)| (item.id(), most)).collect()
    };
    [older, exchanges].into_iter().flat_map(|exchanges| LENGTHS.map(|most| cut(exchanges, most))).collect()
}

/// The exchanges in the order in which they are dropped: what the model did before a person's words, or, where a request has
/// too many bytes only, the words with the most of them.
fn oldest_first(history: &History) -> Vec<&Exchange> {
    let is_heavy = history.chars() <= history.limit();
    let mut exchanges: Vec<&Exchange> = history.exchanges().iter().collect();
    if is_heavy {
        exchanges.sort_by_key(|exchange| std::cmp::Reverse(exchange.bytes()));
    } else {
        exchanges.sort_by_key(|exchange| exchange.is_input());
    }
    exchanges
}
