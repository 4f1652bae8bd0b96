//! What a run begins with: fragments, tools, and the goal.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use super::budget::Budget;
use super::carry_out::RunExecutor;
use super::definition::Definition;
use super::run::Run;
use super::state::RunState;
use crate::error::RunError;
use crate::event::UserInput;
use crate::execute::Executor;
use crate::fragment::{LatestFragment, RetractableFragment};
use crate::registry::{Registered, RegisteredTool, Registry};
use crate::session::{Session, TurnContext, Words};
use crate::tool::{BoxFuture, IntoState};

/// Collects what a run begins with. The first mistake is told when the run is to begin.
#[derive(Debug, Default)]
pub(super) struct Opening {
    words: Vec<Words>,
    enabled: Vec<String>,
    goal: Option<UserInput>,
    mistake: Option<RunError>,
}

impl Opening {
    pub(super) fn inject<R: Registry, F: Registered<R>>(&mut self, fragment: F) {
        match Words::fragment::<R, F>(fragment) {
            Ok(words) => self.words.push(words),
            Err(error) => drop(self.mistake.get_or_insert(error.into())),
        }
    }

    pub(super) fn sync<R: Registry, F: Registered<R> + LatestFragment>(&mut self, fragment: F) {
        match Words::latest::<R, F>(fragment) {
            Ok(words) => self.words.push(words),
            Err(error) => drop(self.mistake.get_or_insert(error.into())),
        }
    }

    pub(super) fn retract<R: Registry, F: Registered<R> + RetractableFragment>(&mut self) {
        self.words.push(Words::retract::<R, F>());
    }

    pub(super) fn enable<R: Registry, T: RegisteredTool<R>>(&mut self, definition: &Definition<R>) {
        match definition.names_of::<T>() {
            Ok(names) => self.enabled.extend(names),
            Err(error) => drop(self.mistake.get_or_insert(error)),
        }
    }

    pub(super) fn goal(&mut self, goal: UserInput) {
        self.goal = Some(goal);
    }

    /// Checks what can be checked without the session, so that a mistake disturbs nobody who has it.
    pub(super) fn check(self) -> Result<Checked, RunError> {
        let Self { mut words, enabled, goal, mistake } = self;
        if let Some(mistake) = mistake {
            return Err(mistake);
        }
        match goal {
            Some(goal) if goal.is_blank() => return Err(RunError::EmptyGoal),
            Some(goal) => words.push(Words::input(goal)?),
            None => {}
        }
        Ok(Checked { words, enabled })
    }
}

/// What a run begins with, apart from the session in which it does.
pub(super) struct Checked {
    words: Vec<Words>,
    enabled: Vec<String>,
}

impl Checked {
    /// Whether it needs words that stand in the session already.
    pub(super) fn says_nothing(&self) -> bool {
        self.words.is_empty()
    }

    /// Says what of it is recorded behind what stands. Afterwards recording it cannot fail.
    pub(super) fn behind<R: Registry>(
        self,
        session: &mut Session<R>,
        state: &RunState,
    ) -> Result<Ready, RunError> {
        let turn = session.turn(&self.words)?;
        // In the middle of a run, or with words that no model has seen, there is something to go on with.
        if !turn.says_something() && !state.is_open() && !session.ledger().has_unheard_words() {
            return Err(RunError::EmptyGoal);
        }
        Ok(Ready { turn, enabled: self.enabled })
    }
}

/// What a run begins with in its session.
pub(super) struct Ready {
    pub(super) turn: TurnContext,
    pub(super) enabled: Vec<String>,
}

/// What the next run of a session begins with; await it to start. See [`Run::follow_up`].
///
/// If something is refused, nothing of it is recorded, and the session is what it was.
#[must_use = "a run is begun when this is awaited"]
pub struct FollowUp<'a, R: Registry> {
    run: &'a mut Run<R>,
    state: Option<Arc<R::State>>,
    budget: Option<Budget>,
    executor: Option<RunExecutor<R::State>>,
    opening: Opening,
}

impl<'a, R: Registry> FollowUp<'a, R> {
    pub(super) fn new(run: &'a mut Run<R>) -> Self {
        Self { run, state: None, budget: None, executor: None, opening: Opening::default() }
    }

    /// Sets another state for the tools to borrow; the one of the run before unless set.
    pub fn on(mut self, state: impl IntoState<R::State>) -> Self {
        self.state = Some(state.into_state());
        self
    }

    /// Sets the budget of the next run; the agent's budget unless set, also where the run before had one of its own.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Sets another executor; the one of the run before unless set, like the state.
    pub fn executor<E: Executor<R::State>>(mut self, executor: E) -> Self {
        self.executor = Some(RunExecutor::new(executor));
        self
    }

    /// Adds a fragment. It stands where it is recorded: directly before the words of this run.
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

    /// Sets what the run is for, in a person's own words.
    pub fn goal(mut self, goal: impl Into<UserInput>) -> Self {
        self.opening.goal(goal.into());
        self
    }
}

impl<'a, R: Registry> IntoFuture for FollowUp<'a, R> {
    type Output = Result<(), RunError>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { run, state, budget, executor, opening } = self;
        Box::pin(run.begin_another(state, budget, executor, opening))
    }
}

impl<R: Registry> fmt::Debug for FollowUp<'_, R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FollowUp").field("run", &self.run).finish_non_exhaustive()
    }
}
