//! The start of a turn, worked out once.

use super::Session;
use super::doors::Resolved;
use super::words::{Recorded, Words};
use crate::error::{RecordError, RecordErrorKind};
use crate::event::{NoteId, RecordedFragment, UserInput};
use crate::fragment::Rendered;
use crate::message::{Message, Role};
use crate::registry::Registry;

/// What the start of a turn worked out, once: what is going to be recorded, and how large the prompt becomes.
///
/// It is made by one function, for requests, follow-ups, runs inside calls, and what is said meanwhile;
/// [`Session::next_turn`] shows what it comes to. [`Run::turn`](crate::Run::turn) tells what a run began with.
#[derive(Clone, Debug)]
pub struct TurnContext {
    pub(super) resolved: Vec<Resolved>,
    position: usize,
    chars: usize,
    left: Vec<RecordError>,
}

impl TurnContext {
    /// Returns a person's words as they are sent to the model; none where a fragment says what the run is for.
    #[must_use]
    pub fn input(&self) -> Option<&UserInput> {
        self.words().map(|(input, _)| input)
    }

    /// Returns a person's words as they were typed: what a search and a memory go by.
    #[must_use]
    pub fn typed(&self) -> Option<&UserInput> {
        self.words().map(|(input, typed)| typed.unwrap_or(input))
    }

    /// Returns how many items stand before the turn.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the size that the prompt has with the turn in it, in characters, as long as nothing more is said.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// Returns the notes that are told, in the order in which they were queued: the kind of each, and its text.
    pub fn notes(&self) -> impl Iterator<Item = (&'static str, &Rendered)> {
        self.resolved.iter().filter_map(|resolved| match resolved {
            Resolved::Note(_, fragment) => Some((fragment.spec.kind, &*fragment.rendered)),
            _ => None,
        })
    }

    /// Returns why notes wait on: there are more of their kind than one turn may record.
    #[must_use]
    pub fn notes_left(&self) -> &[RecordError] {
        &self.left
    }

    /// Whether anything is told but notes.
    pub(crate) fn says_something(&self) -> bool {
        let says =
            |resolved: &Resolved| matches!(resolved, Resolved::Fragment { .. } | Resolved::Input { .. });
        self.resolved.iter().any(says)
    }

    fn words(&self) -> Option<(&UserInput, Option<&UserInput>)> {
        self.resolved.iter().find_map(|resolved| match resolved {
            Resolved::Input { input, typed, .. } => Some((input, typed.as_ref())),
            _ => None,
        })
    }
}

impl<R: Registry> Session<R> {
    /// Works out what a turn with a person's words would begin with. Nothing is recorded.
    ///
    /// # Errors
    ///
    /// As [`say`](Self::say).
    pub fn next_turn(&mut self, input: impl Into<UserInput>) -> Result<TurnContext, RecordError> {
        self.turn(&[Words::input(input.into())?])
    }

    /// Works out what a turn begins with: all notes that wait, then these words.
    pub(crate) fn turn(&mut self, words: &[Words]) -> Result<TurnContext, RecordError> {
        let (resolved, left) = self.opening(words)?;
        let position = self.ledger.items().len();
        let stands = self.prompt().chars();
        let chars = resolved.iter().fold(stands, |chars, said| said.added_to(chars, &self.ledger));
        Ok(TurnContext { resolved, position, chars, left })
    }

    /// What is recorded of all notes that wait and these words, and why notes wait on. Nothing is projected for it.
    pub(super) fn opening(&self, words: &[Words]) -> Result<(Vec<Resolved>, Vec<RecordError>), RecordError> {
        let expired = self.expired_notes();
        let mut notes: Vec<(NoteId, RecordedFragment)> =
            self.ledger.notes().map(|(note, fragment)| (note, fragment.clone())).collect();
        notes.retain(|(note, _)| !expired.contains(note));
        let mut left = Vec::new();
        loop {
            let error = match self.resolve(Recorded::default(), &expired, &notes, words) {
                Ok(resolved) => return Ok((resolved, left)),
                Err(error) => error,
            };
            // Whoever begins a turn knows nothing of the notes, and is not refused for them: the last one waits on.
            let too_many = matches!(error.reason(), RecordErrorKind::TooMany { .. });
            match notes.iter().rposition(|(_, note)| note.spec.kind == error.kind()) {
                Some(last) if too_many => drop(notes.remove(last)),
                _ => return Err(error),
            }
            left.push(error);
        }
    }

    /// Records what a turn begins with.
    pub(crate) fn begin(&mut self, turn: &TurnContext) {
        for resolved in &turn.resolved {
            self.take(resolved.clone());
        }
    }

    /// The same session once more, with what a turn begins with.
    pub(crate) fn with(&self, turn: &TurnContext) -> Self {
        let mut then = self.twin();
        then.begin(turn);
        then
    }

    /// Returns `true` if the first message of the conversation is not one to the model, but a reply of it or a result.
    pub(crate) fn begins_with_reply(&mut self) -> bool {
        let prompt = self.prompt();
        let mut roles = prompt.messages().map(Message::role);
        let first = roles.find(|role| !matches!(role, Role::System | Role::Developer));
        matches!(first, Some(Role::Assistant | Role::Tool))
    }
}
