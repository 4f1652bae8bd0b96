//! Carries out the calls of one reply: checks all first, then one after another, or side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};

use super::definition::Definition;
use super::driver::Driver;
use super::state::Approval;
use super::update::Update;
use crate::error::CallError;
use crate::event::{Action, ActionOutcome, Call, CallId, Event, Settled, Status};
use crate::execute::{ToolExecutor, catching};
use crate::registry::Registry;
use crate::tool::{CallContext, CheckedCall, ToolSpec};

/// A call that may be carried out.
enum Ready<S> {
    /// By the handler, with its arguments.
    Handler(CheckedCall<S>),
    /// By the project's own executor; the description of the tool, if it is a call of one.
    Own(Option<&'static ToolSpec>),
}

impl<S> Ready<S> {
    fn spec(&self) -> Option<&'static ToolSpec> {
        match self {
            Self::Handler(checked) => Some(checked.spec()),
            Self::Own(spec) => *spec,
        }
    }

    fn is(&self, flag: impl Fn(&ToolSpec) -> bool) -> bool {
        self.spec().is_some_and(flag)
    }
}

type ReadyCalls<S> = BTreeMap<CallId, Ready<S>>;

impl<R: Registry> Driver<R> {
    /// Carries out what is open; `false` if a person must agree first.
    pub(super) async fn act(&mut self) -> bool {
        let mut ready = self.checked();
        if !self.is_cancelled() {
            self.ask_for_approvals(&ready);
        }
        let open = self.open_calls();
        let side_by_side = open.len() > 1
            && open
                .iter()
                .all(|call| ready.get(call.id()).is_some_and(|ready| ready.is(|spec| spec.concurrent)))
            && open.iter().all(|call| !self.waits(call.id()));
        if side_by_side && !self.is_cancelled() {
            self.act_side_by_side(open, ready).await;
            return true;
        }
        for call in open {
            if let Some(completed) = self.state.completed_by.clone() {
                self.refuse(&call, &format!("`{completed}` completed the run before it"));
            } else if self.is_cancelled() {
                self.refuse(&call, "the run was cancelled");
            } else if self.waits(call.id()) {
                return false;
            } else if let Some(ready) = ready.remove(call.id()) {
                self.act_on(&call, ready).await;
            }
        }
        true
    }

    fn open_calls(&self) -> Vec<Call> {
        let open = self.state.calls.iter().filter(|pending| !pending.settled);
        open.map(|pending| pending.call.clone()).collect()
    }

    fn waits(&self, id: &CallId) -> bool {
        let mut calls = self.state.calls.iter();
        calls.any(|pending| pending.call.id() == id && pending.approval == Approval::Asked)
    }

    /// Checks all open calls before anything runs; what is wrong is refused, and all of it if it is too much.
    fn checked(&mut self) -> ReadyCalls<R::State> {
        let mut ready = ReadyCalls::new();
        for call in self.open_calls() {
            match self.check(call.action()) {
                Ok(checked) => drop(ready.insert(call.id().clone(), checked)),
                Err(reason) => self.refuse(&call, &reason),
            }
        }
        let left = self.definition.budget.actions.saturating_sub(self.state.actions);
        if ready.len() > left {
            let asked = ready.len();
            for call in self.open_calls() {
                self.refuse(
                    &call,
                    &format!("{left} actions are left and the reply asks for {asked}; ask for fewer"),
                );
            }
            ready.clear();
        }
        ready
    }

    fn check(&self, action: &Action) -> Result<Ready<R::State>, String> {
        let own = self.definition.executor.is_some();
        match action {
            Action::Tool { name, arguments } => match self.definition.tools.validate(name, arguments) {
                Ok(checked) if own => Ok(Ready::Own(Some(checked.spec()))),
                Ok(checked) => Ok(Ready::Handler(checked)),
                // The tool's name is in front of the model already; the reason is what it needs.
                Err(error @ (CallError::UnknownTool { .. } | CallError::InvalidArguments { .. })) => {
                    Err(error.to_string())
                }
            },
            Action::Code { .. } if own => Ok(Ready::Own(None)),
            Action::Code { .. } => Err("there is no tool call in the action".to_owned()),
        }
    }

    fn ask_for_approvals(&mut self, ready: &ReadyCalls<R::State>) {
        let asking = |pending: &super::state::Pending| {
            let needed = ready.get(pending.call.id()).is_some_and(|ready| ready.is(|spec| spec.approval));
            (needed && pending.approval == Approval::NotAsked).then(|| pending.call.clone())
        };
        let calls: Vec<Call> = self.state.calls.iter().filter_map(asking).collect();
        for call in calls {
            self.record(&Event::ApprovalAsked { call: call.id().clone() });
            self.tell(Update::ApprovalAsked { call });
        }
    }

