//! What is the same for every run of an agent.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::budget::Budget;
use super::carry_out::{Acting, RunExecutor};
use super::identity;
use super::restating::RestateHook;
use super::retries::Retries;
use super::texts::CheckedTexts;
use crate::compact::DynCompactor;
use crate::error::RunError;
use crate::event::{Action, ActionOutcome, Call, CallId, Definitions, Event};
use crate::execute::{DynExecutor, DynVerifier, Executor};
use crate::interpret::Interpreter;
use crate::journal::{ChainKey, DynJournal, Fork, SessionId};
use crate::layout::Layout;
use crate::message::ToolDefinition;
use crate::model::DynModel;
use crate::registry::{RegisteredTool, Registry};
use crate::session::{Sanitizer, Session, WallClock};
use crate::tool::{Tool, ToolSet, read_result};

/// What is the same for every run.
pub(crate) struct Definition<R: Registry> {
    pub(crate) model: Arc<dyn DynModel>,
    pub(crate) interpreter: Arc<dyn Interpreter>,
    pub(crate) executor: Option<Arc<dyn DynExecutor<R::State>>>,
    /// Whom to ask about calls of which nobody knows the outcome.
    pub(crate) verifier: Option<Arc<dyn DynVerifier<R::State>>>,
    pub(crate) layout: Arc<dyn Layout>,
    /// What makes room in a session that grows too large.
    pub(crate) compactor: Option<Arc<dyn DynCompactor>>,
    /// What is made of a person's words before a model sees them.
    pub(crate) sanitizer: Option<Arc<Sanitizer<R>>>,
    /// The hook of the host that supplies values where a compaction states facts anew.
    pub(crate) restate_with: Option<Arc<RestateHook<R>>>,
    pub(crate) tools: ToolSet<R::State>,
    /// The tools in the header of a request; none unless the interpreter reads native calls.
    pub(crate) header: Arc<[ToolDefinition]>,
    pub(crate) texts: CheckedTexts,
    /// The budget of the run.
    pub(crate) budget: Budget,
    /// The budget of a run for which none is set.
    pub(crate) agent_budget: Budget,
    pub(crate) retries: Retries,
    /// None where each run keeps its events to itself.
    pub(crate) journal: Option<Arc<dyn DynJournal>>,
    /// The clock: for the times of records, and for notes that expire.
    pub(crate) wall_clock: Arc<WallClock>,
    /// The key of the chain of records; none where they are chained without one.
    pub(crate) chain_key: Option<ChainKey>,
    pub(crate) names: Names,
    /// What stands for each part in a journal.
    pub(crate) parts: Definitions,
}

/// The types of the parts that are somebody else's.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// With its version.
    pub(crate) interpreter: String,
    pub(crate) executor: &'static str,
    pub(crate) layout: &'static str,
    /// With its version.
    pub(crate) compactor: String,
    /// The project's own name, with its version; empty without one.
    pub(crate) sanitizer: String,
}

impl<R: Registry> Definition<R> {
    /// Returns the definition with other tools and another budget; what follows from them is computed anew.
    pub(super) fn with(&self, tools: ToolSet<R::State>, budget: Budget) -> Self {
        self.changed(|definition| (definition.tools, definition.budget) = (tools, budget))
    }

    /// Returns the definition for a run with an executor of its own.
    pub(super) fn with_executor<E: Executor<R::State>>(&self, executor: E) -> Arc<Self> {
        self.with_run_executor(RunExecutor::new(executor))
    }

    /// The same, where the type of the executor is gone.
    pub(super) fn with_run_executor(&self, executor: RunExecutor<R::State>) -> Arc<Self> {
        Arc::new(self.changed(|definition| {
            definition.names.executor = executor.name;
            definition.executor = Some(executor.executor);
        }))
    }

    /// Returns the definition with a change; what follows from it is computed anew.
    fn changed(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut definition = Self {
            parts: Definitions::new(),
            header: self.header.clone(),
            model: self.model.clone(),
            interpreter: self.interpreter.clone(),
            executor: self.executor.clone(),
            verifier: self.verifier.clone(),
            layout: self.layout.clone(),
            compactor: self.compactor.clone(),
            sanitizer: self.sanitizer.clone(),
            restate_with: self.restate_with.clone(),
            tools: self.tools.clone(),
            texts: self.texts.clone(),
            budget: self.budget,
            agent_budget: self.agent_budget,
            retries: self.retries,
            journal: self.journal.clone(),
            wall_clock: self.wall_clock.clone(),
            chain_key: self.chain_key.clone(),
            names: self.names.clone(),
        };
        change(&mut definition);
        let Self { model, interpreter, names, tools, texts, budget, .. } = &definition;
        let parts = parts::<R>(&**model, names, tools, texts, *budget);
        definition.header = header(&**interpreter, tools);
        definition.parts = parts;
        definition
    }

    /// Returns the definition for a run with this budget.
    pub(super) fn with_budget(self: &Arc<Self>, budget: Budget) -> Arc<Self> {
        if self.budget == budget {
            return self.clone();
        }
        Arc::new(self.with(self.tools.clone(), budget))
    }

    /// A session in which nothing was said yet.
    pub(super) fn session(&self) -> Session<R> {
        Session::framed(self.layout.clone(), self.texts.observation.clone())
            .sanitizing(self.sanitizer.clone())
            .timed(self.wall_clock.clone())
    }

