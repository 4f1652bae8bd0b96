//! Notes that wait for the next input: queued, withdrawn, and gone when their time passed.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Session;
use crate::event::{Event, NoteEnd, NoteId, RecordedFragment};
use crate::fragment::Lifetime;
use crate::registry::{Registered, Registry};

impl<R: Registry> Session<R> {
    /// Withdraws the notes of a type that wait for the next input, and returns how many these were. The model is not told them.
    pub fn withdraw_notes<F: Registered<R>>(&mut self) -> usize {
        self.withdraw(const { F::SPEC }.kind)
    }

    /// Records that the notes of a kind are withdrawn.
    pub(crate) fn withdraw(&mut self, kind: &str) -> usize {
        let notes = self.notes_of(kind);
        for note in &notes {
            self.append(Event::NoteWithdrawn { note: *note, why: NoteEnd::Withdrawn });
        }
        notes.len()
    }

    /// Records that a note waits, at most until a time. An earlier note of the same `latest` kind is withdrawn.
    pub(crate) fn queue_note(&mut self, fragment: RecordedFragment, until: Option<SystemTime>) {
        if fragment.spec.lifetime == Lifetime::Latest {
            for note in self.notes_of(fragment.spec.kind) {
                self.append(Event::NoteWithdrawn { note, why: NoteEnd::Superseded });
            }
        }
        let note = self.new_note();
        self.append(Event::NoteQueued { note, fragment, until: until.map(millis) });
    }

    /// The notes whose time passed.
    pub(super) fn expired_notes(&self) -> Vec<NoteId> {
        let now = self.clock.as_ref().map(|clock| millis(clock()));
        now.map(|now| self.ledger.expired_notes(now).collect()).unwrap_or_default()
    }

    fn notes_of(&self, kind: &str) -> Vec<NoteId> {
        let notes = self.ledger.notes().filter(|(_, waits)| waits.spec.kind == kind);
        notes.map(|(note, _)| note).collect()
    }
}

/// Milliseconds since 1970; 0 for a time before.
fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
