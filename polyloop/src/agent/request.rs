//! A request for a run: what is said first.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use super::budget::Budget;
use super::definition::{Definition, differing};
use super::driver::Driver;
use super::open::{Opened, Purpose, open, read};
use super::opening::Opening;
use super::run::Run;
use super::state::RunState;
use crate::error::{JournalError, RunError};
use crate::event::{Definitions, UserInput};
use crate::execute::Executor;
use crate::fragment::{LatestFragment, RetractableFragment};
use crate::journal::{Head, SessionId};
use crate::registry::{Registered, RegisteredTool, Registry};
use crate::tool::BoxFuture;

/// What a run begins with; await it to start.
///
/// It starts from an agent, so the registry is known and the compiler refuses what is not registered there.
#[must_use = "a request does nothing before it is awaited"]
pub struct Request<R: Registry> {
    definition: Arc<Definition<R>>,
    state: Arc<R::State>,
    session: Option<SessionId>,
    head: Option<Head>,
    opening: Opening,
}

impl<R: Registry> Request<R> {
    pub(super) fn new(definition: Arc<Definition<R>>, state: Arc<R::State>) -> Self {
        Self { definition, state, session: None, head: None, opening: Opening::default() }
    }

    /// Sets the session: the agent's journal is asked for it, and the run goes on behind the last one there, or begins
    /// the session where there is none. A new session with an id of its own unless set.
    ///
    /// The agent need not be the one of the last run; what differs is in the journal.
    pub fn session(mut self, session: impl Into<SessionId>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Sets the session, and requires that it holds the end that a host noted earlier, in a place of its own: one that was
    /// truncated or changed since, or replaced by an older copy, is refused. See [`Run::head`](crate::Run::head).
    pub fn expecting(mut self, head: Head) -> Self {
        self.session = Some(head.session.clone());
        self.head = Some(head);
        self
    }

    /// Adds a fragment. Where it stands is a matter of its type.
    pub fn inject<F: Registered<R>>(mut self, fragment: F) -> Self {
        self.opening.inject::<R, F>(fragment);
        self
    }

    /// Adds fragments of one type, in their order: none, one or many.
    pub fn inject_all<F: Registered<R>>(self, fragments: impl IntoIterator<Item = F>) -> Self {
        fragments.into_iter().fold(self, Self::inject)
    }

    /// Says a fact as it is now, unless the model knows it: see [`Session::sync`](crate::Session::sync).
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

    /// Sets the budget of this run; the agent's budget unless set. It is recorded with the run, which can only be resumed
    /// under the same one: see [`Resumption::budget`](crate::Resumption::budget). Later runs of the session have the agent's
    /// budget again.
    ///
    /// ```
    /// use polyloop::prelude::*;
    ///
    /// registry! { struct App {} }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let model = Scripted::by(|_| Reply::tool("nope", "{}"));
    /// let agent = Agent::<App>::builder(model).budget(Budget::steps(50)).build()?;
    /// let mut run = agent.on(()).budget(Budget::steps(2)).goal("Be quick.").await?;
    /// assert_eq!(run.finish().await?.steps, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn budget(mut self, budget: Budget) -> Self {
        self.definition = self.definition.with_budget(budget);
        self
    }

    /// Sets the executor of this run, in place of the handlers and of the agent's executor. The type is recorded with the run,
    /// which can only be resumed with one of the same type: see [`Resumption::executor`](crate::Resumption::executor).
    ///
    /// ```
    /// use polyloop::prelude::*;
    /// use polyloop::{Action, ActionOutcome, CodeFence, Executor};
    ///
    /// /// A container that was started for one run.
    /// struct Container { id: u32 }
    ///
    /// impl Executor<()> for Container {
    ///     async fn execute(&self, action: &Action, call: &CallContext, _state: &()) -> ActionOutcome {
    ///         ActionOutcome::executed(format!("{} in container {}", call.id(), self.id))
    ///     }
    /// }
    ///
    /// registry! { struct App {} }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let model = Scripted::replies([Reply::text("```sh\nls\n```"), Reply::text("Done.")]);
    /// let agent = Agent::<App>::builder(model.clone()).interpreter(CodeFence::any()).build()?;
    /// agent.on(()).executor(Container { id: 7 }).goal("List the files.").await?.finish().await?;
    /// assert_eq!(model.requests()[1].messages().last().unwrap().text(), "call_1 in container 7");
    /// # Ok(())
    /// # }
    /// ```
    pub fn executor<E: Executor<R::State>>(mut self, executor: E) -> Self {
        self.definition = self.definition.with_executor(executor);
        self
    }

