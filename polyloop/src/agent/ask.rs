//! Asks the model: seals a prompt, checks it against the journal, sends it.

use std::sync::Arc;

use super::driver::Driver;
use super::update::{Told, Update};
use crate::error::{JournalError, ModelError, ModelErrorClass, RunError};
use crate::event::{Closing, Event, Seal};
use crate::message::{Prompt, first_difference};
use crate::model::Deltas;
use crate::registry::Registry;

impl<R: Registry> Driver<R> {
    pub(super) async fn ask(&mut self) -> Result<(), RunError> {
        let header = self.definition.header(&self.state.enabled);
        let prompt = self.session.prompt().with_tools(header);
        let chars = prompt.chars();
        if !self.may_ask(chars).await? {
            return Ok(());
        }
        self.seal(&prompt).await?;
        self.tell(Update::Asked { step: self.state.steps + 1, chars });
        let updates = self.updates.clone();
        let deltas = Deltas::new(move |text| {
            drop(updates.send(Told::passing(Update::Delta { text: text.to_owned() })));
        });
        let model = self.definition.model.clone();
        self.prompt = Some(prompt.clone());
        let Some(replied) = self.attend(model.ask_boxed(&prompt, &deltas)).await? else {
            // It was dropped on its way: nobody knows what it costs.
            self.record(Event::ModelAbandoned {});
            return Ok(());
        };
        match replied {
            Ok(reply) if reply.is_empty() => {
                self.failed(ModelError::new(
                    ModelErrorClass::Empty,
                    "the reply has neither a call nor any text",
                ));
            }
            Ok(reply) => {
                let reply = Arc::new(reply);
                self.record(Event::ModelReplied { reply: reply.clone() });
                self.tell(Update::Replied { reply });
            }
            Err(error) => self.failed(error),
        }
        Ok(())
    }

    /// Seals a prompt: what leaves is what the journal holds, and what it yields when it is read back.
    async fn seal(&mut self, prompt: &Prompt) -> Result<(), RunError> {
        let messages = self.session.messages_hash(prompt);
        let seal = Seal {
            step: self.state.steps + 1,
            attempt: self.state.attempts + 1,
            chars: prompt.chars(),
            shared_chars: self.state.prompt_chars,
            messages,
            wire: None,
        };
        self.state.apply(&Event::PromptSealed { seal: seal.clone() });
        self.session.seal(seal);
        self.commit().await?;
        let checked = self.check_before_sending(prompt).await;
        if let Err(fault) = checked.as_ref()
            && !may_be_better_later(fault)
        {
            self.record(Event::RunFaulted { message: fault.to_string() });
            // The store may be what is at fault; the first fault is the one to tell.
            drop(self.commit().await);
        }
        checked
    }

    async fn check_before_sending(&mut self, prompt: &Prompt) -> Result<(), RunError> {
        let records = self.writer.read(self.mirror.chain().len()).await?;
        let followed = self.mirror.follow(&records, 0, |_| {});
        if let (Err(RunError::SealDiffers { .. }), Some(yielded)) = (&followed, self.mirror.prompt())
            && let Some((message, byte)) = first_difference(prompt, yielded)
        {
            return Err(RunError::PromptDiffers { message, byte });
        }
        followed?;
        Ok(self.writer.is_kept(self.mirror.chain()).await?)
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
        self.record(Event::ModelFailed { error, closing: Some(closing) });
    }
}

/// Whether a store did not answer, or somebody else has the run: then it may be taken up again.
fn may_be_better_later(error: &RunError) -> bool {
    use JournalError::{Fenced, OutOfOrder, Store};
    matches!(error, RunError::Journal(Store { .. } | Fenced { .. } | OutOfOrder { .. }))
}
