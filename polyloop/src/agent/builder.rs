//! An agent and its builder: model, interpreter, tools, layout, texts, budget.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::audit::{Audit, audit};
use super::budget::Budget;
use super::child::ChildRequest;
use super::definition::{Definition, Names, WallClock, header, parts};
use super::open::read;
use super::queue::queue;
use super::request::Request;
use super::resume::Resumption;
use super::retries::Retries;
use super::texts::Texts;
use crate::compact::{Compactor, DynCompactor};
use crate::error::{BuildError, RunError};
use crate::execute::{DynExecutor, DynVerifier, Executor, Verifier};
use crate::interpret::{Interpreter, NativeCalls};
use crate::journal::{DynJournal, Journal, SessionId};
use crate::layout::{Layout, Staged};
use crate::model::{DynModel, Model};
use crate::registry::{Registered, RegisteredTool, Registry, ToolList};
use crate::session::{Known, Sanitizer, Session, rendered};
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
        AgentBuilder {
            model: Arc::new(model),
            interpreter: Arc::new(NativeCalls),
            executor: None,
            verifier: None,
            layout: Arc::new(Staged),
            compactor: None,
            sanitizer: None,
            tools: None,
            texts: Texts::default(),
            budget: Budget::default(),
            retries: Retries::default(),
            journal: None,
            wall_clock: Arc::new(SystemTime::now),
            names: Names {
                interpreter: versioned(&NativeCalls),
                executor: "handlers",
                layout: type_name::<Staged>(),
                compactor: String::new(),
                sanitizer: String::new(),
            },
        }
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

    /// Lets a fragment wait for the next input of a session that rests: a note, which the model is told once, directly before
    /// those words. The journal holds it when this returns.
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
        queue(&self.definition, session.into(), rendered::<R, F>(fragment)?).await
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
    ///     Ok(run.finish().await?.to_string())
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
        let old = &*self.definition;
        let header = header(&*old.interpreter, &tools);
        let definition = Definition {
            parts: parts::<R>(&*old.model, &old.names, &tools, &old.texts, old.budget),
            model: old.model.clone(),
            interpreter: old.interpreter.clone(),
            executor: old.executor.clone(),
            verifier: old.verifier.clone(),
            layout: old.layout.clone(),
            compactor: old.compactor.clone(),
            sanitizer: old.sanitizer.clone(),
            tools,
            header,
            texts: old.texts.clone(),
            budget: old.budget,
            retries: old.retries,
            journal: old.journal.clone(),
            wall_clock: old.wall_clock.clone(),
            names: old.names.clone(),
        };
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

/// The definition of an [`Agent`] while it is put together.
pub struct AgentBuilder<R: Registry> {
    model: Arc<dyn DynModel>,
    interpreter: Arc<dyn Interpreter>,
    executor: Option<Arc<dyn DynExecutor>>,
    verifier: Option<Arc<dyn DynVerifier<R::State>>>,
    layout: Arc<dyn Layout>,
    compactor: Option<Arc<dyn DynCompactor>>,
    sanitizer: Option<Arc<Sanitizer<R>>>,
    tools: Option<ToolSet<R::State>>,
    texts: Texts,
    budget: Budget,
    retries: Retries,
    journal: Option<Arc<dyn DynJournal>>,
    wall_clock: Arc<WallClock>,
    names: Names,
}

impl<R: Registry> AgentBuilder<R> {
    /// Sets what reads the replies; native calls unless set.
    #[must_use]
    pub fn interpreter<I: Interpreter>(mut self, interpreter: I) -> Self {
        self.names.interpreter = versioned(&interpreter);
        self.interpreter = Arc::new(interpreter);
        self
    }

    /// Sets what acts, where that is not the handlers of the tools.
    #[must_use]
    pub fn executor<E: Executor>(mut self, executor: E) -> Self {
        self.names.executor = type_name::<E>();
        self.executor = Some(Arc::new(executor));
        self
    }

    /// Sets whom to ask, when a run is taken up, about calls of which nobody knows whether they took effect; such an outcome
    /// stays unknown unless set. A run may be taken up with another one.
    #[must_use]
    pub fn verifier<V: Verifier<R::State>>(mut self, verifier: V) -> Self {
        self.verifier = Some(Arc::new(verifier));
        self
    }

    /// Sets what orders the prompt; [`Staged`] unless set.
    #[must_use]
    pub fn layout<L: Layout>(mut self, layout: L) -> Self {
        self.names.layout = type_name::<L>();
        self.layout = Arc::new(layout);
        self
    }

