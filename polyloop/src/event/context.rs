//! What events say of the context: fragments, notes, imported items, forks, compaction.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::input::UserInput;
use super::parts::{Call, CallId};
use crate::fragment::{FragmentSpec, Rendered};
use crate::message::{ItemId, Role};

/// A fragment as recorded.
#[derive(Clone, Debug)]
pub(crate) struct RecordedFragment {
    pub(crate) spec: &'static FragmentSpec,
    /// What the model is told.
    pub(crate) rendered: Arc<Rendered>,
    /// The full form, where the model is told only what changed.
    pub(crate) full: Option<Arc<Rendered>>,
    /// Whether it says that the fact holds no longer.
    pub(crate) retracts: bool,
}

impl RecordedFragment {
    /// A full statement.
    pub(crate) fn new(spec: &'static FragmentSpec, rendered: Rendered) -> Self {
        Self { spec, rendered: Arc::new(rendered), full: None, retracts: false }
    }

    /// The fact, stated in full.
    pub(crate) fn in_full(&self) -> &Arc<Rendered> {
        self.full.as_ref().unwrap_or(&self.rendered)
    }
}

/// A fragment as a journal holds it: with the kind in place of the description.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenFragment<K, T> {
    pub(super) kind: K,
    /// The role in which it speaks; earlier journals leave that to the registry. It counts where the kind is retired and its type
    /// is gone.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<Role>,
    pub(super) rendered: T,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub(super) full: Option<T>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) retracts: bool,
}

impl Serialize for RecordedFragment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenFragment {
            kind: self.spec.kind,
            role: Some(self.spec.role),
            rendered: &*self.rendered,
            full: self.full.as_deref(),
            retracts: self.retracts,
        }
        .serialize(serializer)
    }
}

impl WrittenFragment<String, Rendered> {
    pub(super) fn known_as(self, spec: &'static FragmentSpec) -> RecordedFragment {
        let Self { kind: _, role: _, rendered, full, retracts } = self;
        RecordedFragment { spec, rendered: Arc::new(rendered), full: full.map(Arc::new), retracts }
    }
}

/// Identifies a note of a session that waits for the next input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct NoteId(pub(crate) u64);

/// The reason why a waiting note is not stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NoteEnd {
    /// A newer statement of the same `latest` kind was recorded or queued.
    Superseded,
    /// The host withdrew it.
    Withdrawn,
    /// Its time passed.
    Expired,
    /// The model knows the value already.
    Known,
}

/// Why a session is compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactionReason {
    /// The prompt is large.
    Size,
    /// There are many items.
    Count,
    /// The host asked for it.
    Asked,
}

/// One part of a message that another program recorded.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ImportedItem {
    pub(crate) item: ItemId,
    pub(crate) part: ImportedPart,
    /// Whether it stands in one message with the item before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) joined: bool,
}

/// What another program recorded, as far as it could be known.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ImportedPart {
    /// A registered fragment, recognised.
    Fragment(RecordedFragment),
    /// A person's words.
    Input { input: UserInput, forged_marker: bool },
    /// A text of somebody else, which is no registered fragment.
    Text { role: Role, text: Arc<str>, forged_marker: bool },
    /// What the model said, and the calls it made.
    Reply { text: Arc<str>, calls: Vec<Call>, forged_marker: bool },
    /// What came of a call.
    Result {
        call: CallId,
        tool: Arc<str>,
        parts: Arc<[Arc<str>]>,
        /// What the model sees; none where it sees all of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        shown: Option<Arc<[Arc<str>]>>,
        forged_marker: bool,
    },
}

/// Finds where the turns of an imported history begin: with a person's words, the first of their message.
#[derive(Debug, Default)]
pub(crate) struct ImportedTurns {
    /// Whether the present message has words already.
    has_words: bool,
}

impl ImportedTurns {
    /// Takes the next item, and returns `true` if a turn begins with it.
    pub(crate) fn begins(&mut self, is_input: bool, is_joined: bool) -> bool {
        let begins = is_input && !(is_joined && self.has_words);
        self.has_words = is_input || is_joined && self.has_words;
        begins
    }
}

/// A part as a journal holds it.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenImport {
    pub(super) item: ItemId,
    pub(super) part: WrittenPart,
    #[serde(default)]
    pub(super) joined: bool,
}

/// What a part holds, with the kind of a fragment in place of its description.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WrittenPart {
    Fragment(Box<WrittenFragment<String, Rendered>>),
    Input {
        input: UserInput,
        forged_marker: bool,
    },
    Text {
        role: Role,
        text: Arc<str>,
        forged_marker: bool,
    },
    Reply {
        text: Arc<str>,
        calls: Vec<Call>,
        forged_marker: bool,
    },
    Result {
        call: CallId,
        tool: Arc<str>,
        parts: Arc<[Arc<str>]>,
        #[serde(default)]
        shown: Option<Arc<[Arc<str>]>>,
        forged_marker: bool,
    },
}

impl WrittenImport {
    pub(super) fn known_by<E>(
        self,
        find: impl Fn(&str, Option<Role>) -> Result<&'static FragmentSpec, E>,
    ) -> Result<ImportedItem, E> {
        let Self { item, part, joined } = self;
        let part = match part {
            WrittenPart::Fragment(fragment) => {
                let spec = find(&fragment.kind, fragment.role)?;
                ImportedPart::Fragment(fragment.known_as(spec))
            }
            WrittenPart::Input { input, forged_marker } => ImportedPart::Input { input, forged_marker },
            WrittenPart::Text { role, text, forged_marker } => {
                ImportedPart::Text { role, text, forged_marker }
            }
            WrittenPart::Reply { text, calls, forged_marker } => {
                ImportedPart::Reply { text, calls, forged_marker }
            }
            WrittenPart::Result { call, tool, parts, shown, forged_marker } => {
                ImportedPart::Result { call, tool, parts, shown, forged_marker }
            }
        };
        Ok(ImportedItem { item, part, joined })
    }
}
