//! Fork: a session that begins with what another one had come to.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use super::agent::Agent;
use super::budget::Budget;
use super::definition::Definition;
use super::driver::Driver;
use super::lineage::{Ancestor, ancestors, is_point, may_have_a_child};
use super::open::Opened;
use super::opening::Opening;
use super::run::Run;
use crate::error::{JournalError, RunError};
use crate::event::UserInput;
use crate::execute::Executor;
use crate::fragment::{LatestFragment, RetractableFragment};
use crate::journal::{DynJournal, Fork, Record, SessionId, tombstone};
use crate::registry::{Registered, RegisteredTool, Registry};
use crate::tool::{BoxFuture, IntoState};

/// What the first run of a session begins with that branches off from another one; await it to start. Made by
/// [`Agent::fork`].
#[must_use = "a fork does nothing before it is awaited"]
pub struct ForkRequest<R: Registry> {
    definition: Arc<Definition<R>>,
    state: Arc<R::State>,
    parent: SessionId,
    at: Option<u64>,
    session: Option<SessionId>,
    opening: Opening,
}

impl<R: Registry> Agent<R> {
    /// Starts a request for a session that branches off from another one of the agent's journal, with the state that the
    /// tools borrow. The model is shown what it was shown there; the other session is only read, and may go on.
    ///
    /// The agent need not be the one of the other session. What each type of fragment says of forks holds: with `on_fork = refresh`
    /// a fact that is said at the beginning takes the place of what was inherited, with `drop` it is gone. Budgets and counters
    /// begin anew. Effects are inherited as history and never repeated.
    ///
    /// ```
    /// use polyloop::prelude::*;
    /// use polyloop::MemoryJournal;
    ///
    /// registry! { struct App {} }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let model = Scripted::replies(["Blue.", "Green.", "Red."].map(Reply::text));
    /// let agent = Agent::<App>::builder(model).journal(MemoryJournal::new()).build()?;
    /// let mut run = agent.on(()).goal("Name a colour.").await?;
    /// run.finish().await?;
    ///
    /// let mut other = agent.fork((), run.session_id().clone()).goal("Another one.").await?;
    /// assert_eq!(other.finish().await?.to_string(), "Green.");
    /// assert_eq!(other.items().len(), 4);
    /// assert_eq!(run.items().len(), 2, "the parent is what it was");
    /// # Ok(())
    /// # }
    /// ```
    pub fn fork(&self, state: impl IntoState<R::State>, parent: impl Into<SessionId>) -> ForkRequest<R> {
        ForkRequest {
            definition: self.definition.clone(),
            state: state.into_state(),
            parent: parent.into(),
            at: None,
            session: None,
            opening: Opening::default(),
        }
    }
}

impl<R: Registry> ForkRequest<R> {
    /// Sets where it branches off: how many records of the parent it inherits. That must be where a step is settled, as
    /// [`Agent::sessions`] tells; the last such place unless set.
    pub fn at(mut self, records: u64) -> Self {
        self.at = Some(records);
        self
    }

    /// Sets the id of the new session, which no session may have yet; an id of its own unless set.
    pub fn session(mut self, session: impl Into<SessionId>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Adds a fragment. Where its type says `on_fork = refresh`, it takes the place of what was inherited.
    pub fn inject<F: Registered<R>>(mut self, fragment: F) -> Self {
        self.opening.inject::<R, F>(fragment);
        self
    }

    /// Adds fragments of one type, in their order: none, one or many.
    pub fn inject_all<F: Registered<R>>(self, fragments: impl IntoIterator<Item = F>) -> Self {
        fragments.into_iter().fold(self, Self::inject)
    }

    /// Says a fact as it is now. What the model was told stays as it is where that is the same; else, with
    /// `on_fork = refresh`, this takes its place.
    pub fn sync<F: Registered<R> + LatestFragment>(mut self, fragment: F) -> Self {
        self.opening.sync::<R, F>(fragment);
        self
    }

    /// Says that a fact holds no longer, if the model was told that it does.
    pub fn retract<F: Registered<R> + RetractableFragment>(mut self) -> Self {
        self.opening.retract::<R, F>();
        self
    }

    /// Shows the model a tool that is `hidden`, from the first request on, in this session.
    pub fn enable<T: RegisteredTool<R>>(mut self) -> Self {
        self.opening.enable::<R, T>(&self.definition);
        self
    }

    /// Sets the budget of this run; the agent's budget unless set. The budget of the parent's run is not inherited.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.definition = self.definition.with_budget(budget);
        self
    }

