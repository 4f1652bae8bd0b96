//! From what is said to what is recorded: it depends on what stands.

use super::Session;
use super::latest::{Latest, Retraction};
use super::sanitizer::{Known, Sanitizer};
use super::words::{INPUT, Recorded, Words};
use crate::error::{RecordError, RecordErrorKind};
use crate::event::{Event, NoteEnd, NoteId, RecordedFragment, UserInput};
use crate::fragment::{FragmentSpec, Lifetime};
use crate::layout::Layout;
use crate::ledger::{Item, Ledger};
use crate::message::ItemId;
use crate::registry::Registry;

/// Words that are going to be recorded: nothing can go wrong with them any more.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    Fragment {
        fragment: RecordedFragment,
        /// The statement that it replaces: in a fork an inherited one, else one that no request contained.
        instead_of: Option<ItemId>,
    },
    /// A statement of this type that is removed.
    Retired(ItemId, &'static FragmentSpec),
    /// A note that waited.
    Note(NoteId, RecordedFragment),
    /// A note that is not stated.
    Withdrawn(NoteId, NoteEnd),
    Input {
        input: UserInput,
        typed: Option<UserInput>,
        forged_marker: bool,
    },
}

/// What was told so far, while several things are resolved one after another.
pub(super) struct Told<'l> {
    ledger: &'l Ledger,
    layout: &'l dyn Layout,
    recorded: Recorded,
    resolved: Vec<Resolved>,
}

impl Resolved {
    /// The kind of the fact that it states or removes.
    fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Fragment { fragment, .. } | Self::Note(_, fragment) => Some(fragment.spec.kind),
            Self::Retired(_, spec) => Some(spec.kind),
            Self::Withdrawn(..) | Self::Input { .. } => None,
        }
    }

    /// The waiting note that it takes or withdraws.
    fn note(&self) -> Option<NoteId> {
        match self {
            Self::Note(note, _) | Self::Withdrawn(note, _) => Some(*note),
            Self::Fragment { .. } | Self::Retired(..) | Self::Input { .. } => None,
        }
    }

    /// How large a prompt of this size becomes with what the model is told, in characters.
    pub(super) fn added_to(&self, chars: usize, ledger: &Ledger) -> usize {
        let without = |item: ItemId, spec: &FragmentSpec| {
            let is_gone = |known: &&Item| {
                if ledger.refreshes(spec) { known.kind_name() == spec.kind } else { known.id() == item }
            };
            let gone: usize = ledger.items().iter().filter(is_gone).map(Item::chars).sum();
            chars.saturating_sub(gone)
        };
        match self {
            Self::Fragment { fragment, instead_of: Some(old) } => {
                without(*old, fragment.spec) + fragment.rendered.chars()
            }
            Self::Fragment { fragment, instead_of: None } | Self::Note(_, fragment) => {
                chars + fragment.rendered.chars()
            }
            Self::Retired(item, spec) => without(*item, spec),
            Self::Withdrawn(..) => chars,
            Self::Input { input, .. } => chars + input.chars(),
        }
    }
}

