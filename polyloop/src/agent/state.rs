//! Where a run is: a pure fold of its events. It reads no clock, no random number and no environment.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::compactions::Compactions;
use super::handle::Cancel;
use crate::error::{ModelError, ModelErrorClass};
use crate::event::{
    Action, Call, CallId, CallTable, Decision, Definitions, Ending, Event, Header, Intent, Reply, Seal,
    Settled, Status, Usage, Verdict,
};

/// What is said of a request whose reply nobody waited for.
const ABANDONED: &str = "the process ended before the reply was there";

/// What was done last.
#[derive(Clone, Debug, Default)]
pub(crate) enum Phase {
    /// The next prompt may be put together.
    #[default]
    Assembling,
    /// A prompt is sealed; its reply is not there.
    Sealed,
    /// A reply is there; nobody read it.
    Replied(Arc<Reply>),
    /// Calls are open.
    Acting,
    /// The step is over.
    Settled,
}

/// Whether a person agreed to a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Approval {
    #[default]
    NotAsked,
    Asked,
    Given,
}

/// One call of the current step.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) call: Call,
    pub(crate) approval: Approval,
    /// The arguments about which a person was asked, where the model wrote them in another form.
    pub(crate) asked: Option<Arc<str>>,
    /// The last attempt that was begun.
    pub(crate) intent: Option<Intent>,
    /// What somebody who looked said of that attempt.
    pub(crate) verdict: Option<Verdict>,
}

impl Pending {
    /// Returns the call with the arguments that the journal holds as effective, if it does: those of the last attempt, or those about
    /// which a person was asked.
    pub(crate) fn effective_call(&self) -> Call {
        let begun = self.intent.as_ref().map(|intent| intent.arguments.as_str());
        match begun.or(self.asked.as_deref()) {
            Some(arguments) => self.call.with_arguments(arguments),
            None => self.call.clone(),
        }
    }

    /// Whether success completes the run, as it was said when the call was begun.
    fn completes_run(&self) -> bool {
        self.intent.as_ref().is_some_and(|intent| intent.completes_run)
    }
}

/// Where a run is.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunState {
    pub(crate) phase: Phase,
    pub(crate) calls: CallTable<Pending>,
    pub(crate) requests: usize,
    /// How many of them the current step has.
    pub(crate) attempts: u32,
    /// The last of them, unless what stands beside the messages changed since.
    pub(crate) last_seal: Option<Arc<Seal>>,
    /// What stands beside the messages of each request.
    pub(crate) header: Option<Arc<Header>>,
    /// What all of them cost together.
    pub(crate) usage: Usage,
    /// The size of the last one, in characters.
    pub(crate) prompt_chars: usize,
    pub(crate) steps: usize,
    pub(crate) actions: usize,
    pub(crate) environment_errors: usize,
    pub(crate) model_failures: usize,
    pub(crate) unknown_outcomes: usize,
    /// How long it was active, in milliseconds; 0 where the budget has no time.
    pub(crate) active_millis: u64,
    pub(crate) failure: Option<ModelError>,
    /// The tool that completed the run.
    pub(crate) completed_by: Option<String>,
    /// Whether the environment gave evidence of completion.
    pub(crate) environment_completed: bool,
    pub(crate) answer: Option<Arc<str>>,
    pub(crate) final_answer: bool,
    /// What it knows of its compactions.
    pub(crate) compactions: Compactions,
    /// Whether and how it is cancelled.
    pub(crate) cancel: Cancel,
    pub(crate) ending: Option<Ending>,
    /// What the run was begun with, or resumed with last.
    pub(crate) definition: Arc<Definitions>,
    /// Hidden tools that are shown, by the names that the model calls. They stay shown in the session's further runs.
    pub(crate) enabled: Arc<BTreeSet<String>>,
    /// Calls, in their normal form, to which a person agreed for the session.
    pub(crate) approved: Arc<HashSet<Action>>,
    /// The fault that stopped the run.
    pub(crate) fault: Option<String>,
}

