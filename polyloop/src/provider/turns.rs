//! The turns of a conversation in which two speakers alternate.
//!
//! Some interfaces know a system part in front, and then a person and the model by turns. So what a prompt says there first, as
//! `system` or `developer`, is the system part; what is said so later, and every result of a call, is said to the model as a
//! person's words are; and neighbours who speak in one role are one turn. It is a fixed step of the interface, part of its
//! version, and what comes of it is under the seal's hash.

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
        let said = pieces(message, asked).into_iter().map(|piece| (number, piece));
        let model = message.role() == Role::Assistant;
        match all.turns.last_mut() {
            None if matches!(message.role(), Role::System | Role::Developer) => all.system.extend(said),
            Some(last) if last.model == model => last.pieces.extend(said),
            _ => all.turns.push(Side { model, pieces: said.collect() }),
        }
    }
    all
}