impl Told<'_> {
    /// Resolves what is recorded of these words; nothing where the model knows it.
    fn resolve<R: Registry>(
        &mut self,
        words: Words,
        sanitizer: Option<&Sanitizer<R>>,
    ) -> Result<(), RecordError> {
        match words {
            Words::Input(typed) => self.input(typed, sanitizer),
            Words::Fragment(fragment) if fragment.spec.lifetime == Lifetime::Latest => {
                self.state(fragment.spec, Some(fragment));
                Ok(())
            }
            Words::Fragment(fragment) => {
                self.count(&fragment)?;
                self.resolved.push(Resolved::Fragment { fragment, instead_of: None });
                Ok(())
            }
            Words::Latest(latest) => self.latest_value::<R>(latest),
            Words::Retraction(retraction) => self.retraction::<R>(retraction),
        }
    }

    fn latest_value<R: Registry>(&mut self, latest: Latest) -> Result<(), RecordError> {
        let spec = latest.spec();
        self.withdraw_notes(spec.kind);
        if self.latest(spec.kind).is_some_and(|now| latest.is_stated_by(now)) {
            return Ok(());
        }
        let stated = latest.behind::<R>(self.base(spec), self.ledger.refreshes(spec))?;
        self.state(spec, stated);
        Ok(())
    }

    fn retraction<R: Registry>(&mut self, retraction: Retraction) -> Result<(), RecordError> {
        let spec = retraction.spec();
        self.withdraw_notes(spec.kind);
        if self.latest(spec.kind).is_none_or(|now| now.retracts) {
            return Ok(());
        }
        let stated = retraction.behind::<R>(self.base(spec))?;
        self.state(spec, stated);
        Ok(())
    }

    /// The statement that holds for the model as long as nothing is recorded, and that a change is relative to.
    fn base(&self, spec: &FragmentSpec) -> Option<&RecordedFragment> {
        if !self.ledger.refreshes(spec) && self.ledger.unseen_statement(spec.kind).is_some() {
            return self.ledger.seen_statement(spec.kind);
        }
        self.ledger.latest(spec.kind).map(|(_, fragment)| fragment)
    }

    /// The recorded statement that goes when the fact is stated anew: in a fork the inherited one, else one that no request
    /// contained.
    fn replaceable(&self, spec: &FragmentSpec) -> Option<ItemId> {
        if !self.ledger.refreshes(spec) {
            return self.ledger.unseen_statement(spec.kind);
        }
        if self.layout.later_role(spec) != spec.role {
            return self.ledger.first_statement(spec.kind);
        }
        self.ledger.latest(spec.kind).map(|(item, _)| *item)
    }

    /// States a fact relative to its base; without a statement the base holds. What was resolved of it before, and notes
    /// that wait, are older.
    fn state(&mut self, spec: &'static FragmentSpec, stated: Option<RecordedFragment>) {
        self.withdraw_notes(spec.kind);
        let refreshes = self.ledger.refreshes(spec);
        let old = self.replaceable(spec);
        let resolved = match stated {
            // In a fork the inherited statement goes, so there is nothing to take back.
            Some(fragment) if fragment.retracts && refreshes => old.map(|old| Resolved::Retired(old, spec)),
            Some(fragment) => Some(Resolved::Fragment { fragment, instead_of: old }),
            None => old.filter(|_| !refreshes).map(|old| Resolved::Retired(old, spec)),
        };
        let earlier = self.resolved.iter().position(|said| said.kind() == Some(spec.kind));
        match (earlier.and_then(|at| self.resolved.get_mut(at).map(|said| (at, said))), resolved) {
            (Some((_, said)), Some(resolved)) => *said = resolved,
            (Some((at, _)), None) => drop(self.resolved.remove(at)),
            (None, resolved) => self.resolved.extend(resolved),
        }
    }

    /// Withdraws the notes of a `latest` kind: a newer statement was made.
    fn withdraw_notes(&mut self, kind: &str) {
        for said in &mut self.resolved {
            if let Resolved::Note(note, fragment) = said
                && fragment.spec.kind == kind
            {
                *said = Resolved::Withdrawn(*note, NoteEnd::Superseded);
            }
        }
        let is_resolved = |note: NoteId| self.resolved.iter().any(|said| said.note() == Some(note));
        let waiting =
            self.ledger.notes().filter(|(note, waits)| waits.spec.kind == kind && !is_resolved(*note));
        let waiting: Vec<NoteId> = waiting.map(|(note, _)| note).collect();
        self.resolved.extend(waiting.into_iter().map(|note| Resolved::Withdrawn(note, NoteEnd::Superseded)));
    }

    /// Takes a note that waited. One that states what the model knows is withdrawn.
    fn note(&mut self, note: NoteId, fragment: &RecordedFragment) -> Result<(), RecordError> {
        let spec = fragment.spec;
        if spec.lifetime == Lifetime::Latest {
            let is_same =
                |now: &RecordedFragment| !now.retracts && now.in_full().text() == fragment.in_full().text();
            if self.latest(spec.kind).is_some_and(is_same) {
                self.resolved.push(Resolved::Withdrawn(note, NoteEnd::Known));
                return Ok(());
            }
            self.resolved.extend(self.replaceable(spec).map(|old| Resolved::Retired(old, spec)));
        } else {
            self.count(fragment)?;
        }
        self.resolved.push(Resolved::Note(note, fragment.clone()));
        Ok(())
    }

    fn count(&mut self, fragment: &RecordedFragment) -> Result<(), RecordError> {
        self.recorded.admits(fragment)?;
        self.recorded.count(fragment);
        Ok(())
    }

    fn input<R: Registry>(
        &mut self,
        typed: UserInput,
        sanitizer: Option<&Sanitizer<R>>,
    ) -> Result<(), RecordError> {
        let (input, typed) = Known::new(self).sanitized(typed, sanitizer);
        if input.is_blank() {
            return Err(RecordError::new(INPUT, RecordErrorKind::Empty));
        }
        let forged_marker =
            [Some(&input), typed.as_ref()].into_iter().flatten().any(|words| R::holds_marker(words.as_str()));
        self.recorded = Recorded::default();
        self.resolved.push(Resolved::Input { input, typed, forged_marker });
        Ok(())
    }

    /// The latest statement of a kind, with what was resolved so far.
    pub(super) fn latest(&self, kind: &str) -> Option<&RecordedFragment> {
        match self.resolved.iter().rev().find(|said| said.kind() == Some(kind)) {
            Some(Resolved::Fragment { fragment, .. } | Resolved::Note(_, fragment)) => Some(fragment),
            Some(Resolved::Retired(_, spec)) if self.ledger.refreshes(spec) => None,
            Some(_) => self.ledger.seen_statement(kind),
            None => self.ledger.latest(kind).map(|(_, fragment)| fragment),
        }
    }
}

