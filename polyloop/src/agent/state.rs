//! Where a run is: a pure fold of its events. It reads no clock, no random number and no environment.

use std::sync::Arc;

use crate::error::ModelError;
use crate::event::{Call, CallId, Decision, Ending, Event, Reply, Settled, Status};

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
    pub(crate) started: bool,
    pub(crate) settled: bool,
}

/// Where a run is.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunState {
    pub(crate) phase: Phase,
    pub(crate) calls: Vec<Pending>,
    pub(crate) requests: usize,
    pub(crate) steps: usize,
    pub(crate) actions: usize,
    pub(crate) environment_errors: usize,
    pub(crate) model_failures: usize,
    pub(crate) unknown_outcomes: usize,
    pub(crate) failure: Option<ModelError>,
    /// The tool that completed the run.
    pub(crate) completed_by: Option<String>,
    /// Whether the environment gave evidence of completion.
    pub(crate) environment_completed: bool,
    pub(crate) answer: Option<String>,
    pub(crate) final_answer: bool,
    pub(crate) cancelled: bool,
    pub(crate) ending: Option<Ending>,
}

impl RunState {
    /// Takes what happened.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::FragmentRecorded { .. } | Event::InputRecorded { .. } => {}
            Event::PromptSealed => {
                self.requests += 1;
                self.phase = Phase::Sealed;
            }
            Event::ModelReplied { reply } => self.phase = Phase::Replied(reply.clone()),
            Event::ModelFailed { error, .. } => {
                self.steps += 1;
                self.model_failures += 1;
                self.failure = Some(error.clone());
                self.phase = Phase::Settled;
            }
            Event::Decided { decision, calls, .. } => self.decided(decision, calls),
            Event::ApprovalAsked { call } => {
                self.with_call(call, |pending| pending.approval = Approval::Asked);
            }
            Event::ApprovalGiven { call } => {
                self.with_call(call, |pending| pending.approval = Approval::Given);
            }
            Event::CallStarted { call } => self.with_call(call, |pending| pending.started = true),
            Event::CallSettled { call, settled, .. } => self.settled(call, settled),
            Event::UnknownAcknowledged => self.unknown_outcomes = 0,
            Event::CancelRequested => self.cancelled = true,
            Event::RunEnded { ending } => self.ending = Some(ending.clone()),
        }
    }

    fn decided(&mut self, decision: &Decision, calls: &[Call]) {
        self.steps += 1;
        self.model_failures = 0;
        self.phase = Phase::Settled;
        match decision {
            Decision::Act { .. } if !calls.is_empty() => {
                let pending = |call: &Call| Pending {
                    call: call.clone(),
                    approval: Approval::NotAsked,
                    started: false,
                    settled: false,
                };
                self.calls = calls.iter().map(pending).collect();
                self.phase = Phase::Acting;
            }
            Decision::Final { answer, .. } => {
                self.answer = Some(answer.clone());
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
        if settled.completes_run && executed && self.completed_by.is_none() {
            self.answer = Some(outcome.observation.parts().concat());
            let pending = self.calls.iter().find(|pending| pending.call.id() == call);
            self.completed_by = pending.map(|pending| pending.call.action().label().to_owned());
        }
        self.with_call(call, |pending| pending.settled = true);
        if self.calls.iter().all(|pending| pending.settled) {
            self.calls.clear();
            self.phase = Phase::Settled;
        }
    }

    fn with_call(&mut self, id: &CallId, change: impl FnOnce(&mut Pending)) {
        if let Some(pending) = self.calls.iter_mut().find(|pending| pending.call.id() == id) {
            change(pending);
        }
    }
}
