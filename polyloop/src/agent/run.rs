//! A run, from outside: a stream of updates, approvals, cancelling, and the report.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll};

use futures_util::Stream;
use tokio::sync::mpsc;

use super::budget::Budget;
use super::carry_out::RunExecutor;
use super::driver::Driver;
use super::handle::RunHandle;
use super::opening::{FollowUp, Opening};
use super::report::{Report, Seen};
use super::update::{Told, Update};
use crate::error::RunError;
use crate::event::UserInput;
use crate::fragment::{LatestFragment, RetractableFragment};
use crate::journal::SessionId;
use crate::ledger::Item;
use crate::message::Prompt;
use crate::registry::{Registered, Registry};
use crate::session::{Session, TurnContext};
use crate::tool::BoxFuture;

type Driving<R> = BoxFuture<'static, Driver<R>>;

/// Where the driver is.
enum Place<R: Registry> {
    /// It waits to be polled.
    Ready(Box<Driver<R>>),
    /// It is on its way.
    Driving(Driving<R>),
    /// What a person decided is on its way to the journal; then it waits to be polled.
    Writing(Driving<R>),
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
    pub(super) stepwise: Arc<AtomicBool>,
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
    /// When there is nothing but white space and no image, or the run has ended.
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

    /// Says a fact as it is now, unless the model knows it. See [`RunHandle::sync`].
    ///
    /// # Errors
    ///
    /// When it cannot be rendered, or the run has ended.
    pub fn sync<F: Registered<R> + LatestFragment>(&self, fragment: F) -> Result<(), RunError> {
        self.handle.sync(fragment)
    }

    /// Says that a fact holds no longer, if the model was told that it does.
    ///
    /// # Errors
    ///
    /// When the run has ended.
    pub fn retract<F: Registered<R> + RetractableFragment>(&self) -> Result<(), RunError> {
        self.handle.retract::<F>()
    }

    /// Returns what the run that is under way, or was last, began with, while it rests; none for one that was taken up.
    #[must_use]
    pub fn turn(&self) -> Option<&TurnContext> {
        self.resting().and_then(|driver| driver.turn.as_ref())
    }

    /// Begins the next run of the session, once this one has ended: a person says something more, or did so before it ended
    /// and was not [heard](crate::Report::unheard). Await it; then poll this run as before. What was counted for the run that ended begins anew.
    pub fn follow_up(&mut self) -> FollowUp<'_, R> {
        FollowUp::new(self)
    }

    pub(super) async fn begin_another(
        &mut self,
        state: Option<Arc<R::State>>,
        budget: Option<Budget>,
        executor: Option<RunExecutor<R::State>>,
        opening: Opening,
    ) -> Result<(), RunError> {
        self.written().await?;
        let driver = self.at_rest()?;
        if driver.state.is_open() {
            return Err(RunError::Unfinished { session: driver.writer.session().to_string() });
        }
        let checked = opening.check()?;
        let ready = checked.behind(&mut driver.session, &driver.state)?;
        let (definition, acting) = driver.acting_next(state, executor)?;
        driver.take_over().await?;
        driver.acting = acting;
        // What nobody wanted to hear of the run that ended is not told of this one.
        while self.updates.try_recv().is_ok() {}
        let driver = self.at_rest()?;
        driver.definition = definition.with_budget(budget.unwrap_or(definition.agent_budget));
        let handle = driver.listen_anew();
        driver.begin(ready);
        self.handle = handle;
        self.write_and_go_on().await
    }

    /// Returns what was recorded, while the run rests.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        self.resting().map_or(&[], |driver| driver.session.items())
    }

    /// Returns the session, while the run rests.
    #[must_use]
    pub fn session(&self) -> Option<&Session<R>> {
        self.resting().map(|driver| &driver.session)
    }

    /// Returns the last prompt that was sent, while the run rests; none where it was made with what this agent does not have,
    /// such as another layout.
    #[must_use]
    pub fn prompt(&self) -> Option<&Prompt> {
        self.resting().and_then(|driver| driver.prompt.as_ref())
    }

    /// The driver of a run that rests and may go on.
    pub(super) fn at_rest(&mut self) -> Result<&mut Driver<R>, RunError> {
        match &mut self.place {
            Place::Ready(driver) | Place::Resting(driver) => match &driver.fault {
                Some(fault) => Err(fault.clone()),
                None => Ok(driver),
            },
            Place::Driving(_) | Place::Writing(_) => Err(RunError::UnderWay),
            Place::Moving | Place::Lost => Err(RunError::Lost),
        }
    }

    /// Writes what was recorded while the run rested, and lets it go on. An append that was begun is brought to its end,
    /// by whoever polls the run next where nobody waits for it here: half of one would be the end of the run.
    pub(super) async fn write_and_go_on(&mut self) -> Result<(), RunError> {
        self.place = match std::mem::replace(&mut self.place, Place::Moving) {
            Place::Ready(mut driver) | Place::Resting(mut driver) => {
                *self.seen = driver.seen();
                Place::Writing(Box::pin(async move {
                    driver.commit_or_fault().await;
                    *driver
                }))
            }
            place => place,
        };
        self.written().await
    }

    /// Waits until what a person decided is written.
    pub(super) async fn written(&mut self) -> Result<(), RunError> {
        if !matches!(self.place, Place::Writing(_)) {
            return Ok(());
        }
        poll_fn(|context| self.poll_written(context)).await;
        self.at_rest().map(drop)
    }

    fn poll_written(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match std::mem::replace(&mut self.place, Place::Moving) {
            Place::Writing(mut writing) => match writing.as_mut().poll(context) {
                Poll::Pending => {
                    self.place = Place::Writing(writing);
                    return Poll::Pending;
                }
                Poll::Ready(driver) => self.place = Place::Ready(Box::new(driver)),
            },
            place => self.place = place,
        }
        Poll::Ready(())
    }

    /// Lets a run that rests go on when it is polled next.
    pub(super) fn make_ready(&mut self) {
        self.place = match std::mem::replace(&mut self.place, Place::Moving) {
            Place::Resting(driver) => Place::Ready(driver),
            place => place,
        };
    }

    /// Whether it panicked.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self.place, Place::Moving | Place::Lost)
    }

    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    pub(super) fn resting(&self) -> Option<&Driver<R>> {
        match &self.place {
            Place::Ready(driver) | Place::Resting(driver) => Some(driver),
            Place::Driving(_) | Place::Writing(_) | Place::Moving | Place::Lost => None,
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
            // A run that follows this one is inside as well.
            self.cancelled_with = Some(Box::pin(std::future::ready(())));
            self.handle.cancel();
        }
    }

    fn poll_update(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Update, RunError>>> {
        loop {
            if let Poll::Ready(Some(told)) = self.updates.poll_recv(context) {
                return Poll::Ready(Some(Ok(self.see(told))));
            }
            self.hear_the_run_around(context);
            if self.poll_written(context).is_pending() {
                return Poll::Pending;
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
                        let told = self.updates.poll_recv(context);
                        return told.map(|told| told.map(|told| Ok(self.see(told))));
                    }
                    Poll::Ready(driver) => {
                        self.untold.clone_from(&driver.fault);
                        self.place = Place::Resting(Box::new(driver));
                    }
                },
                writing @ Place::Writing(_) => self.place = writing,
                Place::Resting(driver) if driver.is_spoken_to() => self.place = Place::Ready(driver),
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
