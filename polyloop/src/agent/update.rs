//! What a run tells its host.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::driver::Driver;
use super::report::Seen;
use crate::error::{ModelError, RecordError};
use crate::event::{ActionOutcome, Call, CallId, CompactionReason, Ending, Reply};
use crate::registry::Registry;

/// One thing that happened in a run, for its host.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Update {
    /// A request is on its way.
    Asked {
        /// The step, counted from 1.
        step: usize,
        /// The size of the prompt, in characters.
        chars: usize,
    },
    /// A piece of the reply's text, while the model still writes; told by models that stream. The reply follows as a
    /// whole.
    Delta {
        /// The piece.
        text: String,
    },
    /// The model replied.
    Replied {
        /// What it replied.
        reply: Arc<Reply>,
    },
    /// The model gave no reply.
    Failed {
        /// Why.
        error: ModelError,
        /// How long the run waits before it asks again within the step; none where the step is closed.
        again_in: Option<Duration>,
    },
    /// A call starts.
    Called {
        /// The call.
        call: Call,
    },
    /// A handler reports progress; the model never sees it.
    Progress {
        /// The call.
        call: CallId,
        /// What the handler says.
        text: String,
    },
    /// A call has an outcome.
    Observed {
        /// The call.
        call: Call,
        /// What became of it; its observation is for the audit where the model sees a fixed text.
        outcome: ActionOutcome,
        /// What the model sees.
        shown: String,
    },
    /// A person must agree to a call: see [`Run::approve`](crate::Run::approve) and [`Run::deny`](crate::Run::deny).
    ApprovalAsked {
        /// The call.
        call: Call,
    },
    /// What was said while the run was under way is not recorded; or a note is not, and waits for the next input.
    NotRecorded {
        /// Why.
        error: RecordError,
    },
    /// The session is being compacted.
    Compacting {
        /// Why.
        reason: CompactionReason,
        /// The size of the prompt, in characters.
        chars: usize,
    },
    /// The session was compacted.
    Compacted {
        /// The size of the prompt now, in characters.
        chars: usize,
    },
    /// The session was not compacted; it stays what it was.
    CompactionAbandoned {
        /// Why.
        why: String,
    },
    /// The run ended.
    Ended {
        /// How.
        ending: Ending,
    },
}

/// An update, with where the run was then; left out where nothing of that changed.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) update: Update,
    pub(crate) seen: Option<Box<Seen>>,
}

impl Told {
    /// An update that changes nothing of that.
    pub(crate) fn passing(update: Update) -> Self {
        Self { update, seen: None }
    }
}

impl<R: Registry> Driver<R> {
    /// Tells the host; it may have stopped listening.
    pub(crate) fn tell(&mut self, update: Update) {
        let seen = Some(Box::new(self.seen()));
        drop(self.updates.send(Told { update, seen }));
        self.told = true;
    }

    /// Returns to whoever polls the run, once, where there is something to take: what comes next may keep the thread.
    /// Of its end a host hears when there is nothing next.
    pub(super) async fn let_the_host_hear(&mut self) {
        poll_fn(|context| {
            if !std::mem::take(&mut self.told) || self.state.ending.is_some() {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Returns the state of the run for a report. The cost depends neither on the number of open calls nor on the prompt.
    pub(crate) fn seen(&self) -> Seen {
        let state = &self.state;
        Seen {
            ending: state.ending.as_ref().or(self.suspended.as_ref()).cloned(),
            answer: state.answer.clone(),
            tool_completed: state.completed_by.is_some(),
            environment_completed: state.environment_completed,
            not_recorded: self.not_recorded.clone(),
            unheard: self.session.ledger().has_unheard_words(),
            steps: state.steps,
            actions: state.actions,
            requests: state.requests,
            usage: state.usage,
            summaries: state.compactions.cost,
            prompt: self.prompt.clone(),
            head: self.writer.chain().head(),
        }
    }

    /// Tells the host that something was not recorded, now and in the report.
    pub(crate) fn not_recorded(&mut self, error: RecordError) {
        Arc::make_mut(&mut self.not_recorded).push(error.clone());
        self.tell(Update::NotRecorded { error });
    }
}
