//! Asks the model: seals a prompt, checks it against the journal, sends it, and asks again where that failed.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::body;
use super::driver::Driver;
use super::state::RunState;
use super::update::{Told, Update};
use crate::error::{JournalError, ModelError, ModelErrorClass, RunError};
use crate::event::{Closing, Ending, Event, Finish, Header, Reply, Seal, SealPurpose};
use crate::execute::has_timer;
use crate::message::{ItemId, Prompt, first_difference};
use crate::model::{Deltas, SealedRequest};
use crate::registry::Registry;

impl<R: Registry> Driver<R> {
    pub(super) async fn ask(&mut self) -> Result<(), RunError> {
        if let Some(instant) = self.not_before.take() {
            if !self.may_ask(0, 0).await? {
                return Ok(());
            }
            let wait = possible(instant.saturating_duration_since(Instant::now()));
            if wait > self.within_time(wait) {
                // Nothing could be asked before the time is up.
                return self.stop_at(vec![Ending::TimeUsedUp]).await;
            }
            self.wait(wait).await?;
        }
        let Some(prompt) = self.next_prompt().await? else { return Ok(()) };
        let chars = prompt.chars();
        self.seal(&prompt, SealPurpose::Step).await?;
        self.tell(Update::Asked { step: self.state.steps + 1, chars });
        let updates = self.updates.clone();
        let deltas = Deltas::new(move |text| {
            drop(updates.send(Told::passing(Update::Delta { text: text.to_owned() })));
        });
        let (model, body, attempt) = (self.definition.model.clone(), self.body.take(), self.state.attempts);
        let request = SealedRequest::new(&prompt, body.as_deref(), attempt, &deltas);
        let replied = self.attend(model.ask_boxed(&request)).await?;
        let Some(replied) = replied else {
            // It was dropped on its way: nobody knows what it costs.
            self.record(Event::ModelAbandoned {});
            return Ok(());
        };
        self.body = body;
        match replied.and_then(usable) {
            Ok(reply) => {
                self.body = None;
                let reply = Arc::new(reply);
                self.record(Event::ModelReplied { reply: reply.clone() });
                self.tell(Update::Replied { reply });
                Ok(())
            }
            Err(error) => self.failed(error).await,
        }
    }

    /// The next prompt; none where it is not to be sent: the session was compacted, or the run has ended.
    async fn next_prompt(&mut self) -> Result<Option<Prompt>, RunError> {
        let header = self.definition.header(&self.state.enabled);
        let prompt = self.session.prompt().with_tools(header);
        if self.compact_if_wanted(&prompt).await? {
            return Ok(None);
        }
        Ok(self.may_ask(prompt.chars(), prompt.bytes()).await?.then_some(prompt))
    }

    /// Seals a prompt: what leaves is what the journal holds, and what it yields when it is read back.
    pub(super) async fn seal(&mut self, prompt: &Prompt, purpose: SealPurpose) -> Result<(), RunError> {
        let sealed = self.seal_and_check(prompt, purpose).await;
        if let Err(fault) = &sealed
            && !may_be_better_later(fault)
        {
            self.record(Event::RunFaulted { message: fault.to_string() });
            // The store may be what is at fault; the first fault is the one to tell.
            drop(self.commit().await);
        }
        sealed
    }

    async fn seal_and_check(&mut self, prompt: &Prompt, purpose: SealPurpose) -> Result<(), RunError> {
        let body = self.definition.model.body_of(prompt);
        self.record_header(prompt);
        let (shared_chars, broken_at) = self.shared_with_the_last(prompt, purpose);
        let seal = Seal {
            step: self.state.steps + 1,
            attempt: self.state.attempts.saturating_add(1),
            chars: prompt.chars(),
            purpose,
            shared_chars,
            broken_at,
            messages: self.session.messages_hash(prompt, purpose),
            wire: body.as_deref().map(body::hash),
        };
        self.comes_out_again(&seal, body.as_deref())?;
        // From here on nothing can change it.
        self.body = body;
        self.record(Event::PromptSealed { seal });
        self.prompt = Some(prompt.clone());
        self.extends = purpose == SealPurpose::Step;
        self.commit().await?;
        self.check_before_sending(prompt).await
    }

    /// How many characters stood in the request before, and where it is no prefix of this one.
    fn shared_with_the_last(&mut self, prompt: &Prompt, purpose: SealPurpose) -> (usize, Option<ItemId>) {
        let breaks = self.session.ledger().breaks();
        let extends = self.extends && purpose == SealPurpose::Step && self.breaks == breaks;
        self.breaks = breaks;
        match &self.prompt {
            Some(last) if extends => (last.chars(), None),
            Some(last) => prompt.shared_with(last),
            // What was sent cannot be made again, so nothing of it is known to stand here.
            None if self.mirror.prompt().is_some() => (0, prompt.first_item()),
            None => (0, None),
        }
    }

