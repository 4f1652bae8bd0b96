//! What a host says to a run from elsewhere.

use std::fmt;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::future::select;
use tokio::sync::{mpsc, watch};

use super::definition::Definition;
use crate::error::RunError;
use crate::event::{RecordedFragment, UserInput};
use crate::fragment::{LatestFragment, RetractableFragment};
use crate::registry::{Registered, RegisteredTool, Registry};
use crate::session::{Words, rendered};

/// Whether a run is to be cancelled, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cancel {
    #[default]
    No,
    /// What is under way comes to its end.
    AfterAction,
    /// What is under way is dropped.
    Now,
}

/// What a person says while a run is under way.
#[derive(Debug)]
pub(crate) enum Said {
    /// A person's own words.
    Input(Words),
    Words(Words),
    /// A fragment that waits for the next input.
    Note(RecordedFragment, Option<SystemTime>),
    /// The notes of a kind that wait are not to be stated.
    Withdraw(&'static str),
    /// What no model ever sees.
    Remark(String),
    /// The session is to be compacted before the next request.
    Compact,
    /// Hidden tools are to be shown, by the names that the model calls.
    Enable(Vec<String>),
}

/// A handle that cancels a run from elsewhere, and adds to what the model is told. Clones speak to the same run.
///
/// What is said here is recorded where the run is: it stands behind the reply and the results that are still to come,
/// so that no call is ever parted from its result.
pub struct RunHandle<R: Registry> {
    definition: Arc<Definition<R>>,
    cancel: Arc<watch::Sender<Cancel>>,
    said: mpsc::UnboundedSender<Said>,
}

impl<R: Registry> RunHandle<R> {
    /// Cancels the run after the current action: its outcome is recorded, nothing new starts.
    pub fn cancel(&self) {
        self.ask_to_cancel(Cancel::AfterAction);
    }

    /// Cancels the run now: what is under way is dropped. Of a call that may not be repeated nobody knows then
    /// whether it took effect, and whoever goes on from here is told so.
    pub fn cancel_now(&self) {
        self.ask_to_cancel(Cancel::Now);
    }

    /// Adds a person's own words, such as a remark while a tool is at work.
    ///
    /// They go through the agent's [sanitizer](crate::AgentBuilder::sanitizer), and notes that wait stand before them. Where
    /// nothing is left of them, the run tells so, by [`Update::NotRecorded`](crate::Update::NotRecorded).
    ///
    /// This only hands them over. The run takes them up when it is polled, also in the middle of a request or a call and
    /// while it waits for a person, and then they are in the journal. A run that is dropped before forgets them.
    ///
    /// Words that come with the last reply are answered by one more request. Where the run ends before that,
    /// [`Report::unheard`](crate::Report::unheard) says so.
    ///
    /// # Errors
    ///
    /// When there is nothing but white space and no image, or the run has ended.
    pub fn say(&self, input: impl Into<UserInput>) -> Result<(), RunError> {
        self.send(Said::Input(Words::input(input.into())?))
    }

    /// Adds a fragment. Where this turn may record no more of its kind the run tells so, by
    /// [`Update::NotRecorded`](crate::Update::NotRecorded).
    ///
    /// # Errors
    ///
    /// When it cannot be rendered, as [`Session::inject`](crate::Session::inject) says, or the run has ended.
    pub fn inject<F: Registered<R>>(&self, fragment: F) -> Result<(), RunError> {
        self.send(Said::Words(Words::fragment::<R, F>(fragment)?))
    }

    /// Says a fact as it is now, unless the model knows it when the run takes this up: see
    /// [`Session::sync`](crate::Session::sync).
    ///
    /// # Errors
    ///
    /// As [`inject`](Self::inject).
    pub fn sync<F: Registered<R> + LatestFragment>(&self, fragment: F) -> Result<(), RunError> {
        self.send(Said::Words(Words::latest::<R, F>(fragment)?))
    }

    /// Says that a fact holds no longer, if the model was told that it does.
    ///
    /// # Errors
    ///
    /// When the run has ended.
    pub fn retract<F: Registered<R> + RetractableFragment>(&self) -> Result<(), RunError> {
        self.send(Said::Words(Words::retract::<R, F>()))
    }

    /// Lets a fragment wait for the next input of the session, this run's or a later one's: a note, which then stands
    /// directly before those words. It is told once.
    ///
    /// # Errors
    ///
    /// When it cannot be rendered, or the run has ended: then [`Run::queue`](crate::Run::queue) and
    /// [`Agent::queue`](crate::Agent::queue) take it.
    pub fn queue<F: Registered<R>>(&self, fragment: F) -> Result<(), RunError> {
        self.queue_note(rendered::<R, F>(fragment)?, None)
    }

