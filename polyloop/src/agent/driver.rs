//! Carries out what is planned, and records what happens.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{Either, select};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::carry_out::Acting;
use super::clock::Clock;
use super::definition::Definition;
use super::handle::{Cancel, Ear, Heard, RunHandle, Said};
use super::mirror::Mirror;
use super::open::Opened;
use super::plan::{Next, plan};
use super::state::RunState;
use super::update::{Told, Update};
use super::writer::Writer;
use crate::error::{RecordError, RunError};
use crate::event::{Action, Call, Decision, Ending, Event, Finish, Reply};
use crate::journal::Durability;
use crate::message::{Prompt, ToolDefinition};
use crate::registry::Registry;
use crate::session::{Session, TurnContext};

/// A run on its way.
pub(crate) struct Driver<R: Registry> {
    pub(crate) definition: Arc<Definition<R>>,
    /// What carries out the actions.
    pub(super) acting: Acting<R::State>,
    pub(crate) session: Session<R>,
    pub(crate) state: RunState,
    pub(crate) updates: mpsc::UnboundedSender<Told>,
    /// Whether something was told since the host could last take it.
    pub(super) told: bool,
    pub(crate) ear: Ear,
    /// Tells handlers that the run is cancelled, once the journal holds it.
    pub(crate) cancelled: watch::Sender<bool>,
    /// Whether it rests behind each thing that it carried out.
    pub(crate) stepwise: Arc<AtomicBool>,
    pub(crate) writer: Writer,
    pub(crate) mirror: Mirror<R>,
    /// What the run began with; none where it was taken up.
    pub(crate) turn: Option<TurnContext>,
    /// The last prompt that was sealed.
    pub(crate) prompt: Option<Prompt>,
    /// Whether the next one extends it, as long as nothing but adding happens.
    pub(crate) extends: bool,
    /// How often what stood had been changed otherwise when it was sealed.
    pub(crate) breaks: u64,
    pub(crate) clock: Clock,
    /// The body of the last request, while its reply is not there; none where the model takes the prompt as it is.
    pub(crate) body: Option<Vec<u8>>,
    /// The native tools that stand in the last header that was recorded.
    pub(crate) recorded_tools: Option<Arc<[ToolDefinition]>>,
    /// The size of the prompt for which the strategy had no plan, in characters.
    pub(crate) declined_at: Option<usize>,
    /// Whether the host wants the session to be compacted before the next request.
    pub(crate) asked_to_compact: bool,
    /// Why something that was said to this run was not recorded.
    pub(crate) not_recorded: Arc<Vec<RecordError>>,
    /// When the model may be asked again, where the provider asked for fewer requests and the step was closed.
    pub(crate) not_before: Option<Instant>,
    /// Why it rests, while a person must look first.
    pub(crate) suspended: Option<Ending>,
    /// Why it cannot go on.
    pub(crate) fault: Option<RunError>,
}

/// A driver, and what its host has of it.
type WithEnds<R> = (Driver<R>, RunHandle<R>, mpsc::UnboundedReceiver<Told>);

impl<R: Registry> Driver<R> {
    /// Makes the driver of a session that was opened.
    pub(super) fn new(
        definition: Arc<Definition<R>>,
        acting: Acting<R::State>,
        opened: Opened<R>,
    ) -> WithEnds<R> {
        let Opened { writer, mirror, state, .. } = opened;
        let session = mirror.session().twin().journaled();
        let (updates, receiver) = mpsc::unbounded_channel();
        let (handle, mut ear) = Ear::new(definition.clone(), state.cancel);
        if state.ending.is_some() {
            ear.close();
        }
        let driver = Self {
            acting,
            session,
            updates,
            told: false,
            ear,
            cancelled: watch::channel(state.is_cancelled()).0,
            stepwise: Arc::default(),
            writer,
            turn: None,
            prompt: mirror.sent().map(|prompt| prompt.clone().with_tools(definition.header(&state.enabled))),
            mirror,
            extends: false,
            breaks: 0,
            clock: Clock::default(),
            body: None,
            recorded_tools: None,
            declined_at: None,
            asked_to_compact: false,
            not_recorded: Arc::default(),
            not_before: None,
            suspended: None,
            fault: None,
            definition,
            state,
        };
        (driver, handle, receiver)
    }

    /// Goes on until the run ends or must wait for a person, or cannot go on.
    pub(crate) async fn drive(&mut self) {
        if self.fault.is_some() {
            return;
        }
        self.suspended = None;
        self.start_clock();
        if let Err(fault) = self.go_on().await {
            self.remark_late_outcomes(&fault).await;
            self.stop_at_fault(fault);
        }
        self.clock.stop();
    }