impl RunState {
    /// Takes what happened.
    pub(crate) fn apply(&mut self, event: &Event) {
        let was_compacting = self.is_compacting();
        self.compactions.apply(event, self.prompt_chars);
        match event {
            Event::SessionOpened { .. }
            | Event::CompactionStarted { .. }
            | Event::CompactionApplied { .. }
            | Event::CompactionAbandoned { .. }
            | Event::LeaseTaken {}
            | Event::RunSuspended { .. }
            | Event::PromptRefused { .. }
            | Event::RemarkRecorded { .. }
            | Event::FragmentRecorded { .. }
            | Event::FragmentRetired { .. }
            | Event::NoteWithdrawn { .. }
            | Event::NoteQueued { .. }
            | Event::NoteTaken { .. }
            | Event::HistoryImported { .. }
            | Event::HistoryRolledBack { .. }
            | Event::InputRecorded { .. } => {}
            // What is counted is counted for each run; what a session has, stays.
            Event::RunStarted { definition } => self.started(definition),
            Event::RunResumed { definition, .. } => self.definition = Arc::new(definition.clone()),
            Event::ToolsEnabled { tools } => {
                Arc::make_mut(&mut self.enabled).extend(tools.iter().cloned());
            }
            // A request for a summary is no part of a step; it costs what it costs.
            Event::PromptSealed { .. } if was_compacting => self.requests += 1,
            Event::ModelReplied { reply } if was_compacting => self.usage.add(reply.usage()),
            Event::ModelFailed { .. } | Event::ModelAbandoned {} if was_compacting => {}
            Event::PromptSealed { seal } => {
                self.requests += 1;
                self.attempts = seal.attempt;
                self.prompt_chars = seal.chars;
                self.last_seal = Some(Arc::new(seal.clone()));
                self.phase = Phase::Sealed;
            }
            Event::HeaderChanged { header } => {
                self.header = Some(Arc::new(header.clone()));
                // What was sealed under another header says nothing about bodies under this one.
                self.last_seal = None;
            }
            Event::ModelReplied { reply } => {
                let usage = reply.usage();
                self.usage.add(usage);
                self.phase = Phase::Replied(reply.clone());
            }
            Event::ModelAbandoned {} => {
                self.model_failures += 1;
                self.failure = Some(ModelError::new(ModelErrorClass::Transport, ABANDONED));
                self.phase = Phase::Assembling;
            }
            Event::ModelFailed { error, closing: None } => {
                self.failure = Some(error.clone());
                self.phase = Phase::Assembling;
            }
            Event::ModelFailed { error, closing: Some(_) } => {
                self.attempts = 0;
                self.steps += 1;
                self.model_failures += 1;
                self.failure = Some(error.clone());
                self.phase = Phase::Settled;
            }
            Event::Decided { decision, calls, .. } => self.decided(decision, calls),
            Event::ApprovalAsked { call, arguments } => self.with_call(call, |pending| {
                pending.approval = Approval::Asked;
                pending.asked.clone_from(arguments);
            }),
            Event::ApprovalGiven { call, always: true } => self.approved_for_the_session(call),
            Event::ApprovalGiven { call, always: false } => {
                self.with_call(call, |pending| pending.approval = Approval::Given);
            }
            Event::CallStarted { call, intent } => {
                self.with_call(call, |pending| {
                    pending.intent = Some(intent.clone());
                    pending.verdict = None;
                });
            }
            Event::CallVerified { call, verdict } => {
                self.with_call(call, |pending| pending.verdict = Some(verdict.clone()));
            }
            Event::CallSettled { call, settled, .. } => self.settled(call, settled),
            Event::StopChecked { matches, .. } => {
                if matches.is_empty() {
                    self.phase = Phase::Assembling;
                }
            }
            Event::ClockMarked { millis } => self.active_millis = self.active_millis.saturating_add(*millis),
            Event::UnknownAcknowledged {} => self.unknown_outcomes = 0,
            Event::CancelRequested { now } => {
                self.cancel = self.cancel.max(if *now { Cancel::Now } else { Cancel::AfterAction });
            }
            Event::RunEnded { ending, .. } => self.ending = Some(ending.clone()),
            Event::RunFaulted { message } => self.fault = Some(message.clone()),
            // The same prompt is another one now.
            Event::RecordsRedacted { .. } => self.last_seal = None,
        }
    }