    /// Lets a fragment wait for the next input until a time: see [`Agent::queue_until`](crate::Agent::queue_until).
    ///
    /// # Errors
    ///
    /// As [`queue`](Self::queue).
    pub fn queue_until<F: Registered<R>>(&self, fragment: F, until: SystemTime) -> Result<(), RunError> {
        self.queue_note(rendered::<R, F>(fragment)?, Some(until))
    }

    /// Withdraws the notes of a type that wait for the next input when the run takes this up. The model is not told them.
    ///
    /// # Errors
    ///
    /// When the run has ended.
    pub fn withdraw_notes<F: Registered<R>>(&self) -> Result<(), RunError> {
        self.withdraw(const { F::SPEC }.kind)
    }

    pub(super) fn queue_note(
        &self,
        fragment: RecordedFragment,
        until: Option<SystemTime>,
    ) -> Result<(), RunError> {
        self.send(Said::Note(fragment, until))
    }

    pub(super) fn withdraw(&self, kind: &'static str) -> Result<(), RunError> {
        self.send(Said::Withdraw(kind))
    }

    /// Adds a remark to the journal, for whoever reads it later. No model ever sees it, and nothing is decided by it.
    ///
    /// # Errors
    ///
    /// When the run has ended.
    pub fn remark(&self, text: impl Into<String>) -> Result<(), RunError> {
        self.send(Said::Remark(text.into()))
    }

    /// Compacts the session before the next request, if the agent has a [`Compactor`](crate::Compactor) and anything is to be
    /// gained.
    ///
    /// # Errors
    ///
    /// When the run has ended.
    pub fn compact(&self) -> Result<(), RunError> {
        self.send(Said::Compact)
    }

    /// Shows the model a tool that is `hidden`, from the next request on, in this session.
    ///
    /// # Errors
    ///
    /// When the agent does not have the tool, or the run has ended.
    pub fn enable<T: RegisteredTool<R>>(&self) -> Result<(), RunError> {
        self.send(Said::Enable(self.definition.names_of::<T>()?))
    }

    /// More cannot be taken back.
    fn ask_to_cancel(&self, cancel: Cancel) {
        self.cancel.send_if_modified(|asked| {
            let more = cancel > *asked;
            if more {
                *asked = cancel;
            }
            more
        });
    }

    fn send(&self, said: Said) -> Result<(), RunError> {
        self.said.send(said).map_err(|_| RunError::Ended)
    }
}

impl<R: Registry> Clone for RunHandle<R> {
    fn clone(&self) -> Self {
        Self { definition: self.definition.clone(), cancel: self.cancel.clone(), said: self.said.clone() }
    }
}

impl<R: Registry> fmt::Debug for RunHandle<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RunHandle").field("cancel", &*self.cancel.borrow()).finish_non_exhaustive()
    }
}

/// What a driver hears from outside.
pub(crate) struct Ear {
    cancel: watch::Receiver<Cancel>,
    said: mpsc::UnboundedReceiver<Said>,
}

/// One thing that was heard.
pub(crate) enum Heard {
    Cancel(Cancel),
    Said(Said),
}

impl Ear {
    /// Makes both ends.
    pub(crate) fn new<R: Registry>(definition: Arc<Definition<R>>, asked: Cancel) -> (RunHandle<R>, Self) {
        let (cancel, asked) = watch::channel(asked);
        let (said, hears) = mpsc::unbounded_channel();
        let handle = RunHandle { definition, cancel: Arc::new(cancel), said };
        (handle, Self { cancel: asked, said: hears })
    }

    /// Whether somebody asked to cancel.
    pub(crate) fn cancel(&self) -> Cancel {
        *self.cancel.borrow()
    }

    /// What was said, if something was.
    pub(crate) fn said(&mut self) -> Option<Said> {
        self.said.try_recv().ok()
    }

    /// Whether something was said that nobody took.
    pub(crate) fn has_words(&self) -> bool {
        !self.said.is_empty()
    }

    /// Hears nothing more; what was said before is still there.
    pub(crate) fn close(&mut self) {
        self.said.close();
    }

    /// Waits until somebody says something, or asks for more than `known`.
    pub(crate) async fn hear(&mut self, known: Cancel) -> Heard {
        let Self { cancel, said } = self;
        let asked = async {
            // Nobody left who could ask is no reason to stop waiting.
            let asked = cancel.wait_for(|asked| *asked > known).await.map(|asked| *asked);
            match asked {
                Ok(asked) => Heard::Cancel(asked),
                Err(_) => pending().await,
            }
        };
        let said = async {
            match said.recv().await {
                Some(said) => Heard::Said(said),
                None => pending().await,
            }
        };
        select(pin!(asked), pin!(said)).await.factor_first().0
    }
}
