//! Carries out what is planned, and records what happens.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::definition::Definition;
use super::mirror::Mirror;
use super::plan::{Next, plan};
use super::state::RunState;
use super::update::Update;
use super::writer::Writer;
use crate::error::RunError;
use crate::event::{Action, Call, Decision, Ending, Event, Finish, Reply};
use crate::execute::ToolExecutor;
use crate::journal::Durability;
use crate::message::Prompt;
use crate::registry::Registry;
use crate::session::Session;

/// A run on its way.
pub(crate) struct Driver<R: Registry> {
    pub(crate) definition: Arc<Definition<R>>,
    /// The handlers of the tools; none where a project brings its own executor.
    pub(crate) handlers: Option<Arc<ToolExecutor<R::State>>>,
    pub(crate) session: Session<R>,
    pub(crate) state: RunState,
    pub(crate) updates: mpsc::UnboundedSender<Update>,
    /// Whether somebody asked to cancel.
    pub(crate) cancel: watch::Receiver<bool>,
    /// Tells handlers, once the journal holds it.
    pub(crate) cancelled: watch::Sender<bool>,
    pub(crate) writer: Writer,
    pub(crate) mirror: Mirror<R>,
    /// The last prompt that was sealed.
    pub(crate) prompt: Option<Prompt>,
    /// Why it rests, while a person must look first.
    pub(crate) suspended: Option<Ending>,
    /// Why it cannot go on.
    pub(crate) fault: Option<RunError>,
}

impl<R: Registry> Driver<R> {
    /// Goes on until the run ends or must wait for a person, or cannot go on.
    pub(crate) async fn drive(&mut self) {
        self.suspended = None;
        if let Err(fault) = self.go_on().await {
            self.fault = Some(fault);
        }
    }

    async fn go_on(&mut self) -> Result<(), RunError> {
        loop {
            self.notice_cancelling().await?;
            match plan(&self.state, &self.definition.budget) {
                Next::Ask => self.ask().await?,
                Next::Interpret(reply) => self.interpret(&reply),
                Next::Act => {
                    if !self.act().await? {
                        return self.suspend(Ending::AwaitingApproval).await;
                    }
                }
                Next::End(ending) => self.end(ending).await?,
                Next::Suspend(ending) => return self.suspend(ending).await,
                Next::Done => return Ok(()),
            }
        }
    }

    /// Records what happens, in the ledger and in the state. The journal has it with the next [`commit`](Self::commit).
    pub(crate) fn record(&mut self, event: Event) {
        self.state.apply(&event);
        self.session.append(event);
    }

    /// Returns when everything recorded so far is on stable storage.
    pub(crate) async fn commit(&mut self) -> Result<(), RunError> {
        let events = self.session.take_unwritten();
        if !events.is_empty() {
            self.writer.append(&events, Durability::Barrier).await?;
        }
        Ok(())
    }

    /// Tells the host; it may have stopped listening.
    pub(crate) fn tell(&self, update: Update) {
        drop(self.updates.send(update));
    }

    /// Whether it waits for a person although it was cancelled.
    pub(crate) fn waits_in_vain(&self) -> bool {
        self.suspended.is_some() && self.state.ending.is_none() && *self.cancel.borrow()
    }

    /// Handlers hear of it when the journal holds it.
    pub(crate) async fn notice_cancelling(&mut self) -> Result<(), RunError> {
        if *self.cancel.borrow() && !self.state.cancelled && self.state.ending.is_none() {
            self.record(Event::CancelRequested { now: false });
            self.commit().await?;
            self.cancelled.send_replace(true);
        }
        Ok(())
    }

    async fn suspend(&mut self, ending: Ending) -> Result<(), RunError> {
        self.record(Event::RunSuspended { ending: ending.clone() });
        self.commit().await?;
        self.suspended = Some(ending);
        Ok(())
    }

    pub(super) async fn end(&mut self, ending: Ending) -> Result<(), RunError> {
        self.record(Event::RunEnded { ending: ending.clone() });
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
        let decision = self.without_empty_texts(decision, native);
        let actions: &[Action] = match &decision {
            Decision::Act { actions, .. } => actions,
            Decision::Final { .. } | Decision::Invalid { .. } => &[],
        };
        let calls: Vec<Call> =
            self.session.new_calls().zip(actions).map(|(id, action)| Call::new(id, action.clone())).collect();
        let item = self.session.new_item();
        let explanation = matches!(decision, Decision::Invalid { .. }).then(|| self.session.new_item());
        let interpreter = self.definition.names.interpreter.to_owned();
        self.record(Event::Decided { item, decision, calls, native, explanation, interpreter });
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
                explanation: filled(explanation, &texts.empty_observation),
            },
        }
    }
}
