//! From what is said to what is recorded: it depends on what stands.

use std::collections::BTreeMap;

use super::Session;
use super::sanitizer::{Known, Sanitizer};
use super::words::{INPUT, Recorded, Words};
use crate::error::{RecordError, RecordErrorKind};
use crate::event::{Event, NoteId, RecordedFragment, UserInput};
use crate::ledger::{Item, Ledger};
use crate::message::ItemId;
use crate::registry::Registry;

/// Words that are going to be recorded: nothing can go wrong with them any more.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    Fragment {
        fragment: RecordedFragment,
        /// Whether it takes the place of what was told of the fact before.
        refreshes: bool,
    },
    /// A note that waited.
    Note(NoteId, RecordedFragment),
    Input {
        input: UserInput,
        typed: Option<UserInput>,
        forged_marker: bool,
    },
}

/// What was told so far, while several things are resolved one after another.
pub(super) struct Told<'l> {
    ledger: &'l Ledger,
    recorded: Recorded,
    latest: BTreeMap<&'static str, RecordedFragment>,
}

impl Resolved {
    /// Whether it is a fragment of this kind; a note is taken in any case.
    fn states(&self, kind: &str) -> bool {
        matches!(self, Self::Fragment { fragment, .. } if fragment.spec.kind == kind)
    }

    /// How large a prompt of this size becomes with what the model is told, in characters.
    pub(super) fn added_to(&self, chars: usize, ledger: &Ledger) -> usize {
        match self {
            Self::Fragment { fragment, refreshes: true } => {
                let kind = fragment.spec.kind;
                let gone = ledger.items().iter().filter(|item| item.kind_name() == kind);
                let gone: usize = gone.map(Item::chars).sum();
                chars.saturating_sub(gone) + fragment.rendered.chars()
            }
            Self::Fragment { fragment, refreshes: false } | Self::Note(_, fragment) => {
                chars + fragment.rendered.chars()
            }
            Self::Input { input, .. } => chars + input.chars(),
        }
    }
}

impl Told<'_> {
    /// Says what is recorded; none where the model knows it.
    fn resolve<R: Registry>(
        &mut self,
        words: Words,
        sanitizer: Option<&Sanitizer<R>>,
    ) -> Result<Option<Resolved>, RecordError> {
        let fragment = match words {
            Words::Input(typed) => return self.input(typed, sanitizer).map(Some),
            Words::Fragment(fragment) => Some(fragment),
            Words::Latest(latest) => {
                let spec = latest.spec();
                latest.behind::<R>(self.latest(spec.kind), self.ledger.refreshes(spec))?
            }
            Words::Retraction(retraction) => retraction.behind::<R>(self.latest(retraction.kind()))?,
        };
        let Some(fragment) = fragment else { return Ok(None) };
        // What takes something back stands behind it.
        let refreshes = !fragment.retracts && self.ledger.refreshes(fragment.spec);
        self.tell(&fragment)?;
        Ok(Some(Resolved::Fragment { fragment, refreshes }))
    }

    fn tell(&mut self, fragment: &RecordedFragment) -> Result<(), RecordError> {
        self.recorded.admits(fragment)?;
        self.recorded.count(fragment);
        self.latest.insert(fragment.spec.kind, fragment.clone());
        Ok(())
    }

    fn input<R: Registry>(
        &mut self,
        typed: UserInput,
        sanitizer: Option<&Sanitizer<R>>,
    ) -> Result<Resolved, RecordError> {
        let (input, typed) = Known::new(self).sanitized(typed, sanitizer);
        if input.is_blank() {
            return Err(RecordError::new(INPUT, RecordErrorKind::Empty));
        }
        let forged_marker =
            [Some(&input), typed.as_ref()].into_iter().flatten().any(|words| R::holds_marker(words.as_str()));
        self.recorded = Recorded::default();
        Ok(Resolved::Input { input, typed, forged_marker })
    }

    pub(super) fn latest(&self, kind: &str) -> Option<&RecordedFragment> {
        self.latest.get(kind).or_else(|| self.ledger.latest(kind).map(|(_, fragment)| fragment))
    }
}

impl<R: Registry> Session<R> {
    /// Says what would be recorded of these notes and words, or that one of them is refused; nothing is recorded.
    pub(super) fn resolve(
        &self,
        recorded: Recorded,
        notes: &[(NoteId, RecordedFragment)],
        words: &[Words],
    ) -> Result<Vec<Resolved>, RecordError> {
        let mut told = Told { ledger: &self.ledger, recorded, latest: BTreeMap::new() };
        let mut resolved = Vec::with_capacity(notes.len() + words.len());
        for (note, fragment) in notes {
            told.tell(fragment)?;
            resolved.push(Resolved::Note(*note, fragment.clone()));
        }
        for words in words {
            let next = told.resolve::<R>(words.clone(), self.sanitizer.as_deref())?;
            if let Some(Resolved::Fragment { fragment, refreshes: true }) = &next {
                // What it takes the place of was not told yet.
                resolved.retain(|said| !said.states(fragment.spec.kind));
            }
            resolved.extend(next);
        }
        Ok(resolved)
    }

    /// Records what came through a door; none where the model knows it.
    pub(crate) fn record(&mut self, words: Words) -> Result<Option<ItemId>, RecordError> {
        let resolved = self.resolve(self.recorded.clone(), &[], &[words])?;
        Ok(resolved.into_iter().map(|resolved| self.take(resolved)).last())
    }

    /// Records what is recorded in any case.
    pub(super) fn record_one(&mut self, words: Words) -> Result<ItemId, RecordError> {
        let recorded = self.record(words)?;
        // Only what depends on what the model knows may turn out to be nothing.
        Ok(recorded.unwrap_or(ItemId(self.next_item)))
    }

    /// Records that a note waits.
    pub(crate) fn queue_note(&mut self, fragment: RecordedFragment) {
        let note = self.new_note();
        self.append(Event::NoteQueued { note, fragment });
    }

    /// Records what was resolved.
    pub(super) fn take(&mut self, resolved: Resolved) -> ItemId {
        let item = self.new_item();
        self.append(match resolved {
            Resolved::Fragment { fragment, refreshes } => {
                let place = self.ledger.latest(fragment.spec.kind).map(|(item, _)| *item);
                let instead_of = place.filter(|_| refreshes);
                Event::FragmentRecorded { item, fragment, instead_of }
            }
            Resolved::Note(note, _) => Event::NoteTaken { note, item },
            Resolved::Input { input, typed, forged_marker } => {
                Event::InputRecorded { item, input, typed, forged_marker }
            }
        });
        item
    }
}