    /// Records what stands beside the messages, where it is not what it was.
    fn record_header(&mut self, prompt: &Prompt) {
        let tools = prompt.shared_tools();
        if self.recorded_tools.as_ref().is_some_and(|recorded| Arc::ptr_eq(recorded, tools)) {
            return;
        }
        let header = Header {
            model: self.definition.parts.get("model").cloned().unwrap_or_default(),
            tools: serde_json::to_string(&**tools).unwrap_or_default(),
        };
        self.recorded_tools = Some(tools.clone());
        if self.state.header.as_deref() != Some(&header) {
            self.record(Event::HeaderChanged { header });
        }
    }

    /// The same messages under the same header have the same body: in a further attempt, and after a crash.
    fn comes_out_again(&self, seal: &Seal, body: Option<&[u8]>) -> Result<(), RunError> {
        match &self.state.last_seal {
            Some(last) if last.messages == seal.messages && last.wire != seal.wire => {
                Err(body::differs(self.body.as_deref(), body))
            }
            _ => Ok(()),
        }
    }

    async fn check_before_sending(&mut self, prompt: &Prompt) -> Result<(), RunError> {
        let records = self.writer.read_back().await?;
        let followed = self.mirror.follow_written(&records, self.writer.chain());
        if let (Err(RunError::SealDiffers { .. }), Some(yielded)) = (&followed, self.mirror.prompt())
            && let Some((message, byte)) = first_difference(prompt, yielded)
        {
            return Err(RunError::PromptDiffers { message, byte });
        }
        followed
    }

    /// Waits to ask again within the step; or closes it with the fixed texts.
    async fn failed(&mut self, error: ModelError) -> Result<(), RunError> {
        let is_first_refusal =
            self.state.compactions.refused_chars.is_none() && self.definition.compactor.is_some();
        if error.class() == ModelErrorClass::ContextTooLong && is_first_refusal {
            // The same request would be refused again. A compaction makes another one of it, once in a run.
            self.tell(Update::Failed { error: error.clone(), again_in: Some(Duration::ZERO) });
            self.record(Event::ModelFailed { error, closing: None });
            return Ok(());
        }
        let retries = self.definition.retries;
        let (step, attempt) = (self.state.steps + 1, self.state.attempts);
        let session = self.writer.session();
        let pause = retries.pause(&error, session, step, attempt);
        let left = self.within_time(Duration::MAX);
        let again_in = retries.wait(&error, left, session, step, attempt);
        let again_in = again_in.map(|wait| possible(self.within_time(wait)));
        self.tell(Update::Failed { error: error.clone(), again_in });
        let Some(wait) = again_in else {
            self.not_before = pause.and_then(|pause| Instant::now().checked_add(pause));
            self.close(error);
            return Ok(());
        };
        self.record(Event::ModelFailed { error, closing: None });
        self.wait(wait).await
    }

    async fn wait(&mut self, wait: Duration) -> Result<(), RunError> {
        if !wait.is_zero() {
            // A process that ends while it waits leaves no request of which nobody knows.
            self.commit().await?;
            self.attend_unless(RunState::is_cancelled, tokio::time::sleep(wait)).await?;
        }
        Ok(())
    }

    fn close(&mut self, error: ModelError) {
        self.body = None;
        let texts = &self.definition.texts;
        let (reply, observation) = (texts.failed_reply.clone(), texts.failed_observation.clone());
        let closing = Closing {
            reply: (self.session.new_item(), reply),
            observation: (self.session.new_item(), observation),
        };
        self.record(Event::ModelFailed { error, closing: Some(closing) });
    }
}

/// A reply that says something, and all of it.
fn usable(reply: Reply) -> Result<Reply, ModelError> {
    if reply.finish() == Finish::ContentFilter {
        let message = "the provider cut the reply for its content";
        return Err(ModelError::new(ModelErrorClass::ContentRefused, message));
    }
    if reply.is_empty() {
        return Err(ModelError::new(ModelErrorClass::Empty, "the reply has neither a call nor any text"));
    }
    Ok(reply)
}

/// A wait, as far as the runtime can keep it.
fn possible(wait: Duration) -> Duration {
    if wait.is_zero() || has_timer() { wait } else { Duration::ZERO }
}

/// Whether a store did not answer, or somebody else has the run: then it may be taken up again.
fn may_be_better_later(error: &RunError) -> bool {
    use JournalError::{Fenced, OutOfOrder, Store};
    matches!(error, RunError::Journal(Store { .. } | Fenced { .. } | OutOfOrder { .. }))
}
