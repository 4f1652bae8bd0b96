//! Carries out a compaction: between two steps, checked like any other request, and only where something is gained.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::driver::Driver;
use super::plan::before_request;
use super::state::{Compacting, RunState};
use super::update::Update;
use crate::compact::{DynCompactor, Exchange, History, Summary};
use crate::error::{ModelError, ModelErrorClass, RunError};
use crate::event::{CompactionReason, Event, Finish, Reply};
use crate::execute::has_timer;
use crate::message::ItemId;
use crate::model::{Deltas, SealedRequest};
use crate::registry::Registry;
use crate::tool::Replay;

/// Less than one part in so many of the prompt is no gain.
const WORTH: usize = 20;
/// Of how many calls that took effect the model is told by name.
const MOST_EFFECTS: usize = 50;

/// Why a compaction is not begun.
enum NotBegun {
    NothingToGain,
    /// The request for the summary is over the budget, with so many characters.
    TooLong(usize),
}

impl<R: Registry> Driver<R> {
    /// Compacts the session where that is wanted; `false` where it was not, or nothing could be gained.
    pub(super) async fn compact_if_wanted(&mut self, chars: usize) -> Result<bool, RunError> {
        let Some(compactor) = self.definition.compactor.clone() else { return Ok(false) };
        let Some(reason) = self.wants_compaction(chars) else { return Ok(false) };
        self.asked_to_compact = false;
        let why = match self.begin_compaction(&*compactor, reason, chars).await? {
            Ok(()) => return Ok(true),
            Err(NotBegun::NothingToGain) if reason != CompactionReason::Asked => return Ok(false),
            // Whoever asked is answered.
            Err(NotBegun::NothingToGain) => "nothing is to be gained".to_owned(),
            // Else a host would see a session that grows until it is too large, and not why.
            Err(NotBegun::TooLong(chars)) => format!(
                "the request for the summary would have {chars} characters, and the budget allows {}; compact earlier, \
                 with `Budget::compaction_chars`",
                self.definition.budget.prompt_chars
            ),
        };
        self.tell(Update::CompactionAbandoned { why });
        Ok(false)
    }

    /// Compacts the session, or says why that is not begun.
    async fn begin_compaction(
        &mut self,
        compactor: &dyn DynCompactor,
        reason: CompactionReason,
        chars: usize,
    ) -> Result<Result<(), NotBegun>, RunError> {
        let (ledger, budget) = (self.session.ledger(), self.definition.budget);
        let before = ledger.first_unseen();
        let history = History::new(ledger, before, reason, chars, budget.prompt_chars);
        if !is_worth_it(&history, budget.compaction_items) {
            return Ok(Err(NotBegun::NothingToGain));
        }
        let time = budget.compaction_time;
        let Some(planned) = self.within(time, compactor.compact_boxed(&history)).await?.flatten() else {
            return Ok(Err(NotBegun::NothingToGain));
        };
        let (replaced, summary) = planned.into_parts();
        let instruction = match &summary {
            Summary::Asked(instruction) => Some((self.session.new_item(), Arc::from(instruction.as_str()))),
            Summary::Written(_) | Summary::None => None,
        };
        let started = Event::CompactionStarted { reason, before, instruction };
        let size = if matches!(summary, Summary::Asked(_)) { self.chars_behind(&started) } else { 0 };
        if size > budget.prompt_chars {
            // Nothing that is over the budget is sent, for a summary neither.
            return Ok(Err(NotBegun::TooLong(size)));
        }
        self.record(started);
        self.tell(Update::Compacting { reason, chars });
        self.compact(&history, replaced, summary, before).await?;
        Ok(Ok(()))
    }

    /// The size of the request behind an event, in characters.
    fn chars_behind(&self, event: &Event) -> usize {
        let mut then = self.session.twin();
        then.follow(event);
        then.next_prompt().0.chars()
    }

    /// Why a compaction is wanted; never within a step, and once for each request.
    fn wants_compaction(&self, chars: usize) -> Option<CompactionReason> {
        let (state, budget) = (&self.state, &self.definition.budget);
        let tried = state.compaction != Compacting::NotTried;
        if tried || state.attempts > 0 || !before_request(state, budget, 0).is_empty() {
            return None;
        }
        if self.asked_to_compact {
            return Some(CompactionReason::Asked);
        }
        if chars >= budget.compaction_from() {
            return Some(CompactionReason::Size);
        }
        (self.session.items().len() >= budget.compaction_items).then_some(CompactionReason::Count)
    }

