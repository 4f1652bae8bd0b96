//! What a store keeps: one record for each event, chained by hash.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::tombstone;

/// Identifies a session in a journal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(Default))]
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
    /// The version of the record: of the payload's form, and of the form of the hash.
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
    /// Returns the hash of the record, as hexadecimal digits: the value that the next record has as its `prev_hash`.
    ///
    /// It covers all fields. From version 2 on it covers the payload by its hash, so it stays the same where the payload
    /// was [redacted](crate::redact_session). The page `docs/20-chain.md` states the exact form.
    #[must_use]
    pub fn hash(&self) -> String {
        match tombstone::parts(&self.payload) {
            Some((whole, _)) if self.covers_payload() => whole.to_owned(),
            Some((payload, _)) => self.hash_with(payload),
            None if self.covers_payload() => self.hash_with(&self.payload),
            None => self.hash_as_kept(),
        }
    }

    /// The hash of the record with the payload that it has now, also where that is a tombstone.
    pub(crate) fn hash_as_kept(&self) -> String {
        self.hash_with(&blake3::hash(self.payload.as_bytes()).to_hex())
    }

    /// Whether the hash of the record covers the payload itself.
    pub(super) fn covers_payload(&self) -> bool {
        self.v < 2
    }

    fn hash_with(&self, payload: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        let numbers = [self.seq, self.run, self.epoch, self.v.into(), self.ignorable.into(), self.at];
        for number in numbers {
            hasher.update(&number.to_le_bytes());
        }
        for text in [self.session.as_str(), &self.kind, &self.prev_hash, payload] {
            // With its length in front, so that no two records run together to the same bytes.
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}
