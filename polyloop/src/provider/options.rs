//! The options that every interface has.

use std::sync::Arc;

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value;

use super::{ProviderError, Spec};
use crate::dialect::SchemaReader;

/// What stands in every body of a client.
#[derive(Clone, Debug)]
pub struct Options {
    /// The model's name.
    pub model: String,
    /// How much chance there is in the choice of words.
    pub temperature: Option<f64>,
    /// How many tokens a reply may have.
    pub max_tokens: Option<u32>,
    /// Whether one reply may hold several calls.
    pub parallel_tool_calls: Option<bool>,
    /// Whether the server sends the reply piece by piece.
    pub stream: bool,
    /// How tools are written.
    pub schemas: SchemaReader,
    /// The version of the bodies.
    pub body_version: u32,
    /// Members of the user's own, in the order given.
    pub parameters: Vec<(String, Value)>,
}

impl Options {
    pub(super) fn new(model: String, spec: &Spec) -> Self {
        Self {
            model,
            temperature: None,
            max_tokens: None,
            parallel_tool_calls: None,
            stream: true,
            schemas: spec.schemas,
            body_version: spec.version,
            parameters: Vec::new(),
        }
    }

    pub(super) fn check(&self, spec: &Spec) -> Result<(), ProviderError> {
        if self.model.trim().is_empty() {
            return Err(ProviderError::EmptyModel);
        }
        let refuse = |name: &str, reason| Err(ProviderError::Parameter { name: name.to_owned(), reason });
        if self.temperature.is_some_and(|temperature| !temperature.is_finite()) {
            return refuse("temperature", "is no finite number");
        }
        if !(1..=spec.version).contains(&self.body_version) {
            return refuse("body_version", "is no version of the bodies that this client makes");
        }
        let names: Vec<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        for (position, name) in names.iter().enumerate() {
            if spec.own_members.contains(name) {
                return refuse(name, "is written by the client; use its own option");
            }
            if names.iter().take(position).any(|earlier| earlier == name) {
                return refuse(name, "is set twice; keep one");
            }
        }
        Ok(())
    }

    /// Writes the members of the user's own.
    pub(crate) fn own<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.parameters.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}

/// Writes a member if there is a value.
pub(crate) fn entry<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: Option<&impl Serialize>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}

/// What a reader of answers needs to know of the request.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Whose state it is that a reply may bring.
    pub provider: Arc<str>,
}
