//! What a run knows of its compactions: a part of the pure fold of its events.

use super::report::SummaryCost;
use crate::error::ModelErrorClass;
use crate::event::{Definitions, Ending, Event};

/// Whether a session was compacted since the last request for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Compacting {
    #[default]
    NotTried,
    UnderWay,
    Applied,
    Abandoned,
}

/// What a run knows of its compactions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compactions {
    /// The compaction since the last request for a step.
    pub(crate) phase: Compacting,
    /// The cost of the requests for summaries.
    pub(crate) cost: SummaryCost,
    /// The size of the prompt behind the last attempt, in characters: the next one waits until it has grown.
    pub(crate) last_chars: Option<usize>,
    /// The size of the request that the provider refused as too long in this run, in characters.
    pub(crate) refused_chars: Option<usize>,
    /// Whether that was the last request for a step.
    pub(crate) is_refused: bool,
    /// Whether the run before ended because its prompt was over the budget.
    pub(crate) overflowed: bool,
}

impl Compactions {
    /// Returns `true` while a compaction is under way.
    pub(crate) fn is_under_way(&self) -> bool {
        self.phase == Compacting::UnderWay
    }

    /// Begins anew with a run. Another strategy need not wait for what this one could not do.
    pub(super) fn next_run(&self, ending: Option<&Ending>, before: &Definitions, now: &Definitions) -> Self {
        let overflowed =
            matches!(ending, Some(Ending::ContextOverflow { .. } | Ending::RequestTooLarge { .. }));
        let is_same = before.get("compactor") == now.get("compactor");
        Self { overflowed, last_chars: self.last_chars.filter(|_| is_same), ..Self::default() }
    }

    /// Takes what happened; `prompt_chars` is the size of the last request for a step.
    pub(super) fn apply(&mut self, event: &Event, prompt_chars: usize) {
        match event {
            Event::CompactionStarted { .. } => self.phase = Compacting::UnderWay,
            Event::CompactionApplied { .. } => self.phase = Compacting::Applied,
            Event::CompactionAbandoned { chars, .. } => {
                self.phase = Compacting::Abandoned;
                self.last_chars = chars.or(self.last_chars);
            }
            Event::PromptSealed { seal } if self.is_under_way() => {
                self.cost.requests += 1;
                self.cost.chars = self.cost.chars.saturating_add(seal.chars);
            }
            Event::PromptSealed { seal } => {
                self.last_chars = match self.phase {
                    Compacting::Applied => Some(seal.chars),
                    // What was taken back since may grow again.
                    _ => self.last_chars.map(|chars| chars.min(seal.chars)),
                };
                self.phase = Compacting::NotTried;
                self.is_refused = false;
            }
            Event::ModelReplied { reply } if self.is_under_way() => {
                self.cost.usage.add(reply.usage());
                self.cost.chars = self.cost.chars.saturating_add(reply.as_text().chars().count());
            }
            Event::ModelFailed { error, closing: None }
                if !self.is_under_way() && error.class() == ModelErrorClass::ContextTooLong =>
            {
                self.refused_chars = Some(prompt_chars);
                self.is_refused = true;
            }
            _ => {}
        }
    }
}
