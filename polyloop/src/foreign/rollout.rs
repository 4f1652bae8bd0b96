//! Rollouts of Codex: a line for each thing that happened, in the order in which it did.
//!
//! The forms are those that its own types `RolloutItem` and `ResponseItem` write, and the bare items of its early
//! versions.

use serde_json::Value;

use super::left_out::LeftOut;
use super::object::Object;
use super::reader::Reader;
use super::{Author, Entry, Part, Spoken};
use crate::error::{HistoryError, HistoryFault, HistoryPlace};
use crate::message::Role;

/// What a rollout tells so far.
#[derive(Debug, Default)]
pub(super) struct Rollout {
    pub(super) reader: Reader,
    /// What a person typed, as the program recorded it beside the messages.
    typed: Vec<String>,
    /// Those of it that no message was found for yet.
    unmatched: Vec<String>,
    /// Whether the program records what a person types.
    pub(super) records_typed: bool,
}

impl Rollout {
    /// Reads one line.
    pub(super) fn line(&mut self, place: HistoryPlace, line: &str) -> Result<(), HistoryError> {
        let unreadable = |error: serde_json::Error| {
            // The line that it names is always the first one of this line.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            let message = format!("{message}, column {}", error.column());
            HistoryError::new(place, HistoryFault::NotJson { message })
        };
        let value: Value = serde_json::from_str(line).map_err(unreadable)?;
        let line = Object::of(place, &value)?;
        let Some(payload) = line.get("payload") else { return self.bare(line, &value) };
        match line.text("type", "what the line holds")? {
            "response_item" => self.item(place, payload),
            "session_meta" => {
                self.session(Object::of(place, payload)?);
                Ok(())
            }
            "event_msg" => {
                self.event(Object::of(place, payload)?);
                Ok(())
            }
            "compacted" => self.compacted(Object::of(place, payload)?),
            // What was so while the model was asked; what it was told of it stands in the messages.
            "turn_context" | "world_state" => Ok(()),
            other => {
                self.reader.left_out.add(LeftOut::Other(other.to_owned()));
                Ok(())
            }
        }
    }

    /// A line of an early version: the item, or what is known of the session, by itself.
    fn bare(&mut self, line: Object<'_>, value: &Value) -> Result<(), HistoryError> {
        if line.get("record_type").is_some() {
            return Ok(());
        }
        if line.get("type").is_some() || line.get("role").is_some() {
            return self.item(line.place, value);
        }
        if line.get("id").is_some() && line.get("timestamp").is_some() {
            self.session(line);
            return Ok(());
        }
        Err(line.fault(HistoryFault::NoRolloutLine))
    }

    fn item(&mut self, place: HistoryPlace, item: &Value) -> Result<(), HistoryError> {
        self.reader.read(place, item)?;
        if let Some(Entry::Spoken(spoken)) = self.reader.entries.last_mut()
            && spoken.is_by_nobody_known()
            && let Some((at, author)) =
                (0..).zip(&self.unmatched).find_map(|(at, words)| Some((at, spoken.typed(words)?)))
        {
            spoken.author = author;
            self.unmatched.remove(at);
        }
        Ok(())
    }

    fn session(&mut self, meta: Object<'_>) {
        let has_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
        let base = meta.get("base_instructions").and_then(|base| base.get("text"));
        if base.or_else(|| meta.get("instructions")).is_some_and(has_text) {
            self.reader.left_out.add(LeftOut::Instructions);
        }
    }

    fn event(&mut self, event: Object<'_>) {
        match event.text_if_any("type") {
            Some("user_message") => {
                self.records_typed = true;
                // Early versions told so of their own messages as well, with another kind.
                let is_typed = event.text_if_any("kind").is_none_or(|kind| kind == "plain");
                let words = event.text_if_any("message").filter(|words| !words.trim().is_empty());
                match words {
                    Some(words) if is_typed => self.typed(words),
                    None if is_typed && shows_images(event) => self.shown(),
                    _ => {}
                }
            }
            Some("thread_rolled_back") => {
                let turns = event.get("num_turns").and_then(Value::as_u64).unwrap_or_default();
                self.roll_back(usize::try_from(turns).unwrap_or(usize::MAX));
            }
            _ => {}
        }
    }