    async fn compact(
        &mut self,
        history: &History,
        replaced: Vec<ItemId>,
        summary: Summary,
        before: Option<ItemId>,
    ) -> Result<(), RunError> {
        let time = self.definition.budget.compaction_time;
        if !history.may_replace(&replaced.iter().copied().collect::<BTreeSet<_>>()) {
            return self
                .abandon("the strategy replaces what may not be replaced, or parts of an exchange")
                .await;
        }
        let text = match summary {
            Summary::None => None,
            Summary::Written(text) => Some(text),
            Summary::Asked(_) => match self.ask_for_summary(time).await? {
                Ok(text) => Some(text),
                Err(why) => return self.abandon(&why).await,
            },
        };
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return self.abandon("the summary is empty").await;
        }
        let may_be_repeated = |tool: &str| {
            let tools = &self.definition.tools;
            tools.get(tool).is_some_and(|spec| spec.replay != Replay::Never)
        };
        let effects = history.effects(&replaced.iter().copied().collect(), may_be_repeated);
        let told = self.told_of(&effects);
        let summary = match text {
            Some(text) => Some(self.definition.texts.summary.fill(text.trim()) + &told),
            // What must not be done again is told also where the rest is forgotten.
            None => (!told.is_empty()).then(|| told.trim_start().to_owned()),
        };
        let forged_marker = summary.as_ref().is_some_and(|text| R::holds_marker(text));
        let summary = summary.map(|text| (self.session.new_item(), Arc::from(text)));
        let sources = self.session.ledger().to_restate(before);
        let restated = sources.into_iter().map(|of| (self.session.new_item(), of)).collect();
        let applied = Event::CompactionApplied { replaced, summary, restated, effects, forged_marker };
        match self.gain(&applied, history.reason()) {
            Err(why) => self.abandon(&why).await,
            Ok(chars) => {
                self.record(applied);
                self.commit().await?;
                self.tell(Update::Compacted { chars });
                Ok(())
            }
        }
    }

    /// What the model is told of calls that took effect: of the last ones by name, of the others how many there are.
    fn told_of(&self, effects: &[String]) -> String {
        let (earlier, last) = effects.split_at(effects.len().saturating_sub(MOST_EFFECTS));
        if last.is_empty() {
            return String::new();
        }
        let earlier = (!earlier.is_empty()).then(|| format!("({} earlier ones)", earlier.len()));
        let lines: Vec<&str> =
            earlier.as_deref().into_iter().chain(last.iter().map(String::as_str)).collect();
        self.definition.texts.effects.fill(&lines.join("\n"))
    }

    /// Asks the model for a summary: behind the request that it knows, sealed and checked like any other.
    async fn ask_for_summary(&mut self, time: Duration) -> Result<Result<String, String>, RunError> {
        let (prompt, purpose) = self.session.next_prompt();
        let prompt = prompt.with_tools(self.definition.header(&self.state.enabled));
        self.seal(&prompt, purpose).await?;
        let (model, body) = (self.definition.model.clone(), self.body.take());
        let deltas = Deltas::new(|_| {});
        let request = SealedRequest::new(&prompt, body.as_deref(), 1, &deltas);
        let replied = self.within(time, model.ask_boxed(&request)).await?;
        let Some(replied) = replied else {
            self.record(Event::ModelAbandoned {});
            return Ok(Err("it took too long, or the run was cancelled meanwhile".to_owned()));
        };
        let replied = match replied {
            Ok(reply) => {
                self.record(Event::ModelReplied { reply: Arc::new(reply.clone()) });
                self.commit().await?;
                summary_of(&reply)
            }
            Err(error) => {
                self.record(Event::ModelFailed { error: error.clone(), closing: None });
                Err(error)
            }
        };
        Ok(replied.map_err(|error| error.to_string()))
    }

    /// Waits for something for so long; none where it takes longer, or the run is cancelled.
    async fn within<T>(
        &mut self,
        time: Duration,
        work: impl Future<Output = T>,
    ) -> Result<Option<T>, RunError> {
        let limited = async {
            if has_timer() { tokio::time::timeout(time, work).await.ok() } else { Some(work.await) }
        };
        let attended = self.attend_unless(RunState::is_cancelled, limited).await?;
        Ok(attended.flatten())
    }

    /// The size of the prompt afterwards, in characters; or why it is not worth it.
    fn gain(&self, applied: &Event, reason: CompactionReason) -> Result<usize, String> {
        let mut after = self.session.twin();
        let items = after.items().len();
        let chars = after.prompt().chars();
        after.follow(applied);
        let (items_after, chars_after) = (after.items().len(), after.prompt().chars());
        let smaller = chars_after.saturating_mul(WORTH) < chars.saturating_mul(WORTH - 1);
        if smaller || reason == CompactionReason::Count && items_after < items {
            return Ok(chars_after);
        }
        Err(format!(
            "nothing is gained: {chars} characters became {chars_after}, {items} items {items_after}"
        ))
    }

    async fn abandon(&mut self, why: &str) -> Result<(), RunError> {
        self.record(Event::CompactionAbandoned { why: why.to_owned() });
        self.commit().await?;
        self.tell(Update::CompactionAbandoned { why: why.to_owned() });
        Ok(())
    }
}

/// Whether so much may be replaced that something can be gained.
fn is_worth_it(history: &History, wanted_items: usize) -> bool {
    match history.reason() {
        CompactionReason::Count => history.items() >= wanted_items,
        CompactionReason::Size | CompactionReason::Asked => {
            let replaceable: usize = history.exchanges().iter().map(Exchange::chars).sum();
            replaceable.saturating_mul(WORTH) > history.chars()
        }
    }
}

/// What a model wrote, if it is all of it.
fn summary_of(reply: &Reply) -> Result<String, ModelError> {
    let refuse = |message| Err(ModelError::new(ModelErrorClass::Empty, message));
    match reply.finish() {
        Finish::Length => refuse("the summary was cut by its length limit"),
        Finish::ContentFilter => refuse("the provider cut the summary for its content"),
        _ if reply.as_text().trim().is_empty() => refuse("the reply holds no summary"),
        _ => Ok(reply.as_text().to_owned()),
    }
}
