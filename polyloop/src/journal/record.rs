//! What a store keeps: one record for each event, chained by hash.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Identifies a session in a journal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionId(Arc<str>);

impl SessionId {
    /// Makes an id that no other session has; later ones sort behind earlier ones.
    pub(crate) fn mint() -> Self {
        Self(Uuid::now_v7().to_string().into())
    }

    pub(crate) fn text(&self) -> Arc<str> {
        self.0.clone()
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SessionId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl From<String> for SessionId {
    fn from(id: String) -> Self {
        Self(id.into())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Holds one event as a store keeps it. A store neither reads nor changes the payload.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Record {
    /// The session.
    pub session: SessionId,
    /// The place in the session: contiguous, from 0.
    pub seq: u64,
    /// The run inside the session, counted from 1.
    pub run: u64,
    /// The lease under which it was written.
    pub epoch: u64,
    /// What happened, such as `prompt.sealed`.
    pub kind: Cow<'static, str>,
    /// The version of the payload's form.
    pub v: u32,
    /// The hash of the record before, as hexadecimal digits; zeros for the first one.
    pub prev_hash: Arc<str>,
    /// Whether a reader that does not know the kind may pass over it.
    pub ignorable: bool,
    /// The event, as JSON text.
    pub payload: Arc<str>,
    /// When it was recorded, in milliseconds since 1970. Nothing is decided by it.
    pub at: u64,
}

impl Record {
    /// Returns the hash over all fields, as hexadecimal digits: what the next record names as the one before it.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let numbers = [self.seq, self.run, self.epoch, self.v.into(), self.ignorable.into(), self.at];
        for number in numbers {
            hasher.update(&number.to_le_bytes());
        }
        for text in [self.session.as_str(), &self.kind, &self.prev_hash, &self.payload] {
            // With its length in front, so that no two records run together to the same bytes.
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}
