//! The stock strategy: the model writes a summary of what it did.

use super::{Compaction, Compactor, History};

/// How many exchanges stay unless set.
const KEPT: usize = 2;
/// How much of a person's words stays unless set, in characters.
const WORDS: usize = 20_000;
const INSTRUCTION: &str = "Stop here. Your context is full: what you did and saw so far will be replaced by a summary, which \
you write now, for yourself. Say what the task is and what was asked of you, what you did and with what result, what you \
found out, what you decided and why, what was left undone, and what comes next. Keep names, paths, numbers and exact \
wordings that are needed later. Say clearly what must not be done a second time. Answer with the summary alone; call no tool.";

/// Lets the model of the run summarise what it did and saw.
///
/// It replaces everything but the last exchanges, which stay word for word, and a person's latest words up to a size. The
/// last exchanges go as well where the prompt would be no smaller without them.
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
}

impl Summarizer {
    /// Makes the strategy with its own instruction; it keeps 2 exchanges and 20 000 characters of a person's words.
    pub fn new() -> Self {
        Self { instruction: INSTRUCTION.to_owned(), exchanges: KEPT, words: WORDS }
    }

    /// Sets what the model is told to write.
    pub fn instruction(mut self, instruction: impl Into<String>) -> Self {
        self.instruction = instruction.into();
        self
    }

    /// Sets how many of the last exchanges stay word for word, as long as that leaves something to be gained.
    pub const fn keep_exchanges(mut self, exchanges: usize) -> Self {
        self.exchanges = exchanges;
        self
    }

    /// Sets how much of a person's words stays, the latest first, in characters.
    pub const fn keep_words(mut self, chars: usize) -> Self {
        self.words = chars;
        self
    }

    /// What goes if so many of the last exchanges stay, and its size in characters.
    fn plan(&self, history: &History, exchanges: usize) -> (Compaction, usize) {
        let (mut words_left, mut exchanges_left) = (self.words, exchanges);
        let (mut plan, mut gained) = (Compaction::asking(&*self.instruction), 0);
        let mut going = Vec::new();
        for exchange in history.exchanges().iter().rev() {
            let chars = exchange.chars();
            if exchange.is_input() {
                if let Some(left) = words_left.checked_sub(chars) {
                    words_left = left;
                    continue;
                }
                words_left = 0;
            } else if let Some(left) = exchanges_left.checked_sub(1) {
                exchanges_left = left;
                continue;
            }
            // A summary of a summary is no smaller.
            gained += if exchange.is_summary() { 0 } else { chars };
            going.push(exchange);
        }
        plan = plan.replacing_all(going.into_iter().rev());
        (plan, gained)
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
        let plans = (0..=self.exchanges).rev().map(|exchanges| self.plan(history, exchanges));
        let mut plans = plans.filter(|(_, gained)| *gained > 0);
        let first = plans.next()?;
        let (plan, _) = if first.1 >= worth { first } else { plans.find(|(_, gained)| *gained >= worth)? };
        Some(plan)
    }
}