    pub(super) fn with_definition(mut self, definition: Arc<Definition<R>>) -> Self {
        self.definition = definition;
        self
    }

    /// Sets the goal, in a person's own words. A fragment may state the goal in its place; then this is left out.
    pub fn goal(mut self, goal: impl Into<UserInput>) -> Self {
        self.opening.goal(goal.into());
        self
    }

    /// Starts the run; what awaiting the request does. It takes a goal, or at least one fragment, which then says what the
    /// run is for. The journal holds it when this returns.
    ///
    /// # Errors
    ///
    /// When a fragment cannot be recorded, the goal has no words or there is neither a goal nor a fragment, the executor
    /// belongs to other tools, the last run of the session has not ended, or the journal cannot be written. Nothing was
    /// asked then.
    pub async fn start(self) -> Result<Run<R>, RunError> {
        let Self { definition, state, session, head, opening } = self;
        let acting = definition.acting(state)?;
        let checked = opening.check()?;
        if checked.says_nothing() {
            // Looked at first, so that a mistake disturbs nobody who has the session.
            has_unheard_words(&definition, session.as_ref()).await?;
        }
        let mut is_there = false;
        let (opened, is_new) = loop {
            let known = match &session {
                Some(id) => {
                    let further = Further::new(id).expecting(head.clone());
                    open(&definition, definition.journal_of(id)?, id.clone(), further).await?
                }
                None => None,
            };
            if let Some(known) = known {
                break (known, false);
            }
            match Opened::empty(&definition, session.clone().unwrap_or_else(SessionId::mint)).await {
                // Another request began it meanwhile, so it is there when it is read again.
                Err(RunError::Journal(JournalError::OutOfOrder { .. })) if session.is_some() && !is_there => {
                    is_there = true;
                }
                opened => break (opened?, true),
            }
        };
        let (mut driver, _, updates) = Driver::new(definition, acting, opened);
        if is_new {
            driver.open_session(None);
        }
        let ready = checked.behind(&mut driver.session, &driver.state)?;
        // Whoever cancelled the run before did not cancel this one.
        let handle = driver.listen_anew();
        driver.begin(ready);
        if is_new {
            driver.commit_first().await?;
        } else {
            driver.commit().await?;
        }
        Ok(Run::new(driver, handle, updates))
    }
}

/// Refuses a session in which nothing is left to go on with.
async fn has_unheard_words<R: Registry>(
    definition: &Definition<R>,
    session: Option<&SessionId>,
) -> Result<(), RunError> {
    let id = session.ok_or(RunError::EmptyGoal)?;
    match read(definition, id.clone()).await {
        Ok(session) if session.ledger().has_unheard_words() => Ok(()),
        Ok(_) | Err(RunError::Journal(JournalError::NoSuchSession { .. })) => Err(RunError::EmptyGoal),
        Err(error) => Err(error),
    }
}

/// A session is opened for a further run, which may be that of another agent.
pub(super) struct Further<'a> {
    session: &'a SessionId,
    head: Option<Head>,
}

impl<'a> Further<'a> {
    pub(super) fn new(session: &'a SessionId) -> Self {
        Self { session, head: None }
    }

    fn expecting(self, head: Option<Head>) -> Self {
        Self { head, ..self }
    }
}

impl Purpose for Further<'_> {
    fn changed(&self, from: &Definitions, now: &Definitions) -> Result<Vec<String>, RunError> {
        Ok(differing(from, now))
    }

    fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    fn writes(&self, state: &RunState) -> Result<bool, RunError> {
        if state.is_open() {
            Err(RunError::Unfinished { session: self.session.to_string() })
        } else {
            Ok(true)
        }
    }
}

impl<R: Registry> IntoFuture for Request<R> {
    type Output = Result<Run<R>, RunError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.start())
    }
}

impl<R: Registry> fmt::Debug for Request<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Request")
            .field("session", &self.session)
            .field("opening", &self.opening)
            .finish_non_exhaustive()
    }
}
