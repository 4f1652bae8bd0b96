//! A run, from outside: a stream of updates, approvals, cancelling, and the report.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use tokio::sync::{mpsc, watch};

use super::driver::Driver;
use super::report::Report;
use super::state::Approval;
use super::update::Update;
use crate::error::RunError;
use crate::event::{Call, CallId, Ending, Event};
use crate::journal::SessionId;
use crate::ledger::Item;
use crate::message::Prompt;
use crate::registry::Registry;
use crate::tool::BoxFuture;

type Driving<R> = BoxFuture<'static, Driver<R>>;

/// Where the driver is.
enum Place<R: Registry> {
    /// It waits to be polled.
    Ready(Box<Driver<R>>),
    /// It is on its way.
    Driving(Driving<R>),
    /// It ended, or waits for a person.
    Resting(Box<Driver<R>>),
    /// Only while it moves from one place to another; it stays here when it panics.
    Moving,
    /// It panicked, and that was told.
    Lost,
}

/// A run: it advances while it is polled, by [`next`](Run::next), as a [`Stream`], or by [`finish`](Run::finish).
#[must_use = "a run goes on only while it is polled"]
pub struct Run<R: Registry> {
    place: Place<R>,
    session: SessionId,
    updates: mpsc::UnboundedReceiver<Update>,
    cancel: Arc<watch::Sender<bool>>,
    /// Why the run cannot go on, until it is told.
    untold: Option<RunError>,
}

/// A handle that cancels a run from elsewhere.
#[derive(Clone, Debug)]
pub struct Canceller(Arc<watch::Sender<bool>>);

impl Canceller {
    /// Cancels the run after the current action: its outcome is recorded, nothing new starts.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

/// What a run and its driver say to each other.
pub(super) struct Channels {
    pub(super) updates: mpsc::UnboundedSender<Update>,
    pub(super) receiver: mpsc::UnboundedReceiver<Update>,
    /// Asks to cancel.
    pub(super) cancel: watch::Sender<bool>,
    pub(super) asked: watch::Receiver<bool>,
    /// Tells handlers that the run is cancelled.
    pub(super) cancelled: watch::Sender<bool>,
}

impl Channels {
    pub(super) fn new(cancelled: bool) -> Self {
        let (updates, receiver) = mpsc::unbounded_channel();
        let (cancel, asked) = watch::channel(cancelled);
        let (cancelled, _) = watch::channel(cancelled);
        Self { updates, receiver, cancel, asked, cancelled }
    }
}

impl<R: Registry> Run<R> {
    pub(super) fn new(
        driver: Driver<R>,
        updates: mpsc::UnboundedReceiver<Update>,
        cancel: watch::Sender<bool>,
    ) -> Self {
        let session = driver.writer.session().clone();
        Self {
            place: Place::Ready(Box::new(driver)),
            session,
            updates,
            cancel: Arc::new(cancel),
            untold: None,
        }
    }

    /// Waits for the next update; none when the run ended or waits for a person.
    ///
    /// # Errors
    ///
    /// When the run cannot go on.
    pub async fn next(&mut self) -> Option<Result<Update, RunError>> {
        poll_fn(|context| self.poll_update(context)).await
    }

    /// Goes on to the end, or to where a person must look, and reports.
    ///
    /// # Errors
    ///
    /// When the run cannot go on.
    pub async fn finish(&mut self) -> Result<Report, RunError> {
        while let Some(update) = self.next().await {
            update?;
        }
        let driver = self.resting().ok_or(RunError::Lost)?;
        match &driver.fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(report(driver)),
        }
    }

