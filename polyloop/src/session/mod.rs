//! The typed doors: what may be added to what a model sees.

mod doors;
mod latest;
mod notes;
mod order;
mod sanitizer;
mod shown;
#[cfg(test)]
mod tests;
mod turn;
mod turns;
mod words;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::SystemTime;

pub use shown::Entry;
pub use turns::LiveTurn;

pub(crate) use order::new_items;
pub use sanitizer::Known;
pub(crate) use sanitizer::Sanitizer;
pub use turn::TurnContext;
pub(crate) use words::{Words, rendered};

use words::Recorded;

use crate::error::RecordError;
use crate::event::{CallId, Event, ImportedPart, NoteId, SealPurpose, UserInput};
use crate::fragment::{FragmentSpec, LatestFragment, Lifetime, Rendered, RetractableFragment};
use crate::layout::{Frame, Layout, Projection, Staged, push_instruction};
use crate::ledger::{Item, Ledger};
use crate::message::{ItemId, Prompt, RunningHash};
use crate::registry::{Registered, Registry};

/// A clock of the host.
pub(crate) type WallClock = dyn Fn() -> SystemTime + Send + Sync;

/// A record of what was said, and the projection of it as a prompt.
///
/// It only records and projects: it asks no model, and no run continues from it. An [`Agent`](crate::Agent) makes one of its
/// own for each run.
///
/// Nothing reaches the prompt but through a typed door: a fragment that is registered in `R`, or a person's own
/// words.
///
/// ```
/// use polyloop::prelude::*;
///
/// /// Where the agent works.
/// #[derive(ContextFragment)]
/// #[fragment(role = user, markers("<cwd>", "</cwd>"), max_chars = 200, body = "{path}")]
/// struct WorkingDirectory { path: String }
///
/// registry! { struct App { fragments: [WorkingDirectory] } }
///
/// let mut session = Session::<App>::new();
/// session.say("What is in here?")?;
/// session.inject(WorkingDirectory { path: "/srv".into() })?;
/// let texts: Vec<String> = session.prompt().messages().map(Message::text).collect();
/// assert_eq!(texts, ["<cwd>/srv</cwd>", "What is in here?"]);
/// # Ok::<(), RecordError>(())
/// ```
pub struct Session<R: Registry> {
    ledger: Ledger,
    /// How many of each kind were recorded since the last input, or since a run began.
    recorded: Recorded,
    next_item: u64,
    next_call: u64,
    next_note: u64,
    layout: Arc<dyn Layout>,
    observation: Frame,
    /// What is made of a person's words before a model sees them.
    sanitizer: Option<Arc<Sanitizer<R>>>,
    /// The clock by which notes expire; none where none of them does.
    clock: Option<Arc<WallClock>>,
    projection: Projection,
    hash: RunningHash,
    /// How often what stood had been changed when it was hashed last.
    hashed_breaks: u64,
    /// What no journal holds yet; none where no journal is written.
    unwritten: Option<Vec<Event>>,
    registry: PhantomData<fn() -> R>,
}