    /// Notes that a person typed these words. The message stands before or behind the event.
    fn typed(&mut self, words: &str) {
        self.typed.push(words.to_owned());
        if !self.is_by_a_person(|spoken| spoken.typed(words)) {
            self.unmatched.push(words.to_owned());
        }
    }

    /// Notes that a person showed images without a text: those of the last message with images.
    fn shown(&mut self) {
        self.is_by_a_person(Spoken::shown);
    }

    /// Sets the author of the last message without one that `author` accepts; `false` if there is none.
    fn is_by_a_person(&mut self, author: impl Fn(&Spoken) -> Option<Author>) -> bool {
        let spoken = self.reader.entries.iter_mut().rev().filter_map(Entry::spoken_mut);
        let mut unknown = spoken.filter(|spoken| spoken.is_by_nobody_known());
        let found = unknown.find_map(|spoken| author(spoken).map(|author| (spoken, author)));
        found.map(|(spoken, author)| spoken.author = author).is_some()
    }

    /// Takes what stands in the place of everything before: the history as it was replaced, or, in early versions, a
    /// person's words and a summary.
    fn compacted(&mut self, item: Object<'_>) -> Result<(), HistoryError> {
        let summary = item.text_if_any("message").unwrap_or_default();
        let place = item.place;
        let mut before = std::mem::take(&mut self.reader.entries);
        let stood = before.len();
        if item.get("replacement_history").is_some() {
            for replacing in item.list("replacement_history")? {
                self.reader.read(place, replacing)?;
            }
            for spoken in self.reader.entries.iter_mut().filter_map(Entry::spoken_mut) {
                if spoken.role == Role::User && spoken.says(summary) {
                    spoken.author = Author::Summary;
                } else if spoken.role == Role::User
                    && let Some(author) = self.typed.iter().find_map(|words| spoken.typed(words))
                {
                    spoken.author = author;
                }
            }
            self.reader.left_out.add_many(LeftOut::Compacted, stood);
            return Ok(());
        }
        before.retain(|entry| self.is_turn(entry));
        self.reader.left_out.add_many(LeftOut::Compacted, stood - before.len());
        if !summary.trim().is_empty() {
            let (role, author, parts) = (Role::User, Author::Summary, vec![Part::Text(summary.into())]);
            before.push(Entry::Spoken(Spoken { role, author, parts, calls: Vec::new() }));
        }
        self.reader.entries = before;
        Ok(())
    }

    /// Takes the last turns away, each with what the program told the model directly before it; what was told before the
    /// first turn stays.
    fn roll_back(&mut self, turns: usize) {
        let entries = &self.reader.entries;
        let begins: Vec<usize> =
            (0..).zip(entries).filter(|(_, entry)| self.is_turn(entry)).map(|(at, _)| at).collect();
        let first_gone = begins.len().saturating_sub(turns);
        let (Some(first), Some(cut)) = (begins.first(), begins.get(first_gone)) else { return };
        let told = entries.get(*first..*cut).unwrap_or_default().iter().rev();
        let told = told.take_while(|entry| !self.is_turn(entry) && entry.is_told()).count();
        let keep = cut - told;
        self.reader.left_out.add_many(LeftOut::RolledBack, entries.len() - keep);
        self.reader.entries.truncate(keep);
    }

    /// Whether a turn begins here: with a person's words, or, where the program recorded of none whose they are, with
    /// what stands in the role of a person.
    fn is_turn(&self, entry: &Entry) -> bool {
        let Entry::Spoken(spoken) = entry else { return false };
        match spoken.author {
            Author::Person { .. } => true,
            Author::Unknown => spoken.role == Role::User && !self.records_typed,
            Author::Summary => false,
        }
    }
}

/// Returns `true` if a `user_message` event names images.
fn shows_images(event: Object<'_>) -> bool {
    let names_some =
        |member| event.get(member).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    names_some("images") || names_some("local_images")
}
