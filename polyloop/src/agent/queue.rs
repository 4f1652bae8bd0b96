//! Notes that wait for the next input of a session.

use std::time::SystemTime;

use super::agent::Agent;
use super::definition::Definition;
use super::driver::Driver;
use super::open::{Opened, open};
use super::request::Further;
use super::run::Run;
use crate::error::RunError;
use crate::event::{Event, RecordedFragment};
use crate::journal::{Durability, SessionId};
use crate::registry::{Registered, Registry};
use crate::session::{Session, rendered};

impl<R: Registry> Agent<R> {
    /// Lets a fragment wait for the next input of a session that rests: a note, which the model is told once, directly before
    /// those words. The journal holds it when this returns.
    ///
    /// Of a `latest` kind the newest statement counts: a note replaces an earlier one of its kind, and is withdrawn when the fact
    /// is stated or taken back before the next input.
    ///
    /// It takes the session over, so a [`Run`](crate::Run) of it that somebody keeps cannot go on; with one in hand, use
    /// [`Run::queue`](crate::Run::queue).
    ///
    /// # Errors
    ///
    /// When the fragment cannot be rendered, the agent has no journal, the last run of the session has not ended, or there
    /// is no such session: what the first request of a session says goes with that request.
    pub async fn queue<F: Registered<R>>(
        &self,
        session: impl Into<SessionId>,
        fragment: F,
    ) -> Result<(), RunError> {
        let fragment = rendered::<R, F>(fragment)?;
        record(&self.definition, session.into(), |session| session.queue_note(fragment, None)).await
    }

    /// Lets a fragment wait for the next input of a session, as [`queue`](Self::queue), until a time by the agent's
    /// [clock](crate::AgentBuilder::clock). A note that no input took by then is withdrawn.
    ///
    /// # Errors
    ///
    /// As [`queue`](Self::queue).
    pub async fn queue_until<F: Registered<R>>(
        &self,
        session: impl Into<SessionId>,
        fragment: F,
        until: SystemTime,
    ) -> Result<(), RunError> {
        let fragment = rendered::<R, F>(fragment)?;
        record(&self.definition, session.into(), |session| session.queue_note(fragment, Some(until))).await
    }

    /// Withdraws the notes of a type that wait for the next input of a session that rests, and returns how many these were. The
    /// model is not told them. The journal holds this when it returns.
    ///
    /// It takes the session over, as [`queue`](Self::queue) does.
    ///
    /// # Errors
    ///
    /// When the agent has no journal, the last run of the session has not ended, or there is no such session.
    pub async fn withdraw_notes<F: Registered<R>>(
        &self,
        session: impl Into<SessionId>,
    ) -> Result<usize, RunError> {
        record(&self.definition, session.into(), Session::withdraw_notes::<F>).await
    }
}

impl<R: Registry> Run<R> {
    /// Lets a fragment wait for the next input of the session: a note, which the model is told once, directly before those
    /// words. The journal holds it when this returns; while the run is under way, once it takes it up.
    ///
    /// # Errors
    ///
    /// When it cannot be rendered, or the journal cannot be written.
    pub async fn queue<F: Registered<R>>(&mut self, fragment: F) -> Result<(), RunError> {
        self.queue_note(rendered::<R, F>(fragment)?, None).await
    }

    /// Lets a fragment wait for the next input until a time, as [`queue`](Self::queue); see
    /// [`Agent::queue_until`](crate::Agent::queue_until).
    ///
    /// # Errors
    ///
    /// As [`queue`](Self::queue).
    pub async fn queue_until<F: Registered<R>>(
        &mut self,
        fragment: F,
        until: SystemTime,
    ) -> Result<(), RunError> {
        self.queue_note(rendered::<R, F>(fragment)?, Some(until)).await
    }

    /// Withdraws the notes of a type that wait for the next input. The model is not told them. Where the run rests, the journal
    /// holds this when it returns; else the run takes it up when it is polled.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written, or the run is lost.
    pub async fn withdraw_notes<F: Registered<R>>(&mut self) -> Result<(), RunError> {
        let kind = const { F::SPEC }.kind;
        self.written().await?;
        match self.at_rest() {
            Err(RunError::UnderWay) => self.handle().withdraw(kind),
            Err(error) => Err(error),
            Ok(driver) => {
                driver.may_record().await?;
                driver.session.withdraw(kind);
                self.write_and_go_on().await
            }
        }
    }

    async fn queue_note(
        &mut self,
        fragment: RecordedFragment,
        until: Option<SystemTime>,
    ) -> Result<(), RunError> {
        self.written().await?;
        match self.at_rest() {
            Err(RunError::UnderWay) => self.handle().queue_note(fragment, until),
            Err(error) => Err(error),
            Ok(driver) => {
                driver.may_record().await?;
                driver.session.queue_note(fragment, until);
                self.write_and_go_on().await
            }
        }
    }
}

/// Records something of the notes of a session that rests.
async fn record<R: Registry, T>(
    definition: &Definition<R>,
    session: SessionId,
    record: impl FnOnce(&mut Session<R>) -> T,
) -> Result<T, RunError> {
    let journal = definition.journal_of(&session)?;
    let new = || RunError::NewSession { session: session.to_string() };
    let opened = open(definition, journal, session.clone(), Further::new(&session)).await?;
    let Opened { mut writer, mirror, .. } = opened.ok_or_else(new)?;
    let mut session = mirror.session().twin().journaled();
    if writer.has_new_lease() {
        session.append(Event::LeaseTaken {});
    }
    let recorded = record(&mut session);
    writer.append(session.unwritten(), Durability::Barrier).await?;
    Ok(recorded)
}

impl<R: Registry> Driver<R> {
    /// Takes the lease, so that something can be recorded in a session that rests.
    async fn may_record(&mut self) -> Result<(), RunError> {
        self.take_over().await?;
        self.record_lease();
        Ok(())
    }
}
