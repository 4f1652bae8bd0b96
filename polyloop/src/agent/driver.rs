//! Carries out what is planned, and records what happens.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::definition::Definition;
use super::plan::{Next, before_sending, plan};
use super::state::RunState;
use super::update::Update;
use crate::error::{ModelError, ModelErrorClass};
use crate::event::{Action, Call, Closing, Decision, Ending, Event, Finish, Reply, Usage};
use crate::execute::ToolExecutor;
use crate::message::Prompt;
use crate::model::Deltas;
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
    pub(crate) cancelled: watch::Receiver<bool>,
    /// The last prompt that was sealed.
    pub(crate) prompt: Option<Prompt>,
    pub(crate) usage: Usage,
    /// Why it rests, while a person must look first.
    pub(crate) suspended: Option<Ending>,
}

impl<R: Registry> Driver<R> {
    /// Goes on until the run ends or must wait for a person.
    pub(crate) async fn drive(&mut self) {
        self.suspended = None;
        loop {
            self.notice_cancelling();
            match plan(&self.state, &self.definition.budget) {
                Next::Ask => self.ask().await,
                Next::Interpret(reply) => self.interpret(&reply),
                Next::Act => {
                    if !self.act().await {
                        return self.suspend(Ending::AwaitingApproval);
                    }
                }
                Next::End(ending) => self.end(ending),
                Next::Suspend(ending) => return self.suspend(ending),
                Next::Done => return,
            }
        }
    }

    /// Records what happened, in the ledger and in the state.
    pub(crate) fn record(&mut self, event: &Event) {
        self.session.append(event);
        self.state.apply(event);
    }

    /// Tells the host; it may have stopped listening.
    pub(crate) fn tell(&self, update: Update) {
        drop(self.updates.send(update));
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Whether it waits for a person although it was cancelled.
    pub(crate) fn waits_in_vain(&self) -> bool {
        self.suspended.is_some() && self.state.ending.is_none() && self.is_cancelled()
    }

    fn notice_cancelling(&mut self) {
        if self.is_cancelled() && !self.state.cancelled && self.state.ending.is_none() {
            self.record(&Event::CancelRequested);
        }
    }

    fn suspend(&mut self, ending: Ending) {
        self.suspended = Some(ending);
    }

    fn end(&mut self, ending: Ending) {
        self.record(&Event::RunEnded { ending: ending.clone() });
        self.tell(Update::Ended { ending });
    }

    async fn ask(&mut self) {
        let prompt = self.session.prompt().with_tools(self.definition.header.clone());
        let chars = prompt.chars();
        if let Some(ending) = before_sending(&self.state, &self.definition.budget, chars) {
            return self.end(ending);
        }
        self.record(&Event::PromptSealed);
        self.tell(Update::Asked { step: self.state.steps + 1, chars });
        let updates = self.updates.clone();
        let deltas = Deltas::new(move |text| drop(updates.send(Update::Delta { text: text.to_owned() })));
        let replied = self.definition.model.ask_boxed(&prompt, &deltas).await;
        self.prompt = Some(prompt);
        match replied {
            Ok(reply) if reply.is_empty() => {
                self.failed(ModelError::new(
                    ModelErrorClass::Empty,
                    "the reply has neither a call nor any text",
                ));
            }
            Ok(reply) => {
                let usage = reply.usage();
                self.usage.prompt += usage.prompt;
                self.usage.cached += usage.cached;
                self.usage.reply += usage.reply;
                let reply = Arc::new(reply);
                self.record(&Event::ModelReplied { reply: reply.clone() });
                self.tell(Update::Replied { reply });
            }
            Err(error) => self.failed(error),
        }
    }

    /// Closes the step with the fixed texts.
    fn failed(&mut self, error: ModelError) {
        let texts = &self.definition.texts;
        let (reply, observation) = (texts.failed_reply.clone(), texts.failed_observation.clone());
        let closing = Closing {
            reply: (self.session.new_item(), reply),
            observation: (self.session.new_item(), observation),
        };
        self.tell(Update::Failed { error: error.clone() });
        self.record(&Event::ModelFailed { error, closing });
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
            actions.iter().map(|action| Call::new(self.session.new_call(), action.clone())).collect();
        let item = self.session.new_item();
        let explanation = matches!(decision, Decision::Invalid { .. }).then(|| self.session.new_item());
        self.record(&Event::Decided { item, decision, calls, native, explanation });
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