    /// What is said from now on would be lost, so nobody is told that it was taken.
    fn stop_at_fault(&mut self, fault: RunError) {
        self.fault = Some(fault);
        self.ear.close();
    }

    async fn go_on(&mut self) -> Result<(), RunError> {
        loop {
            self.let_the_host_hear().await;
            self.notice().await?;
            match plan(&self.state) {
                Next::Ask => self.ask().await?,
                Next::Interpret(reply) => self.interpret(&reply),
                Next::Act => {
                    if !self.act().await? {
                        return self.suspend(Ending::AwaitingApproval).await;
                    }
                }
                Next::Check => {
                    self.check_after_step().await?;
                    if self.suspended.is_some() {
                        return Ok(());
                    }
                }
                Next::Done => return Ok(()),
            }
            if self.rests_behind_each() {
                // Nobody knows for how long it rests.
                self.commit().await?;
                if self.rests_behind_each() {
                    return Ok(());
                }
            }
        }
    }

    /// Asked again behind each wait: whoever waited for one thing may not do so any more.
    fn rests_behind_each(&self) -> bool {
        self.stepwise.load(Ordering::Relaxed)
    }

    /// Records what happens, in the ledger and in the state. The journal has it with the next [`commit`](Self::commit).
    pub(crate) fn record(&mut self, event: Event) {
        self.state.apply(&event);
        self.session.append(event);
    }

    /// Returns when everything recorded so far is on stable storage.
    pub(crate) async fn commit(&mut self) -> Result<(), RunError> {
        if !self.session.unwritten().is_empty() {
            self.mark_clock();
            self.writer.append(self.session.unwritten(), Durability::Barrier).await?;
            self.session.written();
        }
        Ok(())
    }

    /// Commits while the run rests; what goes wrong stops the run.
    pub(super) async fn commit_or_fault(&mut self) {
        if let Err(fault) = self.commit().await {
            self.remark_late_outcomes(&fault).await;
            self.stop_at_fault(fault);
        }
    }

    /// Whether there is something to carry out.
    pub(super) fn can_step(&self) -> bool {
        let open = self.fault.is_none() && self.state.ending.is_none();
        open && (self.suspended.is_none() || self.is_spoken_to())
    }

    /// Whether it goes on although it waits for a person: whatever it waits for, of a run that is cancelled nobody
    /// needs to answer, and what is said meanwhile belongs into the journal.
    pub(crate) fn is_spoken_to(&self) -> bool {
        self.suspended.is_some()
            && self.state.ending.is_none()
            && self.fault.is_none()
            && (self.ear.cancel() > self.state.cancel || self.ear.has_words())
    }

    /// Takes what was said meanwhile, and hears whether to cancel.
    pub(crate) async fn notice(&mut self) -> Result<(), RunError> {
        if self.state.ending.is_some() {
            return Ok(());
        }
        while let Some(said) = self.ear.said() {
            self.take(said);
        }
        let asked = self.ear.cancel();
        if asked > self.state.cancel { self.cancel(asked).await } else { Ok(()) }
    }

    /// Waits for something; meanwhile what is said is recorded, and cancelling is heard. None where it is to be dropped.
    pub(crate) async fn attend<T>(&mut self, work: impl Future<Output = T>) -> Result<Option<T>, RunError> {
        self.attend_unless(|state| state.cancel == Cancel::Now, work).await
    }

    /// As [`attend`](Self::attend); what is under way is dropped as soon as this is true of the run.
    pub(crate) async fn attend_unless<T>(
        &mut self,
        drops: impl Fn(&RunState) -> bool,
        work: impl Future<Output = T>,
    ) -> Result<Option<T>, RunError> {
        self.let_the_host_hear().await;
        let mut work = pin!(work);
        loop {
            let heard = match select(work.as_mut(), pin!(self.ear.hear(self.state.cancel))).await {
                Either::Left((done, _)) => return Ok(Some(done)),
                Either::Right((heard, _)) => heard,
            };
            match heard {
                Heard::Cancel(asked) => self.cancel(asked).await?,
                Heard::Said(said) => {
                    self.take(said);
                    self.commit().await?;
                }
            }
            if drops(&self.state) {
                return Ok(None);
            }
        }
    }

    fn take(&mut self, said: Said) {
        match said {
            Said::Input(input) => match self.session.turn(&[input]) {
                Ok(turn) => self.begin_turn(&turn),
                Err(error) => self.not_recorded(error),
            },
            Said::Note(fragment, until) => self.session.queue_note(fragment, until),
            Said::Withdraw(kind) => drop(self.session.withdraw(kind)),
            Said::Words(words) => {
                if let Err(error) = self.session.record(words).map(drop) {
                    self.not_recorded(error);
                }
            }
            Said::Compact => self.asked_to_compact = true,
            Said::Remark(text) => self.record(Event::RemarkRecorded { text, late: None }),
            Said::Enable(tools) => self.record(Event::ToolsEnabled { tools }),
        }
    }

