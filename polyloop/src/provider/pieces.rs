//! A message in pieces, in the order in which a provider is to get them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Asked;
use super::asked::called;
use super::state::{State, States};
use crate::message::{Content, Image, Message};

/// One piece of a message.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// A text. The texts of one item are one.
    Text {
        /// What is said.
        text: Cow<'a, str>,
        /// What the provider added to it.
        with: Map<String, Value>,
    },
    /// An image.
    Image(&'a Image),
    /// A call.
    Call {
        /// The library's id of it.
        id: &'a str,
        /// The tool.
        name: Cow<'a, str>,
        /// A JSON object.
        arguments: Cow<'a, str>,
        /// What the provider added to it.
        with: Map<String, Value>,
    },
    /// The result of a call.
    Result {
        /// The id of the call.
        call: &'a str,
        /// The tool.
        tool: Cow<'a, str>,
        /// What it is.
        text: Cow<'a, str>,
    },
    /// What only the provider can read.
    Opaque(Value),
}

/// The pieces of a message. What a provider added to a reply stands at its place if it is this provider; if not, it is left
/// out.
pub(crate) fn pieces<'a>(message: &'a Message, asked: &Asked<'a>) -> Vec<Piece<'a>> {
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    let mut state = None;
    let mut item = None;
    for block in message.blocks() {
        let goes_on = item.replace(block.origin().item()) == Some(block.origin().item());
        match block.content() {
            Content::Text { text } => match pieces.last_mut() {
                Some(Piece::Text { text: before, .. }) if goes_on => *before += &**text,
                _ => pieces.push(Piece::Text { text: Cow::Borrowed(text), with: Map::new() }),
            },
            Content::Image { image } => pieces.push(Piece::Image(image)),
            Content::ToolCall { id, name, arguments } => {
                let arguments = asked.arguments(name, arguments);
                pieces.push(Piece::Call { id, name: called(name), arguments, with: Map::new() });
            }
            Content::ToolResult { call, parts } => {
                let tool = called(block.origin().tool().unwrap_or_default());
                pieces.push(Piece::Result { call, tool, text: joined(parts.iter().map(|part| &**part)) });
            }
            Content::ProviderState { state: known } => state = Some(known),
        }
    }
    let (mut bytes, mut calls) = (0, 0);
    for piece in &pieces {
        match piece {
            Piece::Text { text, .. } => bytes += text.len(),
            Piece::Call { .. } => calls += 1,
            _ => {}
        }
    }
    match state.and_then(|state| States::of(state, asked.provider, bytes, calls)) {
        Some(states) => arranged(pieces, states),
        None => pieces,
    }
}

/// The pieces of a reply where the provider had them, with what it added.
fn arranged(pieces: Vec<Piece<'_>>, states: Vec<State>) -> Vec<Piece<'_>> {
    let mut said = String::new();
    let mut calls = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text { text, .. } => said += &text,
            call => calls.push(call),
        }
    }
    let mut said = said.as_str();
    let mut calls = calls.into_iter();
    let mut arranged = Vec::new();
    for state in states {
        match state {
            State::Opaque(value) => arranged.push(Piece::Opaque(value)),
            State::Text { bytes, with } => {
                let (text, rest) = said.split_at_checked(bytes).unwrap_or((said, ""));
                said = rest;
                if !text.is_empty() || !with.is_empty() {
                    arranged.push(Piece::Text { text: Cow::Owned(text.to_owned()), with });
                }
            }
            State::Call { with: added } => {
                arranged.extend(calls.next().map(|call| match call {
                    Piece::Call { id, name, arguments, .. } => {
                        Piece::Call { id, name, arguments, with: added }
                    }
                    other => other,
                }));
            }
        }
    }
    arranged
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> Cow<'a, str> {
    let mut joined = Cow::Borrowed("");
    for text in texts {
        joined += text;
    }
    joined
}
