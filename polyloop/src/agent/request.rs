//! A request for a run: what is said first.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use super::definition::Definition;
use super::driver::Driver;
use super::mirror::Mirror;
use super::run::{Channels, Run};
use super::state::RunState;
use super::writer::Writer;
use crate::error::{RecordError, RunError};
use crate::event::{Event, UserInput};
use crate::journal::{MemoryJournal, SessionId};
use crate::registry::{Registered, Registry};
use crate::session::Session;
use crate::tool::BoxFuture;

type Door<R> = Box<dyn FnOnce(&mut Session<R>) -> Result<(), RecordError> + Send>;

/// What a run begins with; await it to start.
///
/// It starts from an agent, so the registry is known and the compiler refuses what is not registered there.
#[must_use = "a request does nothing before it is awaited"]
pub struct Request<R: Registry> {
    definition: Arc<Definition<R>>,
    state: Arc<R::State>,
    doors: Vec<Door<R>>,
    goal: Option<UserInput>,
}

impl<R: Registry> Request<R> {
    pub(super) fn new(definition: Arc<Definition<R>>, state: Arc<R::State>) -> Self {
        Self { definition, state, doors: Vec::new(), goal: None }
    }

    /// Adds a fragment. Where it stands is a matter of its type.
    pub fn inject<F: Registered<R>>(mut self, fragment: F) -> Self {
        self.doors.push(Box::new(move |session| session.inject(fragment).map(drop)));
        self
    }

    /// Adds fragments of one type, in their order: none, one or many.
    pub fn inject_all<F: Registered<R>>(self, fragments: impl IntoIterator<Item = F>) -> Self {
        fragments.into_iter().fold(self, Self::inject)
    }

    /// Sets the goal, in a person's own words. A fragment may state the goal in its place; then this is left out.
    pub fn goal(mut self, goal: impl Into<UserInput>) -> Self {
        self.goal = Some(goal.into());
        self
    }

    /// Starts the run; what awaiting the request does. It takes a goal, or at least one fragment, which then says what the
    /// run is for. The journal holds it when this returns.
    ///
    /// # Errors
    ///
    /// When a fragment cannot be recorded, the goal has no words or there is neither a goal nor a fragment, the executor
    /// belongs to other tools, or the journal cannot be written. Nothing was asked then.
    pub async fn start(self) -> Result<Run<R>, RunError> {
        let definition = self.definition;
        let handlers = definition.handlers(self.state)?;
        let mut session =
            Session::framed(definition.layout.clone(), definition.texts.observation.clone()).journaled();
        let mut state = RunState::default();
        let opened = Event::SessionOpened {
            library: env!("CARGO_PKG_VERSION").to_owned(),
            registry: definition.parts.get("registry").cloned().unwrap_or_default(),
        };
        let started = Event::RunStarted { definition: definition.parts.clone() };
        for event in [opened, Event::LeaseTaken {}, started] {
            state.apply(&event);
            session.append(event);
        }
        for door in self.doors {
            door(&mut session)?;
        }
        match self.goal {
            Some(goal) if goal.as_str().trim().is_empty() => return Err(RunError::EmptyGoal),
            Some(goal) => drop(session.say(goal)?),
            None if session.items().is_empty() => return Err(RunError::EmptyGoal),
            None => {}
        }
        let journal = definition.journal.clone().unwrap_or_else(|| Arc::new(MemoryJournal::new()));
        let id = SessionId::mint();
        let mut writer = Writer::without_lease(journal, id.clone());
        writer.take_lease().await?;
        let channels = Channels::new(false);
        let mut driver = Driver {
            mirror: Mirror::new(id, &definition),
            definition,
            handlers,
            session,
            state,
            updates: channels.updates,
            cancel: channels.asked,
            cancelled: channels.cancelled,
            writer,
            prompt: None,
            suspended: None,
            fault: None,
        };
        driver.commit().await?;
        Ok(Run::new(driver, channels.receiver, channels.cancel))
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
        formatter.debug_struct("Request").field("goal", &self.goal).finish_non_exhaustive()
    }
}
