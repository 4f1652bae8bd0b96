//! The typed doors: what may be added to what a model sees.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::error::{RecordError, RecordErrorKind};
use crate::event::{CallId, Event, RecordedFragment, UserInput};
use crate::fragment::Marking;
use crate::layout::{Layout, Projection, Staged, Template};
use crate::ledger::{Item, Ledger};
use crate::message::{ItemId, Prompt};
use crate::registry::{Registered, Registry};

/// The kind of a person's words, in errors.
const INPUT: &str = "polyloop.input";

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
    /// How many of each kind were recorded since the last input.
    recorded: BTreeMap<&'static str, usize>,
    next_item: u64,
    next_call: u64,
    layout: Arc<dyn Layout>,
    observation: Template,
    projection: Projection,
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
        Self::framed(Arc::new(layout), Template::bare())
    }

    pub(crate) fn framed(layout: Arc<dyn Layout>, observation: Template) -> Self {
        Self {
            ledger: Ledger::default(),
            recorded: BTreeMap::new(),
            next_item: 0,
            next_call: 0,
            layout,
            observation,
            projection: Projection::new(),
            registry: PhantomData,
        }
    }

    /// Records a fragment.
    ///
    /// # Errors
    ///
    /// When its text is over the cap, a key is refused, the text would not be recognised, or this turn recorded as
    /// many of the kind as the type allows. Then nothing is recorded.
    #[expect(clippy::needless_pass_by_value, reason = "what is recorded is given away")]
    pub fn inject<F: Registered<R>>(&mut self, fragment: F) -> Result<ItemId, RecordError> {
        let spec = &const { F::SPEC };
        let rendered = R::render(&fragment)?;
        let refuse = |reason| Err(RecordError::new(spec.kind, reason));
        if rendered.text().trim().is_empty() && matches!(spec.marking, Marking::Unmarked(_)) {
            return refuse(RecordErrorKind::Empty);
        }
        let recorded = self.recorded.entry(spec.kind).or_default();
        if *recorded >= spec.at_most {
            return refuse(RecordErrorKind::TooMany { at_most: spec.at_most });
        }
        *recorded += 1;
        let item = self.new_item();
        let fragment = RecordedFragment { spec, rendered: Arc::new(rendered) };
        self.append(&Event::FragmentRecorded { item, fragment });
        Ok(item)
    }

    /// Records a person's own words, as they are. They begin a new turn.
    ///
    /// Words that hold a registered marker are flagged (see [`Item::has_forged_marker`]) and never taken for a fragment.
    ///
    /// # Errors
    ///
    /// When there is nothing but white space.
    pub fn say(&mut self, input: impl Into<UserInput>) -> Result<ItemId, RecordError> {
        let input = input.into();
        if input.as_str().trim().is_empty() {
            return Err(RecordError::new(INPUT, RecordErrorKind::Empty));
        }
        self.recorded.clear();
        let item = self.new_item();
        let forged_marker = R::holds_marker(input.as_str());
        self.append(&Event::InputRecorded { item, input, forged_marker });
        Ok(item)
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

    /// Takes what happened. The one place where the ledger changes.
    pub(crate) fn append(&mut self, event: &Event) {
        self.ledger.apply(event);
        if matches!(event, Event::PromptSealed) {
            self.projection.seal();
        }
    }

    pub(crate) fn new_item(&mut self) -> ItemId {
        self.next_item += 1;
        ItemId(self.next_item)
    }

    pub(crate) fn new_call(&mut self) -> CallId {
        self.next_call += 1;
        CallId::numbered(self.next_call)
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
