//! Carries out a compaction: between two steps, checked like any other request, and only where something is gained.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::compactions::Compacting;
use super::driver::Driver;
use super::plan::before_request;
use super::state::RunState;
use super::update::Update;
use crate::compact::{CompactionParts, DynCompactor, Effect, Exchange, History, Size, Summary, fitting};
use crate::error::{ModelError, ModelErrorClass, RunError};
use crate::event::{CompactionReason, Event, Finish, Reply};
use crate::execute::has_timer;
use crate::fragment::OnCompact;
use crate::ledger::{Item, ItemContent};
use crate::message::{ItemId, Prompt};
use crate::model::{Deltas, SealedRequest};
use crate::registry::Registry;
use crate::tool::Replay;

/// Less than one part in so many of the prompt is no gain.
const WORTH: usize = 20;
/// For the calls that took effect there is one part in so many of the size from which a compaction is wanted.
const EFFECTS: usize = 4;

/// Why a compaction is not begun.
enum NotBegun {
    NothingToGain,
    /// The request for the summary is over the budget, with so many characters.
    TooLong(usize),
}

impl<R: Registry> Driver<R> {
    /// Compacts the session where that is wanted; `false` where it was not, or nothing could be gained.
    pub(super) async fn compact_if_wanted(&mut self, prompt: &Prompt) -> Result<bool, RunError> {
        let Some(compactor) = self.definition.compactor.clone() else { return Ok(false) };
        let size = self.size(prompt);
        let Some(reason) = self.wants_compaction(size) else { return self.make_room(size).await };
        self.asked_to_compact = false;
        let why = match self.begin_compaction(&*compactor, reason, size).await? {
            Ok(()) => return Ok(true),
            // Whoever asked is answered.
            Err(NotBegun::NothingToGain) if reason == CompactionReason::Asked => {
                Some("nothing is to be gained".to_owned())
            }
            Err(NotBegun::NothingToGain) => self.kept_by_default(size),
            // Else a host would see a session that grows until it is too large, and not why.
            Err(NotBegun::TooLong(chars)) => Some(format!(
                "the request for the summary would have {chars} characters, and the budget allows {}; compact earlier, \
                 with `Budget::compaction_chars`",
                self.definition.budget.prompt_chars
            )),
        };
        if reason != CompactionReason::Asked {
            self.declined_at = Some(size.chars);
        }
        if let Some(why) = why {
            self.tell(Update::CompactionAbandoned { why });
        }
        self.make_room(size).await
    }

    /// Names the kind that fills most of a prompt where compaction keeps it only because its type says nothing.
    fn kept_by_default(&self, size: Size) -> Option<String> {
        let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for item in self.session.items() {
            let Some(spec) = item.fragment().filter(|spec| !spec.on_compact_stated) else { continue };
            if spec.on_compact == OnCompact::Keep {
                let (number, chars) = kinds.entry(spec.kind).or_default();
                (*number, *chars) = (*number + 1, *chars + item.chars());
            }
        }
        let (kind, (number, chars)) = kinds.into_iter().max_by_key(|(_, (_, chars))| *chars)?;
        (number > 1 && chars > size.chars / 2).then(|| {
            format!(
                "nothing is to be gained: {chars} of {} characters are {number} statements of `{kind}`, which stay by default; \
                 give the kind `on_compact = drop`, or `lifetime = latest`",
                size.chars
            )
        })
    }

    /// The size of a prompt, and what the budget allows; less than a provider refused as too long in this run.
    pub(super) fn size(&self, prompt: &Prompt) -> Size {
        let budget = &self.definition.budget;
        let refused = self.state.compactions.refused_chars.map_or(usize::MAX, |chars| chars / 4 * 3);
        let limit = budget.prompt_chars.min(refused);
        Size {
            chars: prompt.chars(),
            limit,
            threshold: budget.compaction_from().min(limit),
            bytes: prompt.bytes(),
            byte_limit: budget.request_bytes,
        }
    }

