//! Rollback: the last turns of a session that rests are taken from what a model is shown.

use super::agent::Agent;
use super::carry_out::Acting;
use super::driver::Driver;
use super::open::{open_existing, read};
use super::request::Further;
use super::run::Run;
use crate::error::RunError;
use crate::event::Event;
use crate::journal::SessionId;
use crate::registry::Registry;
use crate::session::Session;

impl<R: Registry> Run<R> {
    /// Takes the last turns of the session from what a model is shown, once this run has ended. A turn is a run with
    /// everything that was said in it, or what begins with a person's words in an imported history. The journal holds the rollback when this returns, and keeps the events of the turns.
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

    /// Takes every turn after `turn` from what a model is shown, once this run has ended, and returns how many these were: see
    /// [`Agent::roll_back_to`].
    ///
    /// # Errors
    ///
    /// When the run has not ended, `turn` is no turn of the session or was rolled back, or the journal cannot be written.
    pub async fn roll_back_to(&mut self, turn: u64) -> Result<usize, RunError> {
        self.written().await?;
        let driver = self.at_rest()?;
        let turns = turns_after(&driver.session, turn)?;
        if turns > 0 {
            driver.roll_back(turns).await?;
            self.write_and_go_on().await?;
        }
        Ok(turns)
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
        let opened = open_existing(&definition, &session, Further::new(&session)).await?;
        let (mut driver, ..) = Driver::new(definition, Acting::Nothing, opened);
        driver.roll_back(turns).await?;
        driver.commit().await
    }

    /// Takes every turn after `turn` of a session whose last run has ended from what a model is shown, and returns how many these
    /// were; as [`Run::roll_back`], with the turn that becomes the last one in place of a count. 0 takes all of them.
    ///
    /// Use it where it is not known whether the last request was recorded, as after one that was given up: where it was not,
    /// nothing is taken. Where nothing is to be taken, nothing is written, and a [`Run`] of the session that is kept elsewhere is
    /// not disturbed.
    ///
    /// ```
    /// use polyloop::prelude::*;
    /// use polyloop::MemoryJournal;
    ///
    /// registry! { struct App {} }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let model = Scripted::replies(["Blue.", "Green."].map(Reply::text));
    /// let agent = Agent::<App>::builder(model).journal(MemoryJournal::new()).build()?;
    /// let mut run = agent.on(()).session("s").goal("Name a color.").await?;
    /// run.finish().await?;
    /// let turns = agent.read("s").await?.turns().last().map_or(0, |turn| turn.number);
    ///
    /// // A request that is dropped before it was recorded.
    /// drop(agent.on(()).session("s").goal("Another one.").into_future());
    /// assert_eq!(agent.roll_back_to("s", turns).await?, 0, "the first turn stays");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the agent has no journal, the journal has no such session, cannot be trusted or cannot be written, the last run of
    /// the session has not ended, or `turn` is no turn of the session or was rolled back.
    pub async fn roll_back_to(&self, session: impl Into<SessionId>, turn: u64) -> Result<usize, RunError> {
        let (definition, session) = (self.definition.clone(), session.into());
        // Looked at first: taking the lease disturbs whoever has the session.
        if turns_after(&read(&definition, session.clone()).await?, turn)? == 0 {
            return Ok(0);
        }
        let opened = open_existing(&definition, &session, Further::new(&session)).await?;
        let (mut driver, ..) = Driver::new(definition, Acting::Nothing, opened);
        let turns = turns_after(&driver.session, turn)?;
        if turns > 0 {
            driver.roll_back(turns).await?;
            driver.commit().await?;
        }
        Ok(turns)
    }
}

/// Counts the turns after one that was not rolled back, or all of them after 0.
fn turns_after<R: Registry>(session: &Session<R>, turn: u64) -> Result<usize, RunError> {
    let live = session.ledger().turns();
    if turn > 0 && !live.contains(&turn) {
        return Err(RunError::NoSuchTurn { turn, live: live.to_vec() });
    }
    Ok(live.iter().filter(|number| **number > turn).count())
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
        self.record(Event::HistoryRolledBack { turns: turns as u64, keeps_context: true });
        Ok(())
    }
}
