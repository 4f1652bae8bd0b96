//! An agent, from outside.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::audit::{Audit, audit};
use super::builder::AgentBuilder;
use super::child::ChildRequest;
use super::definition::Definition;
use super::open::read;
use super::request::Request;
use super::resume::Resumption;
use crate::error::RunError;
use crate::journal::SessionId;
use crate::model::Model;
use crate::registry::{RegisteredTool, Registry, ToolList};
use crate::session::Session;
use crate::tool::{CallContext, IntoState, ToolSet};

/// An agent: it may run many times, for different goals.
///
/// ```
/// use polyloop::prelude::*;
///
/// /// Hands in the answer.
/// #[tool(completes_run)]
/// async fn submit(/** The whole answer. */ answer: String) -> String { answer }
///
/// registry! { struct App { tools: [submit] } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = Scripted::replies([Reply::tool("submit", r#"{"answer": "42"}"#)]);
/// let agent = Agent::<App>::builder(model).budget(Budget::steps(5)).build()?;
/// let mut run = agent.on(()).goal("What is six times seven?").await?;
/// assert_eq!(run.finish().await?.answer.as_deref(), Some("42"));
/// # Ok(())
/// # }
/// ```
pub struct Agent<R: Registry> {
    pub(super) definition: Arc<Definition<R>>,
}

impl<R: Registry> Agent<R> {
    /// Starts the definition of an agent.
    pub fn builder(model: impl Model) -> AgentBuilder<R> {
        AgentBuilder::new(model)
    }

    /// Returns the time by the agent's clock: the one by which each record has its time.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        (self.definition.wall_clock)()
    }

    /// Starts a request, with the state that the tools borrow; nothing happens before it is awaited.
    pub fn on(&self, state: impl IntoState<R::State>) -> Request<R> {
        Request::new(self.definition.clone(), state.into_state())
    }

    /// Takes up a run from the agent's journal, with the state that the tools borrow: of this process or of one that
    /// ended. A run that has ended returns what it came to.
    pub fn resume(&self, state: impl IntoState<R::State>, session: impl Into<SessionId>) -> Resumption<R> {
        Resumption::new(self.definition.clone(), state.into_state(), session.into())
    }

    /// Reads a session from the agent's journal, to look at what stands there. What is added to it stays here.
    ///
    /// # Errors
    ///
    /// When the agent has no journal, or the journal has no such session or cannot be trusted.
    pub async fn read(&self, session: impl Into<SessionId>) -> Result<Session<R>, RunError> {
        read(&self.definition, session.into()).await
    }

    /// Reads a session from the agent's journal once more, makes every prompt again that was sealed, and tells of each
    /// part of it where it comes from: the item, its event, the type and where that is declared. It takes no lease, and a
    /// session that a fault stopped is read like any other.
    ///
    /// # Errors
    ///
    /// When the agent has no journal, or the journal has no such session or cannot be trusted.
    pub async fn audit(&self, session: impl Into<SessionId>) -> Result<Audit, RunError> {
        audit(&self.definition, session.into()).await
    }

    /// Starts a request for a run inside a call of another run, with the state that the tools borrow. The tool of the call
    /// is declared with `replay = child`.
    ///
    /// The run has a session of its own, named after the call. Where an earlier attempt of the call began it, it is taken
    /// up in place of that, and a run that has ended returns what it came to. Cancelling the run of the call cancels this
    /// one. Both runs should have one journal, so that whoever has the one can go on with the other.
    ///
    /// ```
    /// use polyloop::prelude::*;
    /// use polyloop::MemoryJournal;
    ///
    /// registry! { struct Reader {} }
    ///
    /// /// Lets somebody read a book.
    /// #[tool(replay = child)]
    /// async fn ask_reader(
    ///     #[state] reader: &Agent<Reader>,
    ///     #[call] call: &CallContext,
    ///     /// What to find out.
    ///     question: String,
    /// ) -> Result<String, RunError> {
    ///     let mut run = reader.child(call, ()).goal(question).await?;
    ///     run.finish().await?.into_answer()
    /// }
    ///
    /// registry! { struct App { state: Agent<Reader>, tools: [ask_reader] } }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let reading = Scripted::replies([Reply::text("The butler.")]);
    /// # let model = Scripted::replies([
    /// #     Reply::tool("ask_reader", r#"{"question": "Who was it?"}"#),
    /// #     Reply::text("It was the butler."),
    /// # ]);
    /// let journal = MemoryJournal::new();
    /// let reader = Agent::<Reader>::builder(reading).journal(journal.clone()).build()?;
    /// let agent = Agent::<App>::builder(model).journal(journal).build()?;
    /// let mut run = agent.on(reader).goal("Who was it?").await?;
    /// assert_eq!(run.finish().await?.to_string(), "It was the butler.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn child(&self, call: &CallContext, state: impl IntoState<R::State>) -> ChildRequest<R> {
        ChildRequest::new(self.definition.clone(), state.into_state(), call.clone())
    }

    /// Returns the agent with these tools only: `agent.only::<(read_file, submit)>()`.
    #[must_use]
    pub fn only<L: ToolList<R>>(&self) -> Self {
        self.with_tools(self.definition.tools.restrict_to::<R, L>())
    }

    /// Returns the agent without one tool: `agent.without::<submit>()`.
    #[must_use]
    pub fn without<T: RegisteredTool<R>>(&self) -> Self {
        self.with_tools(self.definition.tools.without::<R, T>())
    }

    /// Returns the tools that the model is shown.
    #[must_use]
    pub fn tools(&self) -> &ToolSet<R::State> {
        &self.definition.tools
    }

    fn with_tools(&self, tools: ToolSet<R::State>) -> Self {
        let definition = self.definition.with(tools, self.definition.agent_budget);
        Self { definition: Arc::new(definition) }
    }
}

impl<R: Registry> Clone for Agent<R> {
    fn clone(&self) -> Self {
        Self { definition: self.definition.clone() }
    }
}

impl<R: Registry> fmt::Debug for Agent<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Agent").field("tools", &self.definition.tools).finish_non_exhaustive()
    }
}
