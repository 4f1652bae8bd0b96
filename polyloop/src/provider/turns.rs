//! The turns of a conversation in which two speakers alternate.
//!
//! Some interfaces know a system part in front, and then a person and the model by turns. So what a prompt says there first, as
//! `system` or `developer`, is the system part; what is said so later, and every result of a call, is said to the model as a
//! person's words are; and neighbours who speak in one role are one turn. It is a fixed step of the interface, part of its
//! version, and what comes of it is under the seal's hash.
//!
//! From version 2 of the bodies, what is said later as `system` or `developer` is put between the markers `<developer_note>` and
//! `</developer_note>`, since nothing else tells it from what a person typed. The `<` of such a marker inside any text of that side
//! becomes `&lt;`, so no text can forge or end a note.

use std::borrow::Cow;

use super::{Asked, Piece, pieces};
use crate::message::Role;

/// What one side says before the other one does.
#[derive(Debug)]
pub(crate) struct Side<'a> {
    /// Whether the model speaks.
    pub(crate) model: bool,
    /// What is said, with the number of the message that says it, counted from 0.
    pub(crate) pieces: Vec<(usize, Piece<'a>)>,
}

/// A prompt as a system part and turns.
#[derive(Debug, Default)]
pub(crate) struct Turns<'a> {
    /// The system part, with the numbers of its messages.
    pub(crate) system: Vec<(usize, Piece<'a>)>,
    /// The turns.
    pub(crate) turns: Vec<Side<'a>>,
}

/// Brings a prompt into turns.
pub(crate) fn turns<'a>(asked: &Asked<'a>) -> Turns<'a> {
    let mut all = Turns::default();
    for (number, message) in asked.prompt.messages().enumerate() {
        let model = message.role() == Role::Assistant;
        let operator = matches!(message.role(), Role::System | Role::Developer);
        let in_front = operator && all.turns.is_empty();
        let marked = |piece| match piece {
            Piece::Text { text, with } if asked.marks_notes && !model && !in_front => {
                Piece::Text { text: if operator { note(&text) } else { without_markers(text) }, with }
            }
            piece => piece,
        };
        let said = pieces(message, asked).into_iter().map(|piece| (number, marked(piece)));
        match all.turns.last_mut() {
            None if operator => all.system.extend(said),
            Some(last) if last.model == model => last.pieces.extend(said),
            _ => all.turns.push(Side { model, pieces: said.collect() }),
        }
    }
    all
}

/// The names of the markers, as they begin.
const MARKERS: [&str; 2] = ["<developer_note", "</developer_note"];

/// A text of the operator, between the markers.
fn note(text: &str) -> Cow<'static, str> {
    format!("<developer_note>{}</developer_note>", without_markers(Cow::Borrowed(text))).into()
}

/// A text in which no marker begins.
fn without_markers(text: Cow<'_, str>) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let begins = |at: &usize| {
        let begins_with = |marker: &str| {
            let here = bytes.get(*at..*at + marker.len());
            here.is_some_and(|here| here.eq_ignore_ascii_case(marker.as_bytes()))
        };
        MARKERS.into_iter().any(begins_with)
    };
    let places: Vec<usize> = text.match_indices('<').map(|(at, _)| at).filter(begins).collect();
    if places.is_empty() {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 3 * places.len());
    let mut copied = 0;
    for at in places {
        escaped.push_str(text.get(copied..at).unwrap_or_default());
        escaped.push_str("&lt;");
        copied = at + 1;
    }
    escaped.push_str(text.get(copied..).unwrap_or_default());
    escaped.into()
}