    /// Handlers hear of it when the journal holds it.
    async fn cancel(&mut self, asked: Cancel) -> Result<(), RunError> {
        self.record(Event::CancelRequested { now: asked == Cancel::Now });
        self.commit().await?;
        self.cancelled.send_replace(true);
        Ok(())
    }

    pub(super) async fn suspend(&mut self, ending: Ending) -> Result<(), RunError> {
        self.mark_clock();
        self.record(Event::RunSuspended { ending: ending.clone() });
        self.commit().await?;
        self.suspended = Some(ending);
        Ok(())
    }

    pub(super) async fn end(&mut self, ending: Ending) -> Result<(), RunError> {
        // Nobody is told that words were taken, and then they are lost.
        self.ear.close();
        while let Some(said) = self.ear.said() {
            self.take(said);
        }
        let told = (ending == Ending::Cancelled)
            .then(|| (self.session.new_item(), self.definition.texts.cancelled.clone()));
        self.record(Event::RunEnded { ending: ending.clone(), told });
        self.commit().await?;
        self.tell(Update::Ended { ending });
        Ok(())
    }

    fn interpret(&mut self, reply: &Reply) {
        let interpreter = &self.definition.interpreter;
        let native = interpreter.reads_native_calls();
        let decision = if reply.finish() == Finish::Length {
            Decision::invalid(reply.as_text(), &self.definition.texts.cut_reply)
        } else {
            interpreter.interpret(reply)
        };
        let decision = self.within_calls_per_reply(decision);
        let decision = self.bounded(self.without_empty_texts(decision, native));
        let actions: &[Action] = match &decision {
            Decision::Act { actions, .. } => actions,
            Decision::Final { .. } | Decision::Invalid { .. } => &[],
        };
        let calls: Vec<Call> =
            self.session.new_calls().zip(actions).map(|(id, action)| Call::new(id, action.clone())).collect();
        let item = self.session.new_item();
        let explanation = matches!(decision, Decision::Invalid { .. }).then(|| self.session.new_item());
        let interpreter = self.definition.names.interpreter.clone();
        let forged_marker =
            R::holds_marker(decision.history_text()) || calls.iter().any(Call::holds_marker::<R>);
        self.record(Event::Decided {
            item,
            decision,
            calls,
            native,
            explanation,
            interpreter,
            forged_marker,
        });
    }

    /// Refuses a decision with more actions than one reply may ask for.
    fn within_calls_per_reply(&self, decision: Decision) -> Decision {
        let limit = self.definition.budget.calls_per_reply;
        match decision {
            Decision::Act { history_text, actions } if actions.len() > limit => {
                Decision::invalid(history_text, self.definition.texts.too_many_calls.fill(&limit.to_string()))
            }
            decision => decision,
        }
    }

    /// An explanation is an observation as well, and no longer than one may be.
    fn bounded(&self, decision: Decision) -> Decision {
        match decision {
            Decision::Invalid { history_text, explanation } => {
                let most = self.definition.budget.observation_chars;
                let cut = self.definition.texts.cut(&[Arc::from(explanation.as_str())], 0, most, None);
                let explanation = cut.map_or(explanation, |parts| parts.concat());
                Decision::Invalid { history_text, explanation }
            }
            other => other,
        }
    }

    /// No message is ever empty, and no decision to act is without an action.
    fn without_empty_texts(&self, decision: Decision, native: bool) -> Decision {
        let texts = &self.definition.texts;
        let filled = |text: String, fixed: &str| if text.trim().is_empty() { fixed.to_owned() } else { text };
        match decision {
            Decision::Act { history_text, actions } if actions.is_empty() => Decision::invalid(
                filled(history_text, &texts.no_text),
                "the reply asks for nothing; name an action",
            ),
            Decision::Act { history_text, actions } if native => Decision::Act { history_text, actions },
            Decision::Act { history_text, actions } => {
                Decision::Act { history_text: filled(history_text, &texts.no_text), actions }
            }
            Decision::Final { history_text, answer } if answer.trim().is_empty() => {
                Decision::invalid(filled(history_text, &texts.no_text), "the answer is empty; write it")
            }
            Decision::Final { history_text, answer } => {
                Decision::Final { history_text: filled(history_text, &texts.no_text), answer }
            }
            Decision::Invalid { history_text, explanation } => Decision::Invalid {
                history_text: filled(history_text, &texts.no_text),
                explanation: filled(explanation, &texts.observation.empty),
            },
        }
    }
}