    /// Sets the executor of this run; the one of the agent unless set, also where the run of the parent had its own.
    pub fn executor<E: Executor<R::State>>(mut self, executor: E) -> Self {
        self.definition = self.definition.with_executor(executor);
        self
    }

    /// Sets what the run is for, in a person's own words. May be left out where it branches off within a run, which then
    /// goes on in another way.
    pub fn goal(mut self, goal: impl Into<UserInput>) -> Self {
        self.opening.goal(goal.into());
        self
    }

    async fn start(self) -> Result<Run<R>, RunError> {
        let Self { definition, state, parent, at, session, opening } = self;
        let acting = definition.acting(state)?;
        let journal = definition.journal_of(&parent)?;
        let (fork, lineage) = branch_off(&*journal, parent, at).await?;
        let session = session.unwrap_or_else(SessionId::mint);
        let opened = Opened::inheriting(&definition, journal, session.clone(), &lineage)?;
        let checked = opening.check()?;
        let (mut driver, _, updates) = Driver::new(definition, acting, opened);
        let begins_with_reply = driver.session.begins_with_reply();
        let parent = fork.parent.to_string();
        driver.open_session(Some(fork));
        let ready = checked.behind(&mut driver.session, &driver.state)?;
        if !begins_with_reply && driver.session.with(&ready.turn).begins_with_reply() {
            return Err(RunError::ForkWithoutGoal { session: parent });
        }
        driver.writer.take_lease_at(0).await.map_err(|error| error.of_a_new_session(session.as_str()))?;
        let handle = driver.listen_anew();
        driver.begin(ready);
        driver.commit_first().await?;
        Ok(Run::new(driver, handle, updates))
    }
}

/// Finds the place where a session branches off, and reads what it inherits, the oldest first.
async fn branch_off(
    journal: &dyn DynJournal,
    parent: SessionId,
    at: Option<u64>,
) -> Result<(Fork, Vec<Ancestor>), RunError> {
    let mut records = journal.read_boxed(&parent, 0).await?;
    // What is not on stable storage may be gone when the child is opened.
    let durable = journal.watermark_boxed(&parent).await?;
    records.truncate(usize::try_from(durable).unwrap_or(usize::MAX));
    let Some(first) = records.first() else {
        return Err(JournalError::NoSuchSession { session: parent.to_string() }.into());
    };
    tombstone::check(&records)?;
    let mut lineage = ancestors(journal, &parent, first).await?;
    may_have_a_child(&parent, &lineage)?;
    let mut points = Vec::new();
    for record in &records {
        if is_point(record)? {
            points.push(record.seq.saturating_add(1));
        }
    }
    let at = at.or(points.last().copied()).unwrap_or_default();
    if !points.contains(&at) {
        let before = points.iter().copied().rfind(|point| *point < at);
        let behind = points.iter().copied().find(|point| *point > at);
        return Err(RunError::NoForkPoint { session: parent.to_string(), at, before, behind });
    }
    let inherited = usize::try_from(at).unwrap_or(usize::MAX);
    let later = tombstone::announced(records.get(inherited..).unwrap_or_default())?;
    let redacted_from = later.keys().next().copied();
    records.truncate(inherited);
    let hash = records.last().map(Record::hash).unwrap_or_default();
    let fork = Fork { parent: parent.clone(), records: at, hash };
    lineage.push(Ancestor { session: parent, records, redacted_from });
    Ok((fork, lineage))
}

impl<R: Registry> IntoFuture for ForkRequest<R> {
    type Output = Result<Run<R>, RunError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.start())
    }
}

impl<R: Registry> fmt::Debug for ForkRequest<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ForkRequest")
            .field("parent", &self.parent)
            .field("at", &self.at)
            .field("session", &self.session)
            .field("opening", &self.opening)
            .finish_non_exhaustive()
    }
}
