//! One live item.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use crate::event::{Call, CallId, RecordedFragment, Status, UserInput};
use crate::fragment::{FragmentSpec, Rendered};
use crate::message::{ItemId, Origin, ProviderState, Role};

/// The built-in kinds; fragments have their own.
mod kind {
    pub(super) const INPUT: &str = "polyloop.input";
    pub(super) const REPLY: &str = "polyloop.reply";
    pub(super) const OBSERVATION: &str = "polyloop.observation";
    pub(super) const EXPLANATION: &str = "polyloop.explanation";
    pub(super) const SYNTHETIC: &str = "polyloop.synthetic";
    pub(super) const SUMMARY: &str = "polyloop.summary";
    pub(super) const IMPORTED: &str = "polyloop.imported";
    pub(super) const INSTRUCTION: &str = "polyloop.instruction";
}

/// The door through which an item came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ItemKind {
    /// A registered fragment.
    Fragment,
    /// A person's own words.
    Input,
    /// A model's reply.
    Reply,
    /// What became of a call.
    Observation,
    /// What an interpreter told the model of a reply that it could not use.
    Explanation,
    /// A fixed text of the definition.
    Synthetic,
    /// What compaction put in the place of other items.
    Summary,
    /// A text that another program recorded, and that is no registered fragment.
    Imported,
    /// What the model is asked for a summary.
    Instruction,
}

/// What a fragment says of its fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Statement {
    /// All of it.
    Full,
    /// Only what changed since the statement before.
    Change,
    /// That it holds no longer.
    Retraction,
}

/// What an item holds.
#[derive(Clone, Debug)]
pub(crate) enum ItemContent {
    Fragment(RecordedFragment),
    Input {
        input: UserInput,
        typed: Option<UserInput>,
    },
    Reply {
        text: Arc<str>,
        calls: Arc<[Call]>,
        native: bool,
        state: Option<ProviderState>,
    },
    Observation {
        call: CallId,
        tool: Arc<str>,
        native: bool,
        status: Status,
        is_error: bool,
        receipt: bool,
        parts: Arc<[Arc<str>]>,
        /// How many characters of the whole result are missing in these texts.
        missing: usize,
    },
    Explanation {
        text: Arc<str>,
    },
    Synthetic {
        reply: bool,
        text: Arc<str>,
    },
    /// The remark that a turn was cancelled.
    Cancelled {
        text: Arc<str>,
    },
    Summary {
        text: Arc<str>,
        effects: Arc<[String]>,
    },
    Imported {
        role: Role,
        text: Arc<str>,
    },
    Instruction {
        text: Arc<str>,
    },
}

/// The size of some texts, in characters.
pub(super) fn chars(parts: &[Arc<str>]) -> usize {
    parts.iter().map(|part| part.chars().count()).sum()
}

/// One thing that a model has been told, or has said.
#[derive(Clone, Debug)]
pub struct Item {
    id: ItemId,
    /// The turn in which it was recorded, counted from 1; 0 before the first one, and in a session without turns.
    turn: u64,
    forged_marker: bool,
    /// Whether compaction stated it anew.
    restated: bool,
    /// The first item of the message in which another program recorded it.
    imported_in: Option<ItemId>,
    content: ItemContent,
}

impl Item {
    pub(crate) fn new(id: ItemId, turn: u64, content: ItemContent) -> Self {
        Self { id, turn, forged_marker: false, restated: false, imported_in: None, content }
    }

    pub(crate) fn forging(mut self, forged_marker: bool) -> Self {
        self.forged_marker = forged_marker;
        self
    }

    pub(super) fn imported_with(mut self, first: ItemId) -> Self {
        self.imported_in = Some(first);
        self
    }

    /// The same fact, stated in full as an item of its own.
    pub(super) fn restated_as(&self, id: ItemId, turn: u64) -> Self {
        let content = match &self.content {
            ItemContent::Fragment(fragment) => ItemContent::Fragment(RecordedFragment {
                rendered: fragment.in_full().clone(),
                full: None,
                ..fragment.clone()
            }),
            other => other.clone(),
        };
        Self { restated: true, ..Self::new(id, turn, content) }
    }