impl<R: Registry> Session<R> {
    /// Starts an empty session with the layout [`Staged`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_layout(Staged)
    }

    /// Starts an empty session with a layout.
    #[must_use]
    pub fn with_layout(layout: impl Layout) -> Self {
        Self::framed(Arc::new(layout), Frame::bare())
    }

    pub(crate) fn framed(layout: Arc<dyn Layout>, observation: Frame) -> Self {
        Self {
            ledger: Ledger::default(),
            recorded: Recorded::default(),
            next_item: 0,
            next_call: 0,
            next_note: 0,
            layout,
            observation,
            sanitizer: None,
            clock: None,
            projection: Projection::new(),
            hash: RunningHash::default(),
            hashed_breaks: 0,
            unwritten: None,
            registry: PhantomData,
        }
    }

    /// Records a fragment.
    ///
    /// # Errors
    ///
    /// When its text is over the cap, a key is refused, the text would not be recognised, or this turn recorded as
    /// many of the kind as the type allows. Then nothing is recorded.
    pub fn inject<F: Registered<R>>(&mut self, fragment: F) -> Result<ItemId, RecordError> {
        self.record_one(Words::fragment::<R, F>(fragment)?)
    }

    /// Says a fact as it is now, if the model was told otherwise or not at all. Returns the item, or none where nothing was
    /// recorded.
    ///
    /// What the model was told is what stands in the history: the latest live statement of the kind. There is nothing else
    /// that says so, so nothing can be forgotten and nothing is said twice: not after a compaction, a fork or a rollback.
    ///
    /// In a run, a statement of this turn that no request contained yet is replaced at its place, so the model reads the last
    /// value only; where that is what it knew before, the statement is removed. `at_most` does not limit how often a fact changes.
    ///
    /// # Errors
    ///
    /// As [`inject`](Self::inject).
    pub fn sync<F: Registered<R> + LatestFragment>(
        &mut self,
        fragment: F,
    ) -> Result<Option<ItemId>, RecordError> {
        self.record(Words::latest::<R, F>(fragment)?)
    }

    /// Says that a fact holds no longer, if the model was told that it does. Returns the item, or none where nothing was
    /// recorded.
    ///
    /// # Errors
    ///
    /// When what is said is over the cap of the type, or would not be recognised.
    pub fn retract<F: Registered<R> + RetractableFragment>(&mut self) -> Result<Option<ItemId>, RecordError> {
        self.record(Words::retract::<R, F>())
    }

    /// Returns a fact in full as the model was told it last, also where it was only told what changed; none where it was told
    /// nothing of it, or that it holds no longer.
    #[must_use]
    pub fn told<F: Registered<R> + LatestFragment>(&self) -> Option<&Rendered> {
        let (_, latest) = self.ledger.latest(const { F::SPEC }.kind)?;
        (!latest.retracts).then(|| &**latest.in_full())
    }

    /// Lets a fragment wait for a person's next words: a note, which then stands directly before them. It is told once.
    ///
    /// Of a `latest` kind the newest statement counts: a note replaces an earlier one of its kind, and is withdrawn when the fact
    /// is stated or taken back in the meantime.
    ///
    /// # Errors
    ///
    /// As [`inject`](Self::inject). Where a turn may not record as many of the kind as wait, the last ones wait on.
    pub fn queue<F: Registered<R>>(&mut self, fragment: F) -> Result<(), RecordError> {
        self.queue_note(rendered::<R, F>(fragment)?, None);
        Ok(())
    }

    /// Records a person's own words, as they are, and the notes that wait before them. They begin a new turn.
    ///
    /// Words that hold a registered marker are flagged (see [`Item::has_forged_marker`]) and never taken for a fragment.
    ///
    /// # Errors
    ///
    /// When there is nothing but white space, and no image.
    pub fn say(&mut self, input: impl Into<UserInput>) -> Result<ItemId, RecordError> {
        let (resolved, _) = self.opening(&[Words::input(input.into())?])?;
        for said in resolved {
            self.take(said);
        }
        Ok(ItemId(self.next_item))
    }

    /// Projects the prompt. The same ledger gives the same bytes.
    pub fn prompt(&mut self) -> Prompt {
        self.projection.project(&self.ledger, &*self.layout, &self.observation)
    }

    /// Returns what was recorded, in the order in which it stands.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        self.ledger.items()
    }

    /// What stands, and what became of the rest.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The same session, in which this is made of a person's words.
    pub(crate) fn sanitizing(mut self, sanitizer: Option<Arc<Sanitizer<R>>>) -> Self {
        self.sanitizer = sanitizer;
        self
    }

    /// The same session, in which notes expire by this clock.
    pub(crate) fn timed(mut self, clock: Arc<WallClock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Keeps what is recorded from now on until a journal holds it.
    pub(crate) fn journaled(mut self) -> Self {
        self.unwritten = Some(Vec::new());
        self
    }

    /// The same session once more, of which no journal is written. Items are shared.
    pub(crate) fn twin(&self) -> Self {
        Self {
            ledger: self.ledger.clone(),
            recorded: self.recorded.clone(),
            next_item: self.next_item,
            next_call: self.next_call,
            next_note: self.next_note,
            layout: self.layout.clone(),
            observation: self.observation.clone(),
            sanitizer: self.sanitizer.clone(),
            clock: self.clock.clone(),
            projection: self.projection.clone(),
            hash: self.hash.clone(),
            hashed_breaks: self.hashed_breaks,
            unwritten: None,
            registry: PhantomData,
        }
    }

    /// The facts that a compaction states anew, as new items, each with the item that stated it last; and those of the new ones
    /// that have their place in the first part of the prompt.
    pub(crate) fn new_statements(&mut self, before: Option<ItemId>) -> (Vec<(ItemId, ItemId)>, Vec<ItemId>) {
        let layout = self.layout.clone();
        let has_place =
            |spec: &FragmentSpec| spec.lifetime == Lifetime::Latest && layout.later_role(spec) != spec.role;
        let sources = self.ledger.to_restate(before, has_place);
        let restated: Vec<_> = sources.into_iter().map(|of| (self.new_item(), of)).collect();
        let in_place = restated.iter().filter(|(_, of)| self.ledger.type_of(*of).is_some_and(has_place));
        let in_place = in_place.map(|(item, _)| *item).collect();
        (restated, in_place)
    }

    /// What no journal holds yet.
    pub(crate) fn unwritten(&self) -> &[Event] {
        self.unwritten.as_deref().unwrap_or_default()
    }

    /// Says that the journal holds everything.
    pub(crate) fn written(&mut self) {
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.clear();
        }
    }

    /// Takes what happens now.
    pub(crate) fn append(&mut self, event: Event) {
        self.follow(&event);
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.push(event);
        }
    }

    /// Takes what happened, now or in another process. The one place where the ledger changes.
    pub(crate) fn follow(&mut self, event: &Event) {
        for item in new_items(event) {
            // Ids are never given twice, in another process neither.
            self.next_item = self.next_item.max(item.0);
        }
        match event {
            Event::FragmentRecorded { fragment, .. } => self.recorded.count(fragment),
            Event::InputRecorded { .. }
            | Event::RunStarted { .. }
            | Event::HistoryRolledBack { .. }
            | Event::SessionOpened { fork: Some(_), .. } => self.recorded = Recorded::default(),
            Event::Decided { calls, .. } => self.next_call += calls.len() as u64,
            Event::NoteQueued { note, .. } => self.next_note = self.next_note.max(note.0),
            Event::NoteTaken { note, .. } => {
                if let Some((_, fragment)) = self.ledger.notes().find(|(queued, _)| queued == note) {
                    self.recorded.count(fragment);
                }
            }
            Event::HistoryImported { items } => {
                for imported in items {
                    if let ImportedPart::Reply { calls, .. } = &imported.part {
                        self.next_call += calls.len() as u64;
                    }
                }
            }
            _ => {}
        }
        self.ledger.apply(event);
    }

    /// The prompt that is sealed next: all that stands, or what a summary is asked of.
    pub(crate) fn next_prompt(&mut self) -> (Prompt, SealPurpose) {
        let Some(compacting) = self.ledger.compacting() else { return (self.prompt(), SealPurpose::Step) };
        let (layout, observation) = (&*self.layout, &self.observation);
        let before = |item: &Item| Some(item.id()) == compacting.before;
        let mut prompt = self.projection.project_before(&self.ledger, layout, observation, before);
        if let Some(instruction) = &compacting.instruction {
            push_instruction(&mut prompt, instruction, observation);
        }
        (prompt, SealPurpose::Summary)
    }

    /// The hash of a prompt as it was projected last: it costs what is new.
    pub(crate) fn messages_hash(&mut self, prompt: &Prompt, purpose: SealPurpose) -> String {
        if self.hashed_breaks != self.projection.breaks() {
            self.hashed_breaks = self.projection.breaks();
            self.hash = RunningHash::default();
        }
        match purpose {
            SealPurpose::Step => self.hash.extend(prompt),
            // Nothing follows a request for a summary.
            SealPurpose::Summary => self.hash.clone().extend(prompt),
        }
    }

    pub(crate) fn new_note(&mut self) -> NoteId {
        self.next_note = self.next_note.saturating_add(1);
        NoteId(self.next_note)
    }

    pub(crate) fn new_item(&mut self) -> ItemId {
        self.next_item = self.next_item.saturating_add(1);
        ItemId(self.next_item)
    }

    /// The ids of the calls of the next decision.
    pub(crate) fn new_calls(&self) -> impl Iterator<Item = CallId> {
        (self.next_call + 1..).map(CallId::numbered)
    }
}

impl<R: Registry> Default for Session<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Registry> fmt::Debug for Session<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("items", &self.ledger.items().len()).finish_non_exhaustive()
    }
}
