//! Carries out the calls of one reply: checks all first, then one after another, or side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::carry_out::{CarriedOut, NO_CALL, Ready};
use super::driver::Driver;
use super::state::Approval;
use super::update::{Told, Update};
use crate::error::{CallError, RunError};
use crate::event::{Action, ActionOutcome, Call, CallId, Event, Intent, Settled};
use crate::execute::drop_caught;
use crate::journal::SessionId;
use crate::registry::{Registry, hold_marker};
use crate::tool::{CallContext, Replay};

type ReadyCalls<S> = BTreeMap<CallId, Ready<S>>;

impl<R: Registry> Driver<R> {
    /// Carries out what is open; `false` if a person must agree first.
    pub(super) async fn act(&mut self) -> Result<bool, RunError> {
        let mut ready = self.checked();
        if !self.state.is_cancelled() {
            self.ask_for_approvals(&ready);
        }
        let open = self.open_calls();
        let side_by_side = open.len() > 1
            && open
                .iter()
                .all(|call| ready.get(call.id()).is_some_and(|ready| ready.is(|spec| spec.concurrent)))
            && open.iter().all(|call| !self.waits(call.id()));
        if side_by_side && !self.state.is_cancelled() {
            let batch =
                open.into_iter().filter_map(|call| ready.remove(call.id()).map(|ready| (call, ready)));
            self.act_on(batch.collect()).await?;
            return Ok(true);
        }
        for call in open {
            self.notice().await?;
            if let Some(completed) = self.completed() {
                self.refuse(&call, &format!("{completed} completed the run before it"));
            } else if self.state.is_cancelled() {
                self.refuse(&call, "the run was cancelled");
            } else if self.waits(call.id()) {
                return Ok(false);
            } else if let Some(ready) = ready.remove(call.id()) {
                self.act_on(vec![(call, ready)]).await?;
            }
        }
        Ok(true)
    }

    /// Returns what completed the run, if something did: a tool, or evidence of the environment.
    fn completed(&self) -> Option<String> {
        let tool = self.state.completed_by.as_ref().map(|tool| format!("`{tool}`"));
        tool.or_else(|| self.state.environment_completed.then(|| "the environment".to_owned()))
    }

    fn open_calls(&self) -> Vec<Call> {
        self.state.calls.iter_open().map(|pending| pending.call.clone()).collect()
    }

    fn waits(&self, id: &CallId) -> bool {
        self.state.calls.open_entry(id).is_some_and(|pending| pending.approval == Approval::Asked)
    }