    /// The same observation with other texts; anything else is returned unchanged.
    pub(super) fn shortened_to(&self, parts: &Arc<[Arc<str>]>) -> Self {
        let mut shortened = self.clone();
        if let ItemContent::Observation { parts: shown, missing, .. } = &mut shortened.content {
            *missing = missing.saturating_add(chars(shown)).saturating_sub(chars(parts));
            *shown = parts.clone();
        }
        shortened
    }

    /// Another value of the same fact, where this one stands: in its turn, and in its message.
    pub(super) fn refreshed_as(&self, id: ItemId, fragment: &RecordedFragment) -> Self {
        let content = ItemContent::Fragment(fragment.clone());
        Self { imported_in: self.imported_in, ..Self::new(id, self.turn, content) }
    }

    pub(crate) fn content(&self) -> &ItemContent {
        &self.content
    }

    pub(crate) fn is_restated(&self) -> bool {
        self.restated
    }

    /// The first item of the message in which another program recorded it; none where it was recorded here.
    pub(crate) fn imported_in(&self) -> Option<ItemId> {
        self.imported_in
    }

    /// The fragment as recorded.
    pub(crate) fn recorded(&self) -> Option<&RecordedFragment> {
        match &self.content {
            ItemContent::Fragment(fragment) => Some(fragment),
            _ => None,
        }
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> ItemId {
        self.id
    }

    /// Returns the turn of the session in which it was recorded, counted from 1; 0 outside of turns. A run is a turn, and so is
    /// what begins with a person's words in an imported history.
    #[must_use]
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// Returns the role in which it speaks.
    #[must_use]
    pub fn role(&self) -> Role {
        match &self.content {
            ItemContent::Fragment(fragment) => fragment.spec.role,
            ItemContent::Imported { role, .. } => *role,
            ItemContent::Reply { .. } | ItemContent::Synthetic { reply: true, .. } => Role::Assistant,
            ItemContent::Observation { native: true, .. } => Role::Tool,
            ItemContent::Input { .. }
            | ItemContent::Observation { native: false, .. }
            | ItemContent::Explanation { .. }
            | ItemContent::Synthetic { reply: false, .. }
            | ItemContent::Cancelled { .. }
            | ItemContent::Summary { .. }
            | ItemContent::Instruction { .. } => Role::User,
        }
    }

    /// Returns the door through which it came.
    #[must_use]
    pub fn kind(&self) -> ItemKind {
        match self.content {
            ItemContent::Fragment(_) => ItemKind::Fragment,
            ItemContent::Input { .. } => ItemKind::Input,
            ItemContent::Reply { .. } => ItemKind::Reply,
            ItemContent::Observation { .. } => ItemKind::Observation,
            ItemContent::Explanation { .. } => ItemKind::Explanation,
            ItemContent::Synthetic { .. } | ItemContent::Cancelled { .. } => ItemKind::Synthetic,
            ItemContent::Summary { .. } => ItemKind::Summary,
            ItemContent::Imported { .. } => ItemKind::Imported,
            ItemContent::Instruction { .. } => ItemKind::Instruction,
        }
    }

    /// Returns the kind's name: a fragment's kind, or a built-in one such as `polyloop.input`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match &self.content {
            ItemContent::Fragment(fragment) => fragment.spec.kind,
            ItemContent::Input { .. } => kind::INPUT,
            ItemContent::Reply { .. } => kind::REPLY,
            ItemContent::Observation { .. } => kind::OBSERVATION,
            ItemContent::Explanation { .. } => kind::EXPLANATION,
            ItemContent::Synthetic { .. } | ItemContent::Cancelled { .. } => kind::SYNTHETIC,
            ItemContent::Summary { .. } => kind::SUMMARY,
            ItemContent::Imported { .. } => kind::IMPORTED,
            ItemContent::Instruction { .. } => kind::INSTRUCTION,
        }
    }

    /// Returns the description of the fragment's type.
    #[must_use]
    pub fn fragment(&self) -> Option<&'static FragmentSpec> {
        self.recorded().map(|fragment| fragment.spec)
    }

    /// Returns what a fragment says of its fact.
    #[must_use]
    pub fn statement(&self) -> Option<Statement> {
        self.recorded().map(|fragment| match fragment {
            RecordedFragment { retracts: true, .. } => Statement::Retraction,
            RecordedFragment { full: Some(_), .. } => Statement::Change,
            RecordedFragment { full: None, .. } => Statement::Full,
        })
    }

    /// Returns the text, as the model is told it: of a fragment the rendered one, of an observation, and of a person's
    /// words with images, all texts with nothing between them.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.content {
            ItemContent::Fragment(fragment) => fragment.rendered.text().into(),
            ItemContent::Input { input, .. } => input.as_str().into(),
            ItemContent::Reply { text, .. }
            | ItemContent::Explanation { text }
            | ItemContent::Synthetic { text, .. }
            | ItemContent::Cancelled { text }
            | ItemContent::Summary { text, .. }
            | ItemContent::Imported { text, .. }
            | ItemContent::Instruction { text } => (&**text).into(),
            ItemContent::Observation { parts, .. } => parts.concat().into(),
        }
    }

    /// Returns the size of what the model is told, in characters: that of the [text](Self::text), and an image counts as many as
    /// its host states.
    #[must_use]
    pub fn chars(&self) -> usize {
        match &self.content {
            ItemContent::Fragment(fragment) => fragment.rendered.chars(),
            ItemContent::Input { input, .. } => input.chars(),
            _ => self.text().chars().count(),
        }
    }

    /// Returns the size of the texts and of the data of images, in bytes, as a request carries them: UTF-8, and base64 for
    /// images.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.content {
            ItemContent::Fragment(fragment) => fragment.rendered.text().len(),
            ItemContent::Input { input, .. } => input.bytes(),
            ItemContent::Reply { text, calls, .. } => {
                text.len() + calls.iter().map(|call| call.action().payload().len()).sum::<usize>()
            }
            ItemContent::Observation { parts, .. } => parts.iter().map(|part| part.len()).sum(),
            _ => self.text().len(),
        }
    }

    /// Returns a person's words, with their images, as they were sent to the model; none of what is not a person's.
    #[must_use]
    pub fn input(&self) -> Option<&UserInput> {
        match &self.content {
            ItemContent::Input { input, .. } => Some(input),
            _ => None,
        }
    }

    /// Returns a person's words as they were typed: what a title, a search and a memory go by. Only a
    /// [sanitizer](crate::AgentBuilder::sanitizer) makes something else of them.
    #[must_use]
    pub fn typed(&self) -> Option<&UserInput> {
        match &self.content {
            ItemContent::Input { input, typed } => Some(typed.as_ref().unwrap_or(input)),
            _ => None,
        }
    }

    /// Returns a fragment as it was rendered: its size before anything was cut, its channel, its state.
    #[must_use]
    pub fn rendered(&self) -> Option<&Rendered> {
        self.recorded().map(|fragment| &*fragment.rendered)
    }

    /// Returns the id that the fragment states of itself.
    #[must_use]
    pub fn entry_id(&self) -> Option<&str> {
        self.rendered().and_then(Rendered::id)
    }

    /// Whether words that are no fragment hold a registered marker: a person's, a model's, also in its calls and summaries, a
    /// tool's, or imported ones.
    /// They stay as they are, and are never taken for a fragment; a person should see it.
    #[must_use]
    pub fn has_forged_marker(&self) -> bool {
        self.forged_marker
    }

    /// Where a block of this item comes from.
    pub(crate) fn origin(&self, tool: Option<&Arc<str>>) -> Origin {
        Origin::of(self.id, self.kind_name().into(), tool.cloned())
    }
}