    /// Compacts the session, or says why that is not begun.
    async fn begin_compaction(
        &mut self,
        compactor: &dyn DynCompactor,
        reason: CompactionReason,
        size: Size,
    ) -> Result<Result<(), NotBegun>, RunError> {
        let (ledger, budget) = (self.session.ledger(), self.definition.budget);
        let before = ledger.first_unseen();
        let history = History::new(ledger, before, reason, size);
        let outdated: usize = ledger.outdated_notes(before).into_iter().map(Item::chars).sum();
        if !is_worth_it(&history, outdated, budget.compaction_items) {
            return Ok(Err(NotBegun::NothingToGain));
        }
        let planned = self.within(budget.compaction_time, compactor.compact_boxed(&history)).await?.flatten();
        let plan = match planned {
            Some(planned) => planned.into_parts(),
            None if is_gain(size.chars, size.chars.saturating_sub(outdated)) => CompactionParts::nothing(),
            None => return Ok(Err(NotBegun::NothingToGain)),
        };
        let instruction = match &plan.summary {
            Summary::Asked(instruction) => Some((self.session.new_item(), Arc::from(instruction.as_str()))),
            Summary::Written(_) | Summary::None => None,
        };
        let started = Event::CompactionStarted { reason, before, instruction };
        if matches!(plan.summary, Summary::Asked(_)) {
            let asked = self.prompt_behind(&started);
            if asked.chars() > budget.prompt_chars || asked.bytes() > budget.request_bytes {
                // Nothing that is over the budget is sent, for a summary neither.
                return Ok(Err(NotBegun::TooLong(asked.chars())));
            }
        }
        self.record(started);
        self.tell(Update::Compacting { reason, chars: size.chars });
        self.compact(&history, plan, before).await?;
        Ok(Ok(()))
    }

    /// The request behind an event.
    fn prompt_behind(&self, event: &Event) -> Prompt {
        let mut then = self.session.twin();
        then.follow(event);
        then.next_prompt().0
    }

    /// Whether the prompt may be changed before it is sent: never within a step, unless the provider refused it.
    pub(super) fn may_change_prompt(&self) -> bool {
        let state = &self.state;
        (state.attempts == 0 || state.compactions.is_refused)
            && before_request(state, &self.definition.budget, 0, 0).is_empty()
    }

    /// Why a compaction is wanted; once for each request, and behind an attempt not before the prompt has grown by a tenth.
    fn wants_compaction(&self, size: Size) -> Option<CompactionReason> {
        if self.state.compactions.phase != Compacting::NotTried || !self.may_change_prompt() {
            return None;
        }
        if self.asked_to_compact {
            return Some(CompactionReason::Asked);
        }
        let last = self.state.compactions.last_chars.max(self.declined_at);
        let has_grown = last.is_none_or(|last| size.chars / 11 >= last / 10);
        if !has_grown && !self.state.compactions.is_refused {
            return None;
        }
        if size.chars >= size.threshold || size.bytes >= size.byte_limit / 5 * 4 {
            return Some(CompactionReason::Size);
        }
        let many = self.session.items().len() >= self.definition.budget.compaction_items;
        many.then_some(CompactionReason::Count)
    }

