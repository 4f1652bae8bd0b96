//! Settles what was under way when a run was interrupted.

use super::driver::Driver;
use super::state::Phase;
use crate::error::RunError;
use crate::event::{ActionOutcome, Call, Event, Intent, Verdict};
use crate::execute::catching;
use crate::registry::Registry;
use crate::tool::{Observation, Replay};

/// How often a call that may be done again is begun at most.
const ATTEMPTS: u32 = 2;

/// What becomes of a call that was begun and has no outcome.
enum Fate {
    /// It stays open, and is begun again.
    Again,
    /// It took effect.
    Happened(Observation),
    /// Nobody knows.
    Unknown,
}

impl<R: Registry> Driver<R> {
    pub(super) async fn recover(&mut self, changed: Vec<String>, state: &R::State) -> Result<(), RunError> {
        self.record(Event::LeaseTaken {});
        self.record(Event::RunResumed { definition: self.definition.parts.clone(), changed });
        if self.state.is_compacting() {
            self.record(Event::CompactionAbandoned {
                why: "the process ended meanwhile".to_owned(),
                chars: None,
            });
        }
        if matches!(self.state.phase, Phase::Sealed) {
            self.record(Event::ModelAbandoned {});
        }
        let begun = self.state.calls.iter_open().filter_map(|pending| {
            let intent = pending.intent.clone()?;
            Some((pending.call.clone(), pending.effective_call(), intent, pending.verdict.clone()))
        });
        let begun: Vec<(Call, Call, Intent, Option<Verdict>)> = begun.collect();
        for (call, effective, intent, verdict) in begun {
            let (outcome, receipt) = match self.fate(&effective, &intent, verdict, state).await {
                Fate::Again => continue,
                // What a verifier found is recorded nowhere else.
                Fate::Happened(observation) => (ActionOutcome::executed(observation), true),
                Fate::Unknown => {
                    (ActionOutcome::unknown("the process ended before the outcome was there"), false)
                }
            };
            self.settle_with(&call, outcome, receipt);
        }
        self.suspended = self.waits_after_step();
        self.commit().await
    }

    async fn fate(
        &mut self,
        call: &Call,
        intent: &Intent,
        verdict: Option<Verdict>,
        state: &R::State,
    ) -> Fate {
        let verdict = match verdict {
            Some(known) => known,
            None if self.may_begin_again(call, intent) => return Fate::Again,
            None => self.verified(call, intent, state).await,
        };
        match verdict {
            Verdict::Happened(observation) => Fate::Happened(observation),
            Verdict::DidNotHappen => Fate::Again,
            Verdict::Unknown => Fate::Unknown,
        }
    }

    /// Only what is safe then and now, once more, and not after somebody cancelled.
    fn may_begin_again(&self, call: &Call, intent: &Intent) -> bool {
        !self.state.is_cancelled()
            && self.replay_now(call.action()) == Some(intent.replay)
            && match intent.replay {
                Replay::Safe => intent.attempt < ATTEMPTS,
                // What it did is in the journal of its own run, which goes on there.
                Replay::Child => true,
                Replay::Never => false,
            }
    }

    /// What somebody who can look says; nobody is asked after somebody cancelled, nor of what was safe.
    async fn verified(&mut self, call: &Call, intent: &Intent, state: &R::State) -> Verdict {
        let Some(verifier) = self.definition.verifier.clone() else { return Verdict::Unknown };
        if self.state.is_cancelled() || intent.replay == Replay::Safe {
            return Verdict::Unknown;
        }
        // Its own function may panic before there is a future.
        let context = self.context(call);
        let asked = Box::pin(async { verifier.verify_boxed(call, &context, state).await });
        let verdict = catching(asked).await.unwrap_or(Verdict::Unknown);
        if verdict != Verdict::Unknown {
            self.record(Event::CallVerified { call: call.id().clone(), verdict: verdict.clone() });
        }
        verdict
    }
}
