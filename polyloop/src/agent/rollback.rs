//! Rollback: the last turns of a session that rests are taken from what a model is shown.

use super::agent::Agent;
use super::driver::Driver;
use super::open::open_existing;
use super::request::Further;
use super::run::Run;
use crate::error::RunError;
use crate::event::Event;
use crate::journal::SessionId;
use crate::registry::Registry;

impl<R: Registry> Run<R> {
    /// Takes the last turns of the session from what a model is shown, once this run has ended. A turn is a run with
    /// everything that was said in it. The journal holds the rollback when this returns, and keeps the events of the turns.
    ///
    /// What a model was told in these turns counts as not told, so the next [`sync`](crate::Request::sync) says it again. Fragments whose
    /// type says `on_rollback = keep` stay, and a compaction that was made in these turns is undone. What was done in the world is
    /// not: a file stays written. Neither is what a person decided for the session: calls approved with
    /// [`approve_always`](Run::approve_always) and enabled tools stay so.
    ///
    /// # Errors
    ///
    /// When the run has not ended, the session has fewer turns or none are named, or the journal cannot be written.
    pub async fn roll_back(&mut self, turns: usize) -> Result<(), RunError> {
        self.written().await?;
        self.at_rest()?.roll_back(turns).await?;
        self.write_and_go_on().await
    }
}

impl<R: Registry> Agent<R> {
    /// Takes the last turns of a session whose last run has ended from what a model is shown: see [`Run::roll_back`]. The
    /// journal holds the rollback when this returns.
    ///
    /// # Errors
    ///
    /// When the agent has no journal, the journal has no such session, cannot be trusted or cannot be written, the last run of
    /// the session has not ended, or the session has fewer turns or none are named.
    pub async fn roll_back(&self, session: impl Into<SessionId>, turns: usize) -> Result<(), RunError> {
        let (definition, session) = (self.definition.clone(), session.into());
        let opened = open_existing(&definition, &session, Further(&session)).await?;
        let (mut driver, ..) = Driver::new(definition, None, opened);
        driver.roll_back(turns).await?;
        driver.commit().await
    }
}

impl<R: Registry> Driver<R> {
    /// Records a rollback. The journal has it with the next commit.
    async fn roll_back(&mut self, turns: usize) -> Result<(), RunError> {
        if self.state.is_open() {
            return Err(RunError::Unfinished { session: self.writer.session().to_string() });
        }
        let live = self.session.ledger().turns().len();
        if turns == 0 || turns > live {
            return Err(RunError::NoSuchTurns { asked: turns, live });
        }
        self.take_over().await?;
        self.record_lease();
        self.record(Event::HistoryRolledBack { turns: turns as u64 });
        Ok(())
    }
}