    async fn compact(
        &mut self,
        history: &History,
        plan: CompactionParts,
        before: Option<ItemId>,
    ) -> Result<(), RunError> {
        let time = self.definition.budget.compaction_time;
        let CompactionParts { replaces: replaced, shortens, summary } = plan;
        let chars = Some(history.chars());
        if !history.may_replace(&replaced.iter().copied().collect::<BTreeSet<_>>()) {
            let why = "the strategy replaces what may not be replaced, or parts of an exchange";
            return self.abandon(why, chars).await;
        }
        let text = match summary {
            Summary::None => None,
            Summary::Written(text) => Some(text),
            Summary::Asked(_) => match self.ask_for_summary(time).await? {
                Ok(text) => Some(text),
                Err(why) => {
                    // What was cancelled may be tried again at once.
                    let chars = chars.filter(|_| !self.state.is_cancelled());
                    return self.abandon(&why, chars).await;
                }
            },
        };
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return self.abandon("the summary is empty", chars).await;
        }
        let summary = text.map(|text| self.definition.texts.summary.fill(text.trim()));
        let shortened = self.shortened(history, &shortens);
        let applied = self.applied(history, replaced, shortened, summary, before);
        match self.gain(&applied, history) {
            Err(why) => self.abandon(&why, chars).await,
            Ok(chars) => {
                self.record(applied);
                self.restate_present_values();
                self.commit().await?;
                self.tell(Update::Compacted { chars });
                Ok(())
            }
        }
    }

    /// What is applied: the lines of the calls that took effect stand behind the summary, or alone where there is none.
    pub(super) fn applied(
        &mut self,
        history: &History,
        mut replaced: Vec<ItemId>,
        shortened: Vec<(ItemId, Arc<[Arc<str>]>)>,
        summary: Option<String>,
        before: Option<ItemId>,
    ) -> Event {
        let policy = |tool: &str| match self.definition.tools.get(tool) {
            Some(spec) if spec.keep_result => Some(Effect::Kept),
            Some(spec) if spec.replay == Replay::Safe => None,
            Some(_) | None => Some(Effect::Receipt),
        };
        let effects = history.effects(&replaced.iter().copied().collect(), policy);
        let lines = fitting(&effects, history.threshold() / EFFECTS);
        let told = if lines.is_empty() {
            String::new()
        } else {
            self.definition.texts.effects.fill(&lines.join("\n"))
        };
        let summary = match summary {
            Some(summary) => Some(summary + &told),
            // What must not be done again is told also where the rest is forgotten.
            None => (!told.is_empty()).then(|| told.trim_start().to_owned()),
        };
        let forged_marker = summary.as_ref().is_some_and(|text| R::holds_marker(text));
        let summary = summary.map(|text| (self.session.new_item(), Arc::from(text)));
        replaced.extend(self.session.ledger().outdated_notes(before).into_iter().map(Item::id));
        let (restated, in_place) = self.session.new_statements(before);
        Event::CompactionApplied {
            replaced,
            summary,
            restated,
            effects,
            forged_marker,
            shortened,
            keeps_present_notes: true,
            in_place,
            together: true,
        }
    }

    /// The texts of results that are cut to so many characters.
    pub(super) fn shortened(
        &self,
        history: &History,
        shortens: &[(ItemId, usize)],
    ) -> Vec<(ItemId, Arc<[Arc<str>]>)> {
        let cut = |(id, most): &(ItemId, usize)| {
            let mut items = history.exchanges().iter().flat_map(Exchange::items);
            let item = items.find(|item| item.id() == *id)?;
            let ItemContent::Observation { call, parts, missing, .. } = item.content() else { return None };
            let named = self.definition.named_in_notices(call);
            Some((*id, self.definition.texts.cut(parts, *missing, *most, named)?))
        };
        shortens.iter().filter_map(cut).collect()
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
    fn gain(&self, applied: &Event, history: &History) -> Result<usize, String> {
        let mut after = self.session.twin();
        let items = after.items().len();
        let before = after.prompt();
        after.follow(applied);
        let items_after = after.items().len();
        let prompt = after.prompt();
        let (chars, chars_after) = (before.chars(), prompt.chars());
        let lighter = before.bytes() > history.byte_limit() && is_gain(before.bytes(), prompt.bytes());
        let fewer = history.reason() == CompactionReason::Count && items_after < items;
        if is_gain(chars, chars_after) || lighter || fewer {
            return Ok(chars_after);
        }
        Err(format!(
            "nothing is gained: {chars} characters became {chars_after}, {items} items {items_after}"
        ))
    }

    async fn abandon(&mut self, why: &str, chars: Option<usize>) -> Result<(), RunError> {
        self.record(Event::CompactionAbandoned { why: why.to_owned(), chars });
        self.commit().await?;
        self.tell(Update::CompactionAbandoned { why: why.to_owned() });
        Ok(())
    }
}

/// Whether so much less is left that it is a gain.
fn is_gain(before: usize, after: usize) -> bool {
    after.saturating_mul(WORTH) < before.saturating_mul(WORTH - 1)
}

/// Whether so much may be replaced that something can be gained.
fn is_worth_it(history: &History, outdated: usize, wanted_items: usize) -> bool {
    match history.reason() {
        CompactionReason::Count => history.items() >= wanted_items,
        CompactionReason::Size | CompactionReason::Asked => {
            let chars: usize = history.exchanges().iter().map(Exchange::chars).sum();
            let bytes: usize = history.exchanges().iter().map(Exchange::bytes).sum();
            chars.saturating_add(outdated).saturating_mul(WORTH) > history.chars()
                || history.bytes() > history.byte_limit() && bytes > 0
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