    pub(crate) fn is_compacting(&self) -> bool {
        self.compactions.is_under_way()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel > Cancel::No
    }

    /// Whether it may go on. A session that only holds what it began with has no run that could.
    pub(crate) fn is_open(&self) -> bool {
        !self.definition.is_empty() && self.ending.is_none() && self.fault.is_none()
    }

    /// Returns `true` if a person agreed for the session to this call, with these effective arguments.
    pub(crate) fn is_approved(&self, action: &Action) -> bool {
        !self.approved.is_empty() && self.approved.contains(&action.in_normal_form())
    }

    fn approved_for_the_session(&mut self, call: &CallId) {
        let Some(pending) = self.calls.get_mut(call) else { return };
        let action = pending.effective_call().action().in_normal_form();
        // Who waits for the same call needs no answer any more.
        for pending in self.calls.iter_mut() {
            let waits = pending.call.id() == call || pending.approval == Approval::Asked;
            if waits && pending.effective_call().action().in_normal_form() == action {
                pending.approval = Approval::Given;
            }
        }
        if !self.approved.contains(&action) {
            Arc::make_mut(&mut self.approved).insert(action);
        }
    }

    fn started(&mut self, definition: &Definitions) {
        *self = Self {
            definition: Arc::new(definition.clone()),
            enabled: std::mem::take(&mut self.enabled),
            approved: std::mem::take(&mut self.approved),
            prompt_chars: self.prompt_chars,
            last_seal: self.last_seal.take(),
            header: self.header.take(),
            compactions: self.compactions.next_run(self.ending.as_ref(), &self.definition, definition),
            ..Self::default()
        };
    }

    fn decided(&mut self, decision: &Decision, calls: &[Call]) {
        self.steps += 1;
        self.attempts = 0;
        self.model_failures = 0;
        self.phase = Phase::Settled;
        self.final_answer = false;
        match decision {
            Decision::Act { .. } if !calls.is_empty() => {
                let pending = |call: &Call| {
                    let (approval, asked, intent, verdict) = (Approval::NotAsked, None, None, None);
                    (call.id().clone(), Pending { call: call.clone(), approval, asked, intent, verdict })
                };
                self.calls = calls.iter().map(pending).collect();
                self.phase = Phase::Acting;
            }
            Decision::Final { answer, .. } => {
                self.answer = Some(answer.as_str().into());
                self.final_answer = true;
            }
            Decision::Act { .. } | Decision::Invalid { .. } => {}
        }
    }

    fn settled(&mut self, call: &CallId, settled: &Settled) {
        let outcome = &settled.outcome;
        match outcome.status {
            Status::Executed => {
                self.actions += 1;
                self.environment_errors = 0;
            }
            Status::Unknown => {
                self.actions += 1;
                self.unknown_outcomes += 1;
            }
            Status::EnvironmentError => self.environment_errors += 1,
            Status::NotExecuted => {}
        }
        let executed = outcome.status == Status::Executed && !outcome.is_error;
        self.environment_completed |= outcome.env_reported_completion;
        let completing = self.calls.settle(call).filter(|pending| pending.completes_run());
        if let Some(pending) = completing.filter(|_| executed && self.completed_by.is_none()) {
            self.answer = Some(outcome.observation.parts().concat().into());
            self.completed_by = Some(pending.call.action().label().to_owned());
        }
        if self.calls.is_settled() {
            self.calls = CallTable::default();
            self.phase = Phase::Settled;
        }
    }

    fn with_call(&mut self, id: &CallId, change: impl FnOnce(&mut Pending)) {
        if let Some(pending) = self.calls.get_mut(id) {
            change(pending);
        }
    }
}
