//! A run, from outside: a stream of updates, approvals, cancelling, and the report.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::Stream;
use tokio::sync::mpsc;

use super::driver::Driver;
use super::handle::RunHandle;
use super::opening::{FollowUp, Opening};
use super::report::{Report, Seen};
use super::state::Approval;
use super::update::{Told, Update};
use crate::error::RunError;
use crate::event::{Call, CallId, Ending, Event, UserInput};
use crate::journal::SessionId;
use crate::ledger::Item;
use crate::message::Prompt;
use crate::registry::{Registered, Registry};
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
    updates: mpsc::UnboundedReceiver<Told>,
    handle: RunHandle<R>,
    /// Where it was at the last update.
    seen: Box<Seen>,
    stepwise: Arc<AtomicBool>,
    /// Why the run cannot go on, until it is told.
    untold: Option<RunError>,
    /// Returns when the run is to be cancelled with the one around it.
    cancelled_with: Option<BoxFuture<'static, ()>>,
}

impl<R: Registry> Run<R> {
    pub(super) fn new(
        driver: Driver<R>,
        handle: RunHandle<R>,
        updates: mpsc::UnboundedReceiver<Told>,
    ) -> Self {
        Self {
            session: driver.writer.session().clone(),
            seen: Box::new(driver.seen()),
            stepwise: driver.stepwise.clone(),
            place: Place::Ready(Box::new(driver)),
            updates,
            handle,
            untold: None,
            cancelled_with: None,
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
            None => Ok(driver.seen().report()),
        }
    }

    /// Returns how far the run is: as of now while it rests, else as of the last update.
    #[must_use]
    pub fn report(&self) -> Report {
        self.resting().map_or_else(|| self.seen.report(), |driver| driver.seen().report())
    }

    /// Carries out one thing only: a request, what the reply means, the calls of a decision, or the end. Returns what
    /// was told meanwhile; none when the run ended or waits for a person.
    ///
    /// A run that is stepped through writes the same events as one that is driven.
    ///
    /// # Errors
    ///
    /// When the run cannot go on.
    pub async fn step(&mut self) -> Result<Option<Vec<Update>>, RunError> {
        if self.resting().is_some_and(|driver| !driver.can_step()) {
            return match self.resting().and_then(|driver| driver.fault.clone()) {
                Some(fault) => Err(fault),
                None => Ok(None),
            };
        }
        self.make_ready();
        self.stepwise.store(true, Ordering::Relaxed);
        let mut updates = Vec::new();
        let mut fault = None;
        while let Some(update) = self.next().await {
            match update {
                Ok(update) => updates.push(update),
                Err(error) => fault = Some(error),
            }
        }
        self.stepwise.store(false, Ordering::Relaxed);
        if self.resting().is_some_and(Driver::can_step) {
            self.make_ready();
        }
        fault.map_or(Ok(Some(updates)), Err)
    }

