//! The order of a reply's parts, with what only the provider can read of it.
//!
//! A provider signs or encrypts what its model thought, and wants it back at its place. The texts and calls themselves are in
//! the journal already; so a state holds the rest, and where each of them stood.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::ProviderState;

/// One part of a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// What only the provider can read.
    Opaque(Value),
    /// A text.
    Text {
        /// Its length in bytes.
        bytes: usize,
        /// What the provider adds to it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        with: Map<String, Value>,
    },
    /// A call.
    Call {
        /// What the provider adds to it.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        with: Map<String, Value>,
    },
}

/// The parts of a reply, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct States(Vec<State>);

impl States {
    /// Adds what only the provider can read.
    pub(crate) fn opaque(&mut self, value: Value) {
        self.0.push(State::Opaque(value));
    }

    /// Adds a text of so many bytes. It goes on with the one before, if the provider adds nothing to either.
    pub(crate) fn text(&mut self, more: usize, added: Map<String, Value>) {
        match self.0.last_mut() {
            _ if more == 0 && added.is_empty() => {}
            Some(State::Text { bytes, with }) if with.is_empty() && added.is_empty() => *bytes += more,
            _ => self.0.push(State::Text { bytes: more, with: added }),
        }
    }

    /// Adds a call.
    pub(crate) fn call(&mut self, with: Map<String, Value>) {
        self.0.push(State::Call { with });
    }

    /// The state that is to go back; none where the texts and calls alone say everything.
    pub(crate) fn into_state(self, provider: &str) -> Option<ProviderState> {
        let adds = |state: &State| match state {
            State::Opaque(_) => true,
            State::Text { with, .. } | State::Call { with } => !with.is_empty(),
        };
        if !self.0.iter().any(adds) {
            return None;
        }
        let data = serde_json::to_string(&self.0).unwrap_or_default();
        Some(ProviderState::new(provider, data))
    }

    /// Reads a state back, if it came from this provider and belongs to a reply of so many bytes of text and so many
    /// calls.
    pub(super) fn of(
        state: &ProviderState,
        provider: &str,
        text_bytes: usize,
        call_count: usize,
    ) -> Option<Vec<State>> {
        if state.provider() != provider {
            return None;
        }
        let states: Vec<State> = serde_json::from_str(state.data()).ok()?;
        let (mut texts, mut calls) = (0_usize, 0_usize);
        for state in &states {
            match state {
                // Whatever a provider gives is an object; something else would spoil the whole body.
                State::Opaque(value) if !value.is_object() => return None,
                State::Opaque(_) => {}
                State::Text { bytes, .. } => texts = texts.checked_add(*bytes)?,
                State::Call { .. } => calls += 1,
            }
        }
        // White space beside calls is not kept as a text of its own.
        (calls == call_count && (texts == text_bytes || text_bytes == 0)).then_some(states)
    }
}