impl<R: Registry> Session<R> {
    /// Says what would be recorded of these notes and words, or that one of them is refused; nothing is recorded. Notes whose
    /// time passed are withdrawn.
    pub(super) fn resolve(
        &self,
        recorded: Recorded,
        expired: &[NoteId],
        notes: &[(NoteId, RecordedFragment)],
        words: &[Words],
    ) -> Result<Vec<Resolved>, RecordError> {
        let resolved = expired.iter().map(|note| Resolved::Withdrawn(*note, NoteEnd::Expired)).collect();
        let mut told = Told { ledger: &self.ledger, layout: &*self.layout, recorded, resolved };
        for (at, (note, fragment)) in notes.iter().enumerate() {
            let is_newer = |(_, newer): &(NoteId, RecordedFragment)| {
                newer.spec.kind == fragment.spec.kind && newer.spec.lifetime == Lifetime::Latest
            };
            if notes.iter().skip(at + 1).any(is_newer) {
                told.resolved.push(Resolved::Withdrawn(*note, NoteEnd::Superseded));
            } else {
                told.note(*note, fragment)?;
            }
        }
        for words in words {
            told.resolve::<R>(words.clone(), self.sanitizer.as_deref())?;
        }
        Ok(told.resolved)
    }

    /// Records what came through a door; none where the model knows it.
    pub(crate) fn record(&mut self, words: Words) -> Result<Option<ItemId>, RecordError> {
        let resolved = self.resolve(self.recorded.clone(), &[], &[], &[words])?;
        let taken: Vec<Option<ItemId>> = resolved.into_iter().map(|resolved| self.take(resolved)).collect();
        Ok(taken.into_iter().flatten().last())
    }

    /// Records what is recorded in any case.
    pub(super) fn record_one(&mut self, words: Words) -> Result<ItemId, RecordError> {
        let recorded = self.record(words)?;
        // Only what depends on what the model knows may turn out to be nothing.
        Ok(recorded.unwrap_or(ItemId(self.next_item)))
    }

    /// Records what was resolved; returns the new item, if it is one.
    pub(super) fn take(&mut self, resolved: Resolved) -> Option<ItemId> {
        let event = match resolved {
            Resolved::Retired(item, _) => Event::FragmentRetired { item },
            Resolved::Withdrawn(note, why) => Event::NoteWithdrawn { note, why },
            Resolved::Fragment { fragment, instead_of } => {
                Event::FragmentRecorded { item: self.new_item(), fragment, instead_of }
            }
            Resolved::Note(note, _) => Event::NoteTaken { note, item: self.new_item() },
            Resolved::Input { input, typed, forged_marker } => {
                Event::InputRecorded { item: self.new_item(), input, typed, forged_marker }
            }
        };
        let is_item = !matches!(event, Event::FragmentRetired { .. } | Event::NoteWithdrawn { .. });
        self.append(event);
        is_item.then_some(ItemId(self.next_item))
    }
}
