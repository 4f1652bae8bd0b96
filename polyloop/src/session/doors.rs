//! From what is said to what is recorded: it depends on what stands.

use std::collections::BTreeMap;

use super::Session;
use super::words::{Recorded, Words};
use crate::error::RecordError;
use crate::event::{Event, RecordedFragment, UserInput};
use crate::ledger::Ledger;
use crate::message::ItemId;
use crate::registry::Registry;

/// Words that are going to be recorded: nothing can go wrong with them any more.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    Fragment { fragment: RecordedFragment, instead_of: Option<ItemId> },
    Input { input: UserInput, typed: Option<UserInput>, forged_marker: bool },
}

/// What was told so far, while several things are resolved one after another.
struct Told<'l> {
    ledger: &'l Ledger,
    recorded: Recorded,
    latest: BTreeMap<&'static str, RecordedFragment>,
}

impl Told<'_> {
    /// Says what is recorded; none where the model knows it.
    fn resolve<R: Registry>(&mut self, words: Words) -> Result<Option<Resolved>, RecordError> {
        let fragment = match words {
            Words::Input { input, typed, forged_marker } => {
                self.recorded = Recorded::default();
                return Ok(Some(Resolved::Input { input, typed, forged_marker }));
            }
            Words::Fragment(fragment) => Some(fragment),
            Words::Latest(latest) => {
                let (earlier, refreshes) = (self.latest(latest.kind()), self.to_refresh(latest.kind()));
                latest.behind::<R>(earlier, refreshes.is_some())?
            }
            Words::Retraction(retraction) => retraction.behind::<R>(self.latest(retraction.kind()))?,
        };
        let Some(fragment) = fragment else { return Ok(None) };
        // What takes something back stands behind it.
        let instead_of = self.to_refresh(fragment.spec.kind).filter(|_| !fragment.retracts);
        self.recorded.admits(&fragment)?;
        self.recorded.count(&fragment);
        self.latest.insert(fragment.spec.kind, fragment.clone());
        Ok(Some(Resolved::Fragment { fragment, instead_of }))
    }

    /// The inherited statement whose place the next one takes.
    fn to_refresh(&self, kind: &str) -> Option<ItemId> {
        if self.latest.contains_key(kind) { None } else { self.ledger.to_refresh(kind) }
    }

    fn latest(&self, kind: &str) -> Option<&RecordedFragment> {
        self.latest.get(kind).or_else(|| self.ledger.latest(kind).map(|(_, fragment)| fragment))
    }
}

impl<R: Registry> Session<R> {
    /// Says what would be recorded of all these words at the beginning of a turn, or that one of them is refused; nothing is
    /// recorded.
    pub(crate) fn resolve(&self, words: Vec<Words>) -> Result<Vec<Resolved>, RecordError> {
        let mut told = self.told_in(Recorded::default());
        words.into_iter().filter_map(|words| told.resolve::<R>(words).transpose()).collect()
    }

    /// What was told so far, in a turn that recorded this.
    fn told_in(&self, recorded: Recorded) -> Told<'_> {
        Told { ledger: &self.ledger, recorded, latest: BTreeMap::new() }
    }

    /// Records what came through a door; none where the model knows it.
    pub(crate) fn record(&mut self, words: Words) -> Result<Option<ItemId>, RecordError> {
        let resolved = self.told_in(self.recorded.clone()).resolve::<R>(words)?;
        Ok(resolved.map(|resolved| self.take(resolved)))
    }

    /// Records what is recorded in any case.
    pub(super) fn record_one(&mut self, words: Words) -> Result<ItemId, RecordError> {
        let recorded = self.record(words)?;
        // Only what depends on what the model knows may turn out to be nothing.
        Ok(recorded.unwrap_or(ItemId(self.next_item)))
    }

    /// Records what was resolved.
    pub(crate) fn take(&mut self, resolved: Resolved) -> ItemId {
        let item = self.new_item();
        self.append(match resolved {
            Resolved::Fragment { fragment, instead_of } => {
                Event::FragmentRecorded { item, fragment, instead_of }
            }
            Resolved::Input { input, typed, forged_marker } => {
                Event::InputRecorded { item, input, typed, forged_marker }
            }
        });
        item
    }
}