    /// Returns the id under which the journal keeps it: what [`Agent::resume`](crate::Agent::resume) takes.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        &self.session
    }

    /// Returns what cancels the run from elsewhere, and adds to what the model is told.
    #[must_use]
    pub fn handle(&self) -> RunHandle<R> {
        self.handle.clone()
    }

    /// Adds a person's own words, such as a remark while a tool is at work. The journal holds them once the run, polled,
    /// takes them up: see [`RunHandle::say`].
    ///
    /// # Errors
    ///
    /// When there is nothing but white space, or the run has ended.
    pub fn say(&self, input: impl Into<UserInput>) -> Result<(), RunError> {
        self.handle.say(input)
    }

    /// Adds a fragment. See [`RunHandle::inject`].
    ///
    /// # Errors
    ///
    /// When it cannot be rendered, or the run has ended.
    pub fn inject<F: Registered<R>>(&self, fragment: F) -> Result<(), RunError> {
        self.handle.inject(fragment)
    }

    /// Begins the next run of the session, once this one has ended: a person says something more. Await it; then poll
    /// this run as before. What was counted for the run that ended begins anew.
    pub fn follow_up(&mut self) -> FollowUp<'_, R> {
        FollowUp::new(self)
    }

    pub(super) async fn begin_another(
        &mut self,
        state: Option<Arc<R::State>>,
        opening: Opening,
    ) -> Result<(), RunError> {
        let driver = self.at_rest()?;
        if driver.state.is_open() {
            return Err(RunError::Unfinished { session: driver.writer.session().to_string() });
        }
        let checked = opening.check::<R>(driver.session.recorded().clone())?;
        if let Some(state) = state {
            driver.handlers = driver.definition.handlers(state)?;
        }
        driver.take_over().await?;
        let handle = driver.listen_anew();
        driver.begin(checked);
        let begun = driver.commit_or_fault().await;
        self.handle = handle;
        self.make_ready();
        begun
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

    /// Records that a person agreed to a call. The journal holds it when this returns; the run goes on when it is polled.
    ///
    /// # Errors
    ///
    /// When no such call waits, or the journal cannot be written.
    pub async fn approve(&mut self, call: &CallId) -> Result<(), RunError> {
        let call = self.waiting_call(call)?;
        let driver = self.at_rest()?;
        driver.record(Event::ApprovalGiven { call: call.id().clone() });
        self.answered().await
    }

    /// Records that a person refused a call. The journal holds it when this returns; the run goes on when it is polled.
    ///
    /// # Errors
    ///
    /// When no such call waits, or the journal cannot be written.
    pub async fn deny(&mut self, call: &CallId) -> Result<(), RunError> {
        let call = self.waiting_call(call)?;
        self.at_rest()?.deny(&call);
        self.answered().await
    }

    /// Records that a person looked at the outcomes that nobody knows. The journal holds it when this returns; the run
    /// goes on when it is polled.
    ///
    /// # Errors
    ///
    /// When the run does not wait for that, or the journal cannot be written.
    pub async fn acknowledge(&mut self) -> Result<(), RunError> {
        if self.resting().is_none_or(|driver| driver.suspended != Some(Ending::UnknownOutcomes)) {
            return Err(RunError::NothingToAcknowledge);
        }
        self.at_rest()?.record(Event::UnknownAcknowledged {});
        self.answered().await
    }

    fn waiting_call(&self, id: &CallId) -> Result<Call, RunError> {
        let call = self.waiting().into_iter().find(|call| call.id() == id);
        call.ok_or_else(|| RunError::NoSuchApproval { call: id.to_string() })
    }

    /// The driver of a run that rests and may go on.
    fn at_rest(&mut self) -> Result<&mut Driver<R>, RunError> {
        match &mut self.place {
            Place::Ready(driver) | Place::Resting(driver) => match &driver.fault {
                Some(fault) => Err(fault.clone()),
                None => Ok(driver),
            },
            Place::Driving(_) => Err(RunError::UnderWay),
            Place::Moving | Place::Lost => Err(RunError::Lost),
        }
    }

    /// Writes what a person answered, and lets the run go on.
    async fn answered(&mut self) -> Result<(), RunError> {
        // First, so that it goes on also where nobody waits for the journal.
        self.make_ready();
        let driver = self.at_rest()?;
        driver.suspended = None;
        driver.commit_or_fault().await
    }

    /// Lets a run that rests go on when it is polled next.
    fn make_ready(&mut self) {
        self.place = match std::mem::replace(&mut self.place, Place::Moving) {
            Place::Resting(driver) => Place::Ready(driver),
            place => place,
        };
    }

    fn resting(&self) -> Option<&Driver<R>> {
        match &self.place {
            Place::Ready(driver) | Place::Resting(driver) => Some(driver),
            Place::Driving(_) | Place::Moving | Place::Lost => None,
        }
    }

    fn see(&mut self, told: Told) -> Update {
        if let Some(seen) = told.seen {
            self.seen = seen;
        }
        told.update
    }

    /// Is cancelled when this returns.
    pub(super) fn cancelled_with(mut self, cancelled: BoxFuture<'static, ()>) -> Self {
        self.cancelled_with = Some(cancelled);
        self
    }

    fn hear_the_run_around(&mut self, context: &mut Context<'_>) {
        let Some(cancelled) = &mut self.cancelled_with else { return };
        if cancelled.as_mut().poll(context).is_ready() {
            self.cancelled_with = None;
            self.handle.cancel();
        }
    }

    fn poll_update(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Update, RunError>>> {
        loop {
            if let Poll::Ready(Some(told)) = self.updates.poll_recv(context) {
                return Poll::Ready(Some(Ok(self.see(told))));
            }
            self.hear_the_run_around(context);
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
                        let told = self.updates.poll_recv(context);
                        return told.map(|told| told.map(|told| Ok(self.see(told))));
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
                        Ok(told) => Poll::Ready(Some(Ok(self.see(told)))),
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
