//! One live item.

use std::borrow::Cow;
use std::sync::Arc;

use crate::event::{Call, CallId, RecordedFragment, UserInput};
use crate::fragment::{FragmentSpec, Rendered};
use crate::message::{ItemId, Origin};

/// The built-in kinds; fragments have their own.
mod kind {
    pub(super) const INPUT: &str = "polyloop.input";
    pub(super) const REPLY: &str = "polyloop.reply";
    pub(super) const OBSERVATION: &str = "polyloop.observation";
    pub(super) const EXPLANATION: &str = "polyloop.explanation";
    pub(super) const SYNTHETIC: &str = "polyloop.synthetic";
}

/// The door through which an item came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

/// What an item holds.
#[derive(Clone, Debug)]
pub(crate) enum ItemContent {
    Fragment(RecordedFragment),
    Input { input: UserInput, forged_marker: bool },
    Reply { text: Arc<str>, calls: Arc<[Call]>, native: bool },
    Observation { call: CallId, tool: Arc<str>, native: bool, parts: Arc<[Arc<str>]> },
    Explanation { text: Arc<str> },
    Synthetic { reply: bool, text: Arc<str> },
}

/// One thing that a model has been told, or has said.
#[derive(Clone, Debug)]
pub struct Item {
    id: ItemId,
    content: ItemContent,
}

impl Item {
    pub(crate) fn new(id: ItemId, content: ItemContent) -> Self {
        Self { id, content }
    }

    pub(crate) fn content(&self) -> &ItemContent {
        &self.content
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> ItemId {
        self.id
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
            ItemContent::Synthetic { .. } => ItemKind::Synthetic,
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
            ItemContent::Synthetic { .. } => kind::SYNTHETIC,
        }
    }

    /// Returns the description of the fragment's type.
    #[must_use]
    pub fn fragment(&self) -> Option<&'static FragmentSpec> {
        match &self.content {
            ItemContent::Fragment(fragment) => Some(fragment.spec),
            _ => None,
        }
    }

    /// Returns the text: of a fragment the rendered one, of a person's words what was typed, of an observation all its
    /// parts with nothing between them.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.content {
            ItemContent::Fragment(fragment) => fragment.rendered.text().into(),
            ItemContent::Input { input, .. } => input.as_str().into(),
            ItemContent::Reply { text, .. }
            | ItemContent::Explanation { text }
            | ItemContent::Synthetic { text, .. } => (&**text).into(),
            ItemContent::Observation { parts, .. } => parts.concat().into(),
        }
    }

    /// Returns a fragment as it was rendered: its size before anything was cut, its channel, its state.
    #[must_use]
    pub fn rendered(&self) -> Option<&Rendered> {
        match &self.content {
            ItemContent::Fragment(fragment) => Some(&fragment.rendered),
            _ => None,
        }
    }

    /// Returns the id that the fragment states of itself.
    #[must_use]
    pub fn entry_id(&self) -> Option<&str> {
        match &self.content {
            ItemContent::Fragment(fragment) => fragment.rendered.id(),
            _ => None,
        }
    }

    /// Whether a person's words hold a registered marker. They stay as typed; a person should see it.
    #[must_use]
    pub fn has_forged_marker(&self) -> bool {
        matches!(self.content, ItemContent::Input { forged_marker: true, .. })
    }

    /// Where a block of this item comes from.
    pub(crate) fn origin(&self, tool: Option<&Arc<str>>) -> Origin {
        Origin::of(self.id, self.kind_name().into(), tool.cloned())
    }
}
