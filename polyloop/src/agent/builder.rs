//! An agent and its builder: model, interpreter, tools, layout, texts, budget.

use std::any::type_name;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::agent::Agent;
use super::budget::Budget;
use super::definition::{Definition, Names, header, parts};
use super::restating::{RestateHook, Restating};
use super::retries::Retries;
use super::texts::Texts;
use crate::compact::{Compactor, DynCompactor};
use crate::error::{BuildError, ToolsRefused};
use crate::execute::{DynExecutor, DynVerifier, Executor, Verifier};
use crate::interpret::{Interpreter, NativeCalls};
use crate::journal::{ChainKey, DynJournal, Journal};
use crate::layout::{Layout, Staged};
use crate::model::{DynModel, Model};
use crate::registry::{Registry, retired_types};
use crate::session::{Known, Sanitizer, WallClock};
use crate::tool::ToolSet;

/// The definition of an [`Agent`] while it is put together.
pub struct AgentBuilder<R: Registry> {
    model: Arc<dyn DynModel>,
    interpreter: Arc<dyn Interpreter>,
    executor: Option<Arc<dyn DynExecutor<R::State>>>,
    executor_per_run: bool,
    verifier: Option<Arc<dyn DynVerifier<R::State>>>,
    layout: Arc<dyn Layout>,
    compactor: Option<Arc<dyn DynCompactor>>,
    sanitizer: Option<Arc<Sanitizer<R>>>,
    restate_with: Option<Arc<RestateHook<R>>>,
    tools: Option<ToolSet<R::State>>,
    texts: Texts,
    budget: Budget,
    retries: Retries,
    journal: Option<Arc<dyn DynJournal>>,
    wall_clock: Arc<WallClock>,
    chain_key: Option<ChainKey>,
    names: Names,
}

impl<R: Registry> AgentBuilder<R> {
    pub(super) fn new(model: impl Model) -> Self {
        Self {
            model: Arc::new(model),
            interpreter: Arc::new(NativeCalls),
            executor: None,
            executor_per_run: false,
            verifier: None,
            layout: Arc::new(Staged),
            compactor: None,
            sanitizer: None,
            restate_with: None,
            tools: None,
            texts: Texts::default(),
            budget: Budget::default(),
            retries: Retries::default(),
            journal: None,
            wall_clock: Arc::new(SystemTime::now),
            chain_key: None,
            names: Names {
                interpreter: versioned(&NativeCalls),
                executor: "handlers",
                layout: type_name::<Staged>(),
                compactor: String::new(),
                sanitizer: String::new(),
            },
        }
    }

    /// Sets what reads the replies; native calls unless set.
    #[must_use]
    pub fn interpreter<I: Interpreter>(mut self, interpreter: I) -> Self {
        self.names.interpreter = versioned(&interpreter);
        self.interpreter = Arc::new(interpreter);
        self
    }

    /// Sets the executor of every run, in place of the handlers of the tools. A run may have its own:
    /// [`Request::executor`](crate::Request::executor).
    #[must_use]
    pub fn executor<E: Executor<R::State>>(mut self, executor: E) -> Self {
        self.names.executor = type_name::<E>();
        self.executor = Some(Arc::new(executor));
        self
    }

    /// Allows tools without a handler although the agent has no executor: each run sets its own, by
    /// [`Request::executor`](crate::Request::executor). A run without one is refused before anything is sent.
    #[must_use]
    pub fn executor_per_run(mut self) -> Self {
        self.executor_per_run = true;
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

    /// Sets the tools, which are some of the registry, under their names there or with a prefix; all of it unless set.
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

    /// Sets what a run may use up, unless the run has a budget of its own: see [`Request::budget`](crate::Request::budget).
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

    /// Sets a hook that supplies the values that hold when a compaction states facts anew. It is called after each compaction,
    /// before the next request.
    ///
    /// Without one, the value that the model was told last is stated anew, until the host states another one.
    ///
    /// ```
    /// use polyloop::prelude::*;
    ///
    /// /// How many files are open.
    /// #[derive(ContextFragment)]
    /// #[fragment(role = user, markers("<files>", "</files>"), lifetime = latest, max_chars = 40)]
    /// #[fragment(absent = "none", body = "{open}")]
    /// struct OpenFiles { open: usize }
    ///
    /// registry! { struct App { fragments: [OpenFiles] } }
    ///
    /// # fn count() -> usize { 3 }
    /// # fn main() -> Result<(), polyloop::BuildError> {
    /// let model = Scripted::replies([]);
    /// let agent = Agent::<App>::builder(model)
    ///     .compactor(polyloop::Summarizer::new())
    ///     .restate_with(|now| now.sync(OpenFiles { open: count() }))
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn restate_with(mut self, hook: impl Fn(&mut Restating<R>) + Send + Sync + 'static) -> Self {
        self.restate_with = Some(Arc::new(hook));
        self
    }

    /// Sets what tells the time; the system's clock unless set. Each record has its time by it, notes
    /// [expire](crate::Agent::queue_until) by it, and a host asks it by [`Agent::now`], such as for a fragment that tells the date.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.wall_clock = Arc::new(clock);
        self
    }

    /// Sets the key of the chain of records; none unless set. With it a session is opened only if its last record was
    /// written with the key: see [`ChainKey`].
    #[must_use]
    pub fn chain_key(mut self, key: ChainKey) -> Self {
        self.chain_key = Some(key);
        self
    }

    /// Builds the agent.
    ///
    /// # Errors
    ///
    /// When a tool cannot be described to a model, or not to this one, has no handler or is not listed in the registry, the
    /// layout has no place for a fragment, or a fixed text is empty or has a placeholder that is not known.
    pub fn build(self) -> Result<Agent<R>, BuildError> {
        let texts = self.texts.check()?;
        let tools = match self.tools {
            Some(tools) => tools,
            None => R::tools()?,
        };
        tools.all_are_listed::<R>()?;
        if self.executor.is_none() && !self.executor_per_run {
            tools.all_have_handlers()?;
        }
        let registered = R::SPEC.fragments.iter().map(|entry| entry.spec);
        for spec in registered.chain(retired_types::<R>()) {
            self.layout.accepts(spec).map_err(|reason| BuildError::Layout {
                layout: self.names.layout,
                kind: spec.kind,
                reason,
            })?;
        }
        can_be_read(&*self.model, &*self.interpreter, &tools)?;
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
            restate_with: self.restate_with,
            tools,
            header,
            texts,
            budget: self.budget,
            agent_budget: self.budget,
            retries: self.retries,
            journal: self.journal,
            wall_clock: self.wall_clock,
            chain_key: self.chain_key,
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

/// Whether the model's provider can read all tools, those included that are hidden now.
fn can_be_read<S>(
    model: &dyn DynModel,
    interpreter: &dyn Interpreter,
    tools: &ToolSet<S>,
) -> Result<(), ToolsRefused> {
    if !interpreter.reads_native_calls() {
        return Ok(());
    }
    let all: BTreeSet<String> = tools.tools().map(|(name, _)| name.to_owned()).collect();
    model.check(&tools.definitions(&all)).map_err(|refused| tools.typed(refused))
}