    /// Returns the id under which the journal keeps it: what [`Agent::resume`](crate::Agent::resume) takes.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        &self.session
    }

    /// Returns what cancels the run from elsewhere.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        Canceller(self.cancel.clone())
    }

    /// Returns the calls that wait for a person.
    #[must_use]
    pub fn waiting(&self) -> Vec<Call> {
        let Some(driver) = self.resting() else { return Vec::new() };
        let asked = driver
            .state
            .calls
            .iter()
            .filter(|pending| pending.approval == Approval::Asked && !pending.settled);
        asked.map(|pending| pending.call.clone()).collect()
    }

    /// Returns what was recorded, while the run rests.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        self.resting().map_or(&[], |driver| driver.session.items())
    }

    /// Returns the last prompt that was sent, while the run rests.
    #[must_use]
    pub fn prompt(&self) -> Option<&Prompt> {
        self.resting().and_then(|driver| driver.prompt.as_ref())
    }

    /// Records that a person agreed to a call; the run goes on when it is polled, and its journal has it then.
    ///
    /// # Errors
    ///
    /// When no such call waits.
    pub fn approve(&mut self, call: &CallId) -> Result<(), RunError> {
        self.answer(call, |driver, call| driver.record(Event::ApprovalGiven { call: call.id().clone() }))
    }

    /// Records that a person refused a call; the run goes on when it is polled, and its journal has it then.
    ///
    /// # Errors
    ///
    /// When no such call waits.
    pub fn deny(&mut self, call: &CallId) -> Result<(), RunError> {
        self.answer(call, Driver::deny)
    }

    /// Records that a person looked at the outcomes that nobody knows; the run goes on when it is polled.
    ///
    /// # Errors
    ///
    /// When the run does not wait for that.
    pub fn acknowledge(&mut self) -> Result<(), RunError> {
        if self.resting().is_none_or(|driver| driver.suspended != Some(Ending::UnknownOutcomes)) {
            return Err(RunError::NothingToAcknowledge);
        }
        self.go_on(|driver| driver.record(Event::UnknownAcknowledged {}))
    }

    fn answer(&mut self, id: &CallId, answer: impl FnOnce(&mut Driver<R>, &Call)) -> Result<(), RunError> {
        let Some(call) = self.waiting().into_iter().find(|call| call.id() == id) else {
            return Err(RunError::NoSuchApproval { call: id.to_string() });
        };
        self.go_on(|driver| answer(driver, &call))
    }

    /// Records what a person said while the run rests, and lets it go on.
    fn go_on(&mut self, record: impl FnOnce(&mut Driver<R>)) -> Result<(), RunError> {
        if let Some(fault) = self.resting().and_then(|driver| driver.fault.clone()) {
            return Err(fault);
        }
        let (Place::Ready(mut driver) | Place::Resting(mut driver)) =
            std::mem::replace(&mut self.place, Place::Moving)
        else {
            return Err(RunError::Lost);
        };
        record(&mut driver);
        self.place = Place::Ready(driver);
        Ok(())
    }

    fn resting(&self) -> Option<&Driver<R>> {
        match &self.place {
            Place::Ready(driver) | Place::Resting(driver) => Some(driver),
            Place::Driving(_) | Place::Moving | Place::Lost => None,
        }
    }

    fn poll_update(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Update, RunError>>> {
        loop {
            if let Poll::Ready(Some(update)) = self.updates.poll_recv(context) {
                return Poll::Ready(Some(Ok(update)));
            }
            match std::mem::replace(&mut self.place, Place::Moving) {
                Place::Ready(mut driver) => {
                    self.place = Place::Driving(Box::pin(async move {
                        driver.drive().await;
                        *driver
                    }));
                }
                Place::Driving(mut driving) => match driving.as_mut().poll(context) {
                    Poll::Pending => {
                        self.place = Place::Driving(driving);
                        // What was told while polling is there now.
                        return self.updates.poll_recv(context).map(|update| update.map(Ok));
                    }
                    Poll::Ready(driver) => {
                        self.untold.clone_from(&driver.fault);
                        self.place = Place::Resting(Box::new(driver));
                    }
                },
                // Whatever it waits for, nobody needs to answer any more.
                Place::Resting(driver) if driver.waits_in_vain() => self.place = Place::Ready(driver),
                Place::Resting(driver) => {
                    self.place = Place::Resting(driver);
                    return match self.updates.try_recv() {
                        Ok(update) => Poll::Ready(Some(Ok(update))),
                        Err(_) => Poll::Ready(self.untold.take().map(Err)),
                    };
                }
                Place::Moving => {
                    self.place = Place::Lost;
                    return Poll::Ready(Some(Err(RunError::Lost)));
                }
                Place::Lost => {
                    self.place = Place::Lost;
                    return Poll::Ready(None);
                }
            }
        }
    }
}

impl<R: Registry> Stream for Run<R> {
    type Item = Result<Update, RunError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_update(context)
    }
}

impl<R: Registry> fmt::Debug for Run<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Run").finish_non_exhaustive()
    }
}

fn report<R: Registry>(driver: &Driver<R>) -> Report {
    let state = &driver.state;
    let suspended = driver.suspended.clone().unwrap_or(Ending::AwaitingApproval);
    Report {
        ending: state.ending.clone().unwrap_or(suspended),
        answer: state.answer.clone(),
        tool_completed: state.completed_by.is_some(),
        environment_completed: state.environment_completed,
        steps: state.steps,
        actions: state.actions,
        requests: state.requests,
        prompt_chars: driver.prompt.as_ref().map_or(0, Prompt::chars),
        shares: driver.prompt.as_ref().map(Prompt::shares).unwrap_or_default(),
        usage: state.usage,
    }
}