    async fn act_on(&mut self, call: &Call, ready: Ready<R::State>) {
        let spec = ready.spec();
        self.start(call);
        let (definition, handlers) = (self.definition.clone(), self.handlers.clone());
        let outcome = execute(&definition, handlers.as_deref(), call, ready, self.context(call)).await;
        self.settle(call, outcome, spec);
    }

    async fn act_side_by_side(&mut self, open: Vec<Call>, mut ready: ReadyCalls<R::State>) {
        for call in &open {
            self.start(call);
        }
        // Owned here, so that outcomes are recorded as they arrive.
        let (definition, handlers) = (self.definition.clone(), self.handlers.clone());
        let mut running: FuturesUnordered<_> = open
            .iter()
            .filter_map(|call| {
                let (ready, context) = (ready.remove(call.id())?, self.context(call));
                let spec = ready.spec();
                let executed = execute(&definition, handlers.as_deref(), call, ready, context);
                Some(executed.map(move |outcome| (call, outcome, spec)))
            })
            .collect();
        while let Some((call, outcome, spec)) = running.next().await {
            self.settle(call, outcome, spec);
        }
    }

    fn start(&mut self, call: &Call) {
        self.record(&Event::CallStarted { call: call.id().clone() });
        self.tell(Update::Called { call: call.clone() });
    }

    fn context(&self, call: &Call) -> CallContext {
        let updates = self.updates.clone();
        let id = call.id().clone();
        let progress = Arc::new(move |_: &str, text: &str| {
            drop(updates.send(Update::Progress { call: id.clone(), text: text.to_owned() }));
        });
        CallContext::new(call.id().text(), 1, self.cancelled.clone(), progress)
    }

    fn refuse(&mut self, call: &Call, reason: &str) {
        self.settle(call, ActionOutcome::not_executed(reason), None);
    }

    /// Records that a person refused the call.
    pub(super) fn deny(&mut self, call: &Call) {
        let shown = self.definition.texts.denied.clone();
        let outcome = ActionOutcome::not_executed(&*shown);
        self.settle_as(call, outcome, Arc::from([shown]), false);
    }

    fn settle(&mut self, call: &Call, outcome: ActionOutcome, spec: Option<&'static ToolSpec>) {
        let shown = self.shown(&outcome);
        self.settle_as(call, outcome, shown, spec.is_some_and(|spec| spec.completes_run));
    }

    fn settle_as(
        &mut self,
        call: &Call,
        outcome: ActionOutcome,
        shown: Arc<[Arc<str>]>,
        completes_run: bool,
    ) {
        self.tell(Update::Observed { call: call.clone(), outcome: outcome.clone(), shown: shown.concat() });
        let item = self.session.new_item();
        let settled = Settled { outcome, shown, completes_run };
        self.record(&Event::CallSettled { item, call: call.id().clone(), settled });
    }

    /// What the model sees: for what was not executed, failed with the environment or is not known a text of the
    /// definition, which can be made again from the journal.
    fn shown(&self, outcome: &ActionOutcome) -> Arc<[Arc<str>]> {
        let texts = &self.definition.texts;
        match outcome.status {
            Status::NotExecuted => {
                let text = texts.not_executed.fill(&outcome.observation.parts().concat());
                if text.trim().is_empty() {
                    return Arc::from([texts.empty_observation.clone()]);
                }
                Arc::from([Arc::from(text)])
            }
            Status::EnvironmentError => Arc::from([texts.environment_error.clone()]),
            Status::Unknown => Arc::from([texts.unknown.clone()]),
            Status::Executed => {
                let parts = outcome.observation.parts();
                if parts.iter().all(|part| part.trim().is_empty()) {
                    return Arc::from([texts.empty_observation.clone()]);
                }
                parts.iter().filter(|part| !part.is_empty()).cloned().collect()
            }
        }
    }
}

async fn execute<R: Registry>(
    definition: &Definition<R>,
    handlers: Option<&ToolExecutor<R::State>>,
    call: &Call,
    ready: Ready<R::State>,
    context: CallContext,
) -> ActionOutcome {
    match (ready, handlers, &definition.executor) {
        (Ready::Handler(checked), Some(handlers), _) => handlers.call(checked, &context).await,
        (Ready::Own(_), _, Some(executor)) => {
            // Its own function may panic before there is a future.
            let executed = Box::pin(async { executor.execute_boxed(call.action(), &context).await });
            let outcome = catching(executed).await;
            outcome.unwrap_or_else(|panicked| ActionOutcome::executed(panicked).as_error())
        }
        _ => ActionOutcome::not_executed("there is nothing that could execute it"),
    }
}