    /// Checks all open calls before anything runs; what is wrong is refused, and all of it if it is too much.
    fn checked(&mut self) -> ReadyCalls<R::State> {
        let mut ready = ReadyCalls::new();
        let effective =
            self.state.calls.iter_open().map(|pending| (pending.call.clone(), pending.effective_call()));
        for (call, effective) in effective.collect::<Vec<_>>() {
            match self.check(effective.action()) {
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
        match action {
            Action::Tool { name, arguments } => match self.definition.tools.validate(name, arguments) {
                Ok(checked) => Ok(Ready::call(name, checked)),
                // The tool's name is in front of the model already; the reason is what it needs.
                Err(error @ (CallError::UnknownTool { .. } | CallError::InvalidArguments { .. })) => {
                    Err(error.to_string())
                }
            },
            Action::Code { language, source } if self.acting.takes_code() => {
                let replay = self.definition.interpreter.replay_of_code(language, source);
                Ok(Ready { action: action.clone(), checked: None, replay })
            }
            Action::Code { .. } => Err(NO_CALL.to_owned()),
        }
    }

    /// Whether an action may be done again, as the tools are now; none where it is refused.
    pub(super) fn replay_now(&self, action: &Action) -> Option<Replay> {
        self.check(action).ok().map(|ready| ready.replay)
    }

    /// Asks about the effective arguments: what a person agrees to is what is carried out.
    fn ask_for_approvals(&mut self, ready: &ReadyCalls<R::State>) {
        let asking = |pending: &super::state::Pending| {
            let ready = ready.get(pending.call.id()).filter(|ready| ready.is(|spec| spec.approval))?;
            let asks = pending.approval == Approval::NotAsked && !self.state.is_approved(&ready.action);
            let differs = ready.action.payload() != pending.call.action().payload();
            let arguments: Option<Arc<str>> = differs.then(|| ready.action.payload().into());
            asks.then(|| (Call::new(pending.call.id().clone(), ready.action.clone()), arguments))
        };
        let calls: Vec<(Call, Option<Arc<str>>)> = self.state.calls.iter().filter_map(asking).collect();
        for (call, arguments) in calls {
            self.record(Event::ApprovalAsked { call: call.id().clone(), arguments });
            self.tell(Update::ApprovalAsked { call });
        }
    }

    /// Carries out calls side by side. The journal holds all of them before the first handler is polled.
    async fn act_on(&mut self, batch: Vec<(Call, Ready<R::State>)>) -> Result<(), RunError> {
        for (call, ready) in &batch {
            self.record(Event::CallStarted { call: call.id().clone(), intent: self.intent(call, ready) });
        }
        self.commit().await?;
        // Owned here, so that outcomes are recorded as they arrive.
        let acting = self.acting.clone();
        let mut running = FuturesUnordered::new();
        let mut open = BTreeMap::new();
        for (call, ready) in batch {
            self.tell(Update::Called { call: call.clone() });
            let (context, replay) = (self.context(&call), ready.replay);
            open.insert(call.id().clone(), (call.clone(), replay));
            let acting = &acting;
            let key = context.key_use();
            running.push(async move {
                let carried_out = acting.carry_out(ready, &context).await;
                (call, carried_out, replay, key.was_asked())
            });
        }
        while let Some(arrived) = self.attend(running.next()).await? {
            let Some((call, carried_out, replay, receipt)) = arrived else { return Ok(()) };
            open.remove(call.id());
            self.settle_carried_out(&call, carried_out, receipt);
            if !running.is_empty() && replay == Replay::Never {
                // What may not be done twice is durable before anything else happens. Of the last one the next
                // barrier takes care: nothing happens before it.
                self.commit().await?;
            }
        }
        drop_caught(running);
        for (call, replay) in open.into_values() {
            self.settle(&call, dropped(replay));
        }
        Ok(())
    }

    fn intent(&self, call: &Call, ready: &Ready<R::State>) -> Intent {
        let pending = self.state.calls.open_entry(call.id());
        let before = pending.and_then(|pending| pending.intent.as_ref());
        Intent {
            attempt: before.map_or(0, |intent| intent.attempt).saturating_add(1),
            replay: ready.replay,
            arguments: ready.action.payload().to_owned(),
            spec: self.spec_hash(call.action()),
            completes_run: ready.is(|spec| spec.completes_run),
            child: (ready.replay == Replay::Child).then(|| self.child_session(call)),
        }
    }

    /// The session of the run inside a call: the same at every attempt, and of no other call.
    fn child_session(&self, call: &Call) -> SessionId {
        format!("{}/{}", self.writer.session(), call.id()).into()
    }

    fn spec_hash(&self, action: &Action) -> Option<Arc<str>> {
        match action {
            Action::Tool { name, .. } => self.definition.tools.shared_fingerprint_of(name),
            Action::Code { .. } => None,
        }
    }

    pub(super) fn context(&self, call: &Call) -> CallContext {
        let updates = self.updates.clone();
        let id = call.id().clone();
        let most = self.definition.budget.observation_chars;
        let progress = Arc::new(move |_: &str, text: &str| {
            let text = text.chars().take(most).collect();
            let update = Update::Progress { call: id.clone(), text };
            drop(updates.send(Told::passing(update)));
        });
        let pending = self.state.calls.open_entry(call.id());
        let intent = pending.and_then(|pending| pending.intent.as_ref());
        let attempt = intent.map_or(1, |intent| intent.attempt);
        let context = CallContext::new(call.id().text(), attempt, self.cancelled.subscribe(), progress)
            .in_run(self.writer.session().text(), self.writer.run())
            .with_results(self.results());
        match intent.and_then(|intent| intent.child.as_ref()) {
            Some(child) => context.with_child_session(child.as_str()),
            None => context,
        }
    }

    fn refuse(&mut self, call: &Call, reason: &str) {
        self.settle(call, ActionOutcome::not_executed(reason));
    }

    /// Records that a person refused the call.
    pub(super) fn deny(&mut self, call: &Call) {
        let shown = self.definition.texts.denied.clone();
        let outcome = ActionOutcome::not_executed(&*shown);
        self.settle_as(call, outcome, Arc::from([shown]), false);
    }

    pub(super) fn settle(&mut self, call: &Call, outcome: ActionOutcome) {
        self.settle_with(call, outcome, false);
    }

    /// Records an outcome; `receipt` where its result stays although the tool may be repeated.
    pub(super) fn settle_with(&mut self, call: &Call, outcome: ActionOutcome, receipt: bool) {
        let native = self.session.ledger().has_native_calls();
        let shown = self.definition.shown(call, &outcome, native);
        self.settle_as(call, outcome, shown, receipt);
    }

    /// Records the outcome of an action that was carried out. The model reads no sentence of an executor that refused it.
    fn settle_carried_out(&mut self, call: &Call, carried_out: CarriedOut, receipt: bool) {
        let CarriedOut { outcome, refused_by_executor } = carried_out;
        if refused_by_executor {
            let shown = self.definition.texts.refused_by_executor.clone();
            self.settle_as(call, outcome, Arc::from([shown]), false);
        } else {
            self.settle_with(call, outcome, receipt);
        }
    }

    fn settle_as(&mut self, call: &Call, outcome: ActionOutcome, shown: Arc<[Arc<str>]>, receipt: bool) {
        self.tell(Update::Observed { call: call.clone(), outcome: outcome.clone(), shown: shown.concat() });
        let item = self.session.new_item();
        let forged_marker = hold_marker::<R>(&shown);
        let settled = Settled::new(outcome, shown).forging(forged_marker).with_receipt(receipt);
        self.record(Event::CallSettled { item, call: call.id().clone(), settled });
    }
}

/// What becomes of a call that was dropped on its way.
fn dropped(replay: Replay) -> ActionOutcome {
    const WHY: &str = "the run was cancelled while it was under way";
    match replay {
        Replay::Safe => ActionOutcome::not_executed(WHY),
        Replay::Never | Replay::Child => ActionOutcome::unknown(WHY),
    }
}