    /// Sets what makes room in a session that grows too large; unless set, a prompt over the budget ends the run.
    #[must_use]
    pub fn compactor<C: Compactor>(mut self, compactor: C) -> Self {
        self.names.compactor = format!("{}/{}", type_name::<C>(), compactor.version());
        self.compactor = Some(Arc::new(compactor));
        self
    }

    /// Sets what is sent of a person's words: each text that is typed goes through it once, and what it gives is sent and
    /// recorded beside what was typed. Unless set, both are the same. Here a project takes out what no model should see, or
    /// fills in placeholders; from the facts that the model was told ([`Known`]), so that all of it is recorded.
    ///
    /// It is a pure function. Its name, with a version, says which: a run is not taken up again with another one unless that
    /// is accepted.
    ///
    /// ```
    /// use polyloop::prelude::*;
    ///
    /// registry! { struct App {} }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let model = Scripted::replies([Reply::text("Six.")]);
    /// let agent = Agent::<App>::builder(model.clone())
    ///     .sanitizer("no_tabs/1", |typed, _| typed.replace('\t', " "))
    ///     .build()?;
    /// let mut run = agent.on(()).goal("How\tmany?").await?;
    /// run.finish().await?;
    /// assert_eq!(run.prompt().unwrap().messages().next().unwrap().text(), "How many?");
    /// assert_eq!(run.items()[0].typed().unwrap().as_str(), "How\tmany?");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn sanitizer(
        mut self,
        name: impl Into<String>,
        sanitizer: impl Fn(&str, &Known<'_, R>) -> String + Send + Sync + 'static,
    ) -> Self {
        self.names.sanitizer = name.into();
        self.sanitizer = Some(Arc::new(sanitizer));
        self
    }

    /// Sets the tools; all of the registry unless set.
    #[must_use]
    pub fn tools(mut self, tools: ToolSet<R::State>) -> Self {
        self.tools = Some(tools);
        self
    }

    /// Sets the fixed texts.
    #[must_use]
    pub fn texts(mut self, texts: Texts) -> Self {
        self.texts = texts;
        self
    }

    /// Sets what a run may use up.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets how often a failed request is sent again within its step; three times unless set.
    #[must_use]
    pub fn retries(mut self, retries: Retries) -> Self {
        self.retries = retries;
        self
    }

    /// Sets what keeps the events of the runs; each run's own memory unless set, and then no run can be resumed.
    #[must_use]
    pub fn journal(mut self, journal: impl Journal) -> Self {
        self.journal = Some(Arc::new(journal));
        self
    }

    /// Sets what tells the time; the system's clock unless set. It decides nothing: each record has its time by it, and a
    /// host asks it by [`Agent::now`], such as for a fragment that tells the date.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.wall_clock = Arc::new(clock);
        self
    }

    /// Builds the agent.
    ///
    /// # Errors
    ///
    /// When a tool cannot be described to a model or has no handler, the layout has no place for a fragment, or a fixed text
    /// is empty or has a placeholder that is not known.
    pub fn build(self) -> Result<Agent<R>, BuildError> {
        let texts = self.texts.check()?;
        let tools = match self.tools {
            Some(tools) => tools,
            None => R::tools()?,
        };
        if self.executor.is_none() {
            tools.all_have_handlers()?;
        }
        for entry in R::SPEC.fragments {
            self.layout.accepts(entry.spec).map_err(|reason| BuildError::Layout {
                layout: self.names.layout,
                kind: entry.spec.kind,
                reason,
            })?;
        }
        let header = header(&*self.interpreter, &tools);
        let definition = Definition {
            parts: parts::<R>(&*self.model, &self.names, &tools, &texts, self.budget),
            model: self.model,
            interpreter: self.interpreter,
            executor: self.executor,
            verifier: self.verifier,
            layout: self.layout,
            compactor: self.compactor,
            sanitizer: self.sanitizer,
            tools,
            header,
            texts,
            budget: self.budget,
            retries: self.retries,
            journal: self.journal,
            wall_clock: self.wall_clock,
            names: self.names,
        };
        Ok(Agent { definition: Arc::new(definition) })
    }
}

impl<R: Registry> fmt::Debug for AgentBuilder<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AgentBuilder").field("budget", &self.budget).finish_non_exhaustive()
    }
}

/// What stands for an interpreter: its type and its version.
fn versioned<I: Interpreter>(interpreter: &I) -> String {
    format!("{}/{}", type_name::<I>(), interpreter.version())
}
