//! A JSON object of a history: its members, or the mistake in them with its place.

use serde_json::{Map, Value};

use crate::error::{HistoryError, HistoryFault, HistoryPlace};

/// An object, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object<'v> {
    pub(super) place: HistoryPlace,
    members: &'v Map<String, Value>,
}

impl<'v> Object<'v> {
    pub(super) fn of(place: HistoryPlace, value: &'v Value) -> Result<Self, HistoryError> {
        let object = value.as_object().map(|members| Self { place, members });
        object.ok_or_else(|| HistoryError::new(place, HistoryFault::NoObject))
    }

    /// A mistake in it.
    pub(super) fn fault(self, reason: HistoryFault) -> HistoryError {
        HistoryError::new(self.place, reason)
    }

    /// A member that is there, and not null.
    pub(super) fn get(self, member: &str) -> Option<&'v Value> {
        self.members.get(member).filter(|value| !value.is_null())
    }

    /// A member that is text, where it is.
    pub(super) fn text_if_any(self, member: &str) -> Option<&'v str> {
        self.get(member).and_then(Value::as_str)
    }

    /// A member that must be text.
    pub(super) fn text(self, member: &'static str, says: &'static str) -> Result<&'v str, HistoryError> {
        let missing = || self.fault(HistoryFault::Missing { member, says });
        let value = self.get(member).ok_or_else(missing)?;
        value.as_str().ok_or_else(|| self.fault(HistoryFault::Unfit { member, wanted: "a string" }))
    }

    /// A member that must be an object, where it is there.
    pub(super) fn object(self, member: &'static str) -> Result<Option<Self>, HistoryError> {
        let unfit = |_| self.fault(HistoryFault::Unfit { member, wanted: "an object" });
        self.get(member).map(|value| Self::of(self.place, value).map_err(unfit)).transpose()
    }

    /// A member that must be a list, where it is there.
    pub(super) fn list(self, member: &'static str) -> Result<&'v [Value], HistoryError> {
        match self.get(member) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(self.fault(HistoryFault::Unfit { member, wanted: "a list" })),
        }
    }

    /// A member as JSON text: a string is text that is JSON already.
    pub(super) fn json(self, member: &'static str, says: &'static str) -> Result<String, HistoryError> {
        let missing = || self.fault(HistoryFault::Missing { member, says });
        Ok(match self.get(member).ok_or_else(missing)? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }
}