    /// The names by which the model calls a tool: a set may hold it with a prefix.
    pub(super) fn names_of<T: RegisteredTool<R>>(&self) -> Result<Vec<String>, RunError> {
        let spec = const { T::SPEC };
        let of_it = self.tools.tools().filter(|(_, known)| known.is_same_tool(&spec));
        let names: Vec<String> = of_it.map(|(name, _)| name.to_owned()).collect();
        if names.is_empty() { Err(RunError::NoSuchTool { tool: spec.name.to_owned() }) } else { Ok(names) }
    }

    /// The first event of a session, which may branch off from another one.
    pub(super) fn session_opened(&self, fork: Option<Fork>) -> Event {
        Event::SessionOpened {
            library: env!("CARGO_PKG_VERSION").to_owned(),
            registry: self.parts.get("registry").cloned().unwrap_or_default(),
            fork,
        }
    }

    /// What a model sees of an outcome: no more than the tool or the agent allows.
    pub(super) fn shown(&self, call: &Call, outcome: &ActionOutcome, native: bool) -> Arc<[Arc<str>]> {
        let shown = self.texts.shown(outcome, native);
        let own = match call.action() {
            Action::Tool { name, .. } => self.tools.get(name).and_then(|spec| spec.max_chars),
            Action::Code { .. } => None,
        };
        let most = own.unwrap_or(self.budget.observation_chars);
        self.texts.cut(&shown, 0, most, self.named_in_notices(call.id())).unwrap_or(shown)
    }

    /// The id of a call, where the model has a tool that reads results by it.
    pub(super) fn named_in_notices<'c>(&self, call: &'c CallId) -> Option<&'c str> {
        let reads = self.tools.tools().any(|(_, spec)| spec.is_same_tool(&<read_result as Tool<()>>::SPEC));
        reads.then(|| call.as_str())
    }

    /// The journal that is to have a session.
    pub(super) fn journal_of(&self, session: &SessionId) -> Result<Arc<dyn DynJournal>, RunError> {
        self.journal.clone().ok_or_else(|| RunError::NoJournal { session: session.to_string() })
    }

    /// The tools in the header of a request, with those that are hidden unless enabled.
    pub(super) fn header(&self, enabled: &BTreeSet<String>) -> Arc<[ToolDefinition]> {
        if enabled.is_empty() || self.header.is_empty() && !self.interpreter.reads_native_calls() {
            return self.header.clone();
        }
        self.tools.definitions(enabled)
    }

    /// Returns what carries out the actions of a run on this state.
    pub(super) fn acting(&self, state: Arc<R::State>) -> Result<Acting<R::State>, RunError> {
        let Some(executor) = &self.executor else {
            return Ok(Acting::Handlers(Arc::new(self.tools.executor(state)?)));
        };
        if executor.declared_tools().is_some_and(|tools| !tools.has_same_tools(&self.tools)) {
            return Err(RunError::ForeignExecutor);
        }
        Ok(Acting::Executor { executor: executor.clone(), state })
    }
}

/// What stands for each part of a definition: a change of it is seen when a run is taken up again.
pub(super) fn parts<R: Registry>(
    model: &dyn DynModel,
    names: &Names,
    tools: &ToolSet<R::State>,
    texts: &CheckedTexts,
    budget: Budget,
) -> Definitions {
    let parts = [
        // Where the registry's own tools cannot be described, an agent has others; their fingerprint stands below.
        ("registry", R::fingerprint().unwrap_or_default()),
        ("tools", tools.fingerprint()),
        ("texts", identity::texts(texts)),
        ("budget", identity::budget(&budget)),
        ("model", model.who()),
        ("interpreter", names.interpreter.clone()),
        ("executor", names.executor.to_owned()),
        ("layout", names.layout.to_owned()),
        ("compactor", names.compactor.clone()),
        ("sanitizer", names.sanitizer.clone()),
    ];
    // What an agent does not have is left out, as in journals of versions that did not know it.
    let there = parts.into_iter().filter(|(_, stands)| !stands.is_empty());
    there.map(|(part, stands)| (part.to_owned(), stands)).collect()
}

/// The parts that are not the same in both.
pub(super) fn differing(one: &Definitions, other: &Definitions) -> Vec<String> {
    let all: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    all.into_iter().filter(|part| one.get(*part) != other.get(*part)).cloned().collect()
}

/// Returns the names of parts that differ for a reader, with both values of a budget.
pub(super) fn described(changed: Vec<String>, from: &Definitions, now: &Definitions) -> Vec<String> {
    let describe = |part: String| match (from.get(&part), now.get(&part)) {
        (Some(from), Some(now)) if part == "executor" => {
            format!("executor (it was `{from}` and is `{now}`; a run takes its own by `.executor(..)`)")
        }
        (Some(from), Some(now)) if part == "budget" => {
            format!("budget ({})", identity::budget_difference(from, now))
        }
        _ => part,
    };
    changed.into_iter().map(describe).collect()
}

/// Whether one of these parts decides what a prompt is made of the same events.
pub(super) fn shape_prompts(parts: &[String]) -> bool {
    parts.iter().any(|part| matches!(part.as_str(), "registry" | "texts" | "layout"))
}

/// Tools are never put into text, and into the header only for an interpreter that reads native calls.
pub(super) fn header<S>(interpreter: &dyn Interpreter, tools: &ToolSet<S>) -> Arc<[ToolDefinition]> {
    if interpreter.reads_native_calls() { tools.definitions(&BTreeSet::new()) } else { Arc::from([]) }
}
