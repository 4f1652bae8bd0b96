//! The stock strategy: the model writes a summary of what it did.

use super::{Compaction, Compactor, Exchange, History};
use crate::event::CompactionReason;

/// How many exchanges stay unless set.
const KEPT: usize = 2;
/// How much of a person's words stays unless set, in characters.
const WORDS: usize = 20_000;
/// To how much an older result is cut before a summary is asked for, unless set; in characters.
const RESULTS: usize = 500;
const INSTRUCTION: &str = "Stop here. Your context is full: what you did and saw so far will be replaced by a summary, which \
you write now, for yourself. Say what the task is and what was asked of you, what you did and with what result, what you \
found out, what you decided and why, what was left undone, and what comes next. Keep names, paths, numbers and exact \
wordings that are needed later. Say clearly what must not be done a second time. Answer with the summary alone; call no tool.";

/// Lets the model of the run summarise what it did and saw.
///
/// It leaves room: afterwards the prompt has at most half of [`Budget::compaction_chars`](crate::Budget::compaction_chars),
/// where that is possible. First it cuts the results of older exchanges, which asks no model and costs nothing. Where that is
/// not enough, everything but the last exchanges is replaced by a summary, and a person's latest words stay up to a size. So
/// many of the last exchanges stay word for word as leave that room.
///
/// ```
/// use polyloop::prelude::*;
/// use polyloop::Summarizer;
///
/// registry! { struct App {} }
///
/// let model = Scripted::replies([]);
/// let agent = Agent::<App>::builder(model).compactor(Summarizer::new().keep_exchanges(4)).build();
/// # assert!(agent.is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Summarizer {
    instruction: String,
    exchanges: usize,
    words: usize,
    results: usize,
}

/// A plan, and what it comes to.
struct Plan {
    compaction: Compaction,
    /// How many characters go.
    gained: usize,
    /// How many bytes go.
    gained_bytes: usize,
}

impl Summarizer {
    /// Makes the strategy with its own instruction; it keeps at most 2 exchanges and 20 000 characters of a person's words,
    /// and cuts older results to 500 characters.
    pub fn new() -> Self {
        Self { instruction: INSTRUCTION.to_owned(), exchanges: KEPT, words: WORDS, results: RESULTS }
    }

    /// Sets what the model is told to write.
    pub fn instruction(mut self, instruction: impl Into<String>) -> Self {
        self.instruction = instruction.into();
        self
    }

    /// Sets how many of the last exchanges stay word for word at most.
    pub const fn keep_exchanges(mut self, exchanges: usize) -> Self {
        self.exchanges = exchanges;
        self
    }

    /// Sets how much of a person's words stays, the latest first, in characters.
    pub const fn keep_words(mut self, chars: usize) -> Self {
        self.words = chars;
        self
    }

    /// Sets to how many characters older results are cut before a summary is asked for; `usize::MAX` cuts none.
    pub const fn shorten_results(mut self, chars: usize) -> Self {
        self.results = chars;
        self
    }

    /// Cuts the results of all but so many of the last exchanges, at least one: the model may not have seen that yet.
    fn shortened(&self, history: &History, exchanges: usize) -> Plan {
        let answers: Vec<&Exchange> =
            history.exchanges().iter().filter(|exchange| !exchange.is_input()).collect();
        let older = answers.len().saturating_sub(exchanges.max(1));
        let mut plan = Plan { compaction: Compaction::without_summary(), gained: 0, gained_bytes: 0 };
        for exchange in answers.into_iter().take(older) {
            let long = exchange.observations().map(|(_, chars)| chars.saturating_sub(self.results));
            plan.gained += long.sum::<usize>();
            plan.compaction = plan.compaction.shortening(exchange, self.results);
        }
        plan.gained_bytes = plan.gained;
        plan
    }

    /// Replaces all but so many of the last exchanges and so much of a person's words.
    fn replaced(&self, history: &History, exchanges: usize, words: usize) -> Plan {
        let (mut words_left, mut exchanges_left) = (words, exchanges);
        // Images may have few characters and many bytes.
        let mut bytes_left = history.byte_limit() / 2;
        let (mut gained, mut gained_bytes, mut going) = (0, 0, Vec::new());
        for exchange in history.exchanges().iter().rev() {
            let (chars, bytes) = (exchange.chars(), exchange.bytes());
            if exchange.is_input() {
                if let (Some(left), Some(in_bytes)) =
                    (words_left.checked_sub(chars), bytes_left.checked_sub(bytes))
                {
                    (words_left, bytes_left) = (left, in_bytes);
                    continue;
                }
                words_left = 0;
            } else if let Some(left) = exchanges_left.checked_sub(1) {
                exchanges_left = left;
                continue;
            }
            // A summary of a summary is no smaller.
            gained += if exchange.is_summary() { 0 } else { chars };
            gained_bytes += if exchange.is_summary() { 0 } else { bytes };
            going.push(exchange);
        }
        let compaction = Compaction::asking(&*self.instruction).replacing_all(going.into_iter().rev());
        Plan { compaction, gained, gained_bytes }
    }
}

impl Default for Summarizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Compactor for Summarizer {
    async fn compact(&self, history: &History) -> Option<Compaction> {
        // A summary of less than this is hardly smaller than what it stands for.
        let worth = (history.chars() / 10).max(1);
        let target = history.size().target();
        let byte_target = history.byte_limit() / 2;
        let is_worth_it = |plan: &Plan| {
            plan.gained >= worth || history.bytes() > history.byte_limit() && plan.gained_bytes > 0
        };
        let leaves_room = |plan: &Plan| {
            history.chars().saturating_sub(plan.gained) <= target
                && history.bytes().saturating_sub(plan.gained_bytes) <= byte_target
        };
        let kept = || (0..=self.exchanges.min(history.exchanges().len())).rev();
        // Shorter results are as many items, and a host that asks wants more than that.
        let may_shorten = history.reason() == CompactionReason::Size;
        let shortened = kept().filter(|_| may_shorten).map(|exchanges| self.shortened(history, exchanges));
        let words = [self.words, self.words.min(target / 4), 0];
        let replaced = kept().map(|exchanges| self.replaced(history, exchanges, self.words));
        let fewer_words = words.into_iter().skip(1).map(|words| self.replaced(history, 0, words));
        let mut plans = shortened.chain(replaced).chain(fewer_words).filter(is_worth_it);
        if let Some(plan) = plans.find(leaves_room) {
            return Some(plan.compaction);
        }
        // Nothing leaves that much room: as much of it as there is.
        let most = words.into_iter().map(|words| self.replaced(history, 0, words)).find(is_worth_it);
        most.map(|plan| plan.compaction)
    }
}
