//! What stays of a record whose texts were removed, and of a session that was erased.
//!
//! A tombstone is a payload of the form `{"redacted":"<hash>","event":{…}}`. The hash is that of the payload before; in a
//! record of version 1, whose hash covers the payload itself, that of the whole record. So the chain holds without the
//! text. The event is what the fold needs. A later record of the kind `records.redacted` names each tombstone with its
//! hash: a tombstone that no such record names is not accepted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::record::{Record, SessionId};
use crate::error::JournalError;

/// The kind of a record that says which records were redacted.
pub(crate) const REDACTED: &str = "records.redacted";
/// The kind of the one record that stays of a session that was erased.
pub(crate) const ERASED: &str = "session.erased";

const BEGIN: &str = r#"{"redacted":""#;
const MIDDLE: &str = r#"","event":"#;
/// The digits of a hash.
const HASH: usize = 64;

/// A record that was redacted, with the hash of what is left of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RedactedRecord {
    pub(crate) seq: u64,
    pub(crate) hash: String,
}

/// Splits a tombstone into its hash and its event; `None` for any other payload.
pub(super) fn parts(payload: &str) -> Option<(&str, &str)> {
    let (hash, rest) = payload.strip_prefix(BEGIN)?.split_at_checked(HASH)?;
    let event = rest.strip_prefix(MIDDLE)?.strip_suffix('}')?;
    hash.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')).then_some((hash, event))
}

/// Returns the event in a payload: what is left in a tombstone, all of any other one.
pub(crate) fn event(payload: &str) -> &str {
    parts(payload).map_or(payload, |(_, event)| event)
}

impl Record {
    /// Returns `true` where texts of the record were removed by [`redact_session`](crate::redact_session).
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        parts(&self.payload).is_some()
    }

    /// The same record with another event in place of the present one. Its hash does not change.
    pub(crate) fn with_tombstone(&self, event: &str) -> Self {
        let hash = match parts(&self.payload) {
            Some((hash, _)) => hash.to_owned(),
            None if self.covers_payload() => self.hash(),
            None => blake3::hash(self.payload.as_bytes()).to_hex().to_string(),
        };
        Self { payload: [BEGIN, &hash, MIDDLE, event, "}"].concat().into(), ..self.clone() }
    }
}

/// Which records a session says it redacted, with the hash of what is left of each.
pub(crate) fn announced(records: &[Record]) -> Result<BTreeMap<u64, String>, JournalError> {
    let mut announced = BTreeMap::new();
    for record in records {
        let Some(Announcement { session: None, records, .. }) = Announcement::of(record)? else { continue };
        announced.extend(records.into_iter().map(|RedactedRecord { seq, hash }| (seq, hash)));
    }
    Ok(announced)
}

/// What a record of the kind `records.redacted` says.
#[derive(Deserialize)]
pub(crate) struct Announcement {
    /// The session of the records; `None` for that of the announcement.
    #[serde(default)]
    pub(crate) session: Option<SessionId>,
    pub(crate) records: Vec<RedactedRecord>,
}

impl Announcement {
    pub(crate) fn of(record: &Record) -> Result<Option<Self>, JournalError> {
        if record.kind != REDACTED {
            return Ok(None);
        }
        serde_json::from_str(&record.payload).map(Some).map_err(|error| JournalError::Unreadable {
            seq: record.seq,
            kind: record.kind.to_string(),
            reason: error.to_string(),
        })
    }
}

/// Checks that every tombstone of a session, of which these are all records, is one that the session names.
pub(crate) fn check(records: &[Record]) -> Result<(), JournalError> {
    if !records.iter().any(Record::is_redacted) {
        return Ok(());
    }
    let announced = announced(records)?;
    for record in records.iter().filter(|record| record.is_redacted()) {
        let broken = |reason| Err(JournalError::Broken { seq: record.seq, reason });
        match announced.get(&record.seq) {
            None => return broken("lost its content, and no later event says that it was redacted"),
            Some(hash) if *hash != record.hash_as_kept() => {
                return broken("was changed after it was redacted");
            }
            Some(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn only_the_exact_form_is_a_tombstone() {
        let hash = "0123456789abcdef".repeat(4);
        let whole = format!(r#"{{"redacted":"{hash}","event":{{"a":1}}}}"#);
        assert_eq!(parts(&whole), Some((&*hash, r#"{"a":1}"#)));
        for other in ["", "{}", r#"{"redacted":"ab","event":{}}"#, &whole[..whole.len() - 8]] {
            assert!(parts(other).is_none_or(|(_, event)| event != r#"{"a":1}"#), "{other}");
        }
        assert_eq!(parts(&whole.replace('f', "F")), None);
        assert_eq!(parts(&whole.replace("0123", "ä12")), None);
    }
}
