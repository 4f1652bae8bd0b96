//! What a host can hold against a journal: a key, and the place where a session ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::record::{Record, SessionId};
use crate::error::JournalError;

/// The member of a payload that holds the code.
const MEMBER: &str = r#""chain_mac":""#;
/// The digits of a code.
const DIGITS: usize = 64;
/// Separates these codes from other uses of the key.
const CONTEXT: &[u8] = b"polyloop.chain_mac.1";

/// A secret that makes a journal's chain unforgeable: set by [`AgentBuilder::chain_key`](crate::AgentBuilder::chain_key).
///
/// The last record of every append carries a code (BLAKE3 with the key) that covers it and, through the chain, everything
/// before it. A session whose last record has no valid code is not opened: a record was edited, appended or cut off by
/// somebody without the key. An older state of the whole session has a valid code too; a [`Head`] that is kept elsewhere
/// detects that.
#[derive(Clone)]
pub struct ChainKey {
    key: [u8; 32],
    accepts_unkeyed: bool,
}

impl ChainKey {
    /// Takes 32 random bytes.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self { key, accepts_unkeyed: false }
    }

    /// Opens also sessions whose last record has no code at all. For sessions from before the key was used: whoever can
    /// write to the store can remove the codes of a session, so leave this out once all of them have one.
    #[must_use]
    pub fn accept_unkeyed(mut self) -> Self {
        self.accepts_unkeyed = true;
        self
    }

    /// Adds the code to the payload of a record.
    pub(super) fn sign(&self, record: &mut Record) {
        let code = self.code(record).to_hex();
        if let Some(open) = record.payload.strip_suffix('}') {
            let comma = if open.ends_with('{') { "" } else { "," };
            record.payload = [open, comma, MEMBER, &code, "\"}"].concat().into();
        }
    }

    /// Checks the last record of a session.
    pub(crate) fn check(&self, last: &Record) -> Result<(), JournalError> {
        let broken = |reason| Err(JournalError::Broken { seq: last.seq, reason });
        let Some((payload, code)) = split(&last.payload) else {
            if self.accepts_unkeyed {
                return Ok(());
            }
            return broken(
                "is the last one and carries no code of the chain's key: it was changed, events behind it were cut off, or \
                 the session was written without the key (`ChainKey::accept_unkeyed` opens such a one)",
            );
        };
        let bare = Record { payload: payload.into(), ..last.clone() };
        // The comparison takes the same time wherever they differ.
        if blake3::Hash::from_hex(code).is_ok_and(|code| code == self.code(&bare)) {
            return Ok(());
        }
        broken(
            "is the last one and its code is not that of the chain's key: it was changed, or the key is another one",
        )
    }

    fn code(&self, record: &Record) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(CONTEXT).update(record.hash_as_kept().as_bytes());
        hasher.finalize()
    }
}

/// Splits a payload into what it was before the code was added, and the code.
fn split(payload: &str) -> Option<(String, &str)> {
    let open = payload.strip_suffix("\"}")?;
    let (rest, code) = open.split_at_checked(open.len().checked_sub(DIGITS)?)?;
    let rest = rest.strip_suffix(MEMBER)?;
    Some((format!("{}}}", rest.strip_suffix(',').unwrap_or(rest)), code))
}

/// Whether a record carries a code.
pub(crate) fn is_signed(record: &Record) -> bool {
    split(&record.payload).is_some()
}

impl fmt::Debug for ChainKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChainKey")
            .field("accepts_unkeyed", &self.accepts_unkeyed)
            .finish_non_exhaustive()
    }
}

/// The place where a session ended when somebody looked: made by [`Run::head`](crate::Run::head) and
/// [`session_head`](crate::session_head).
///
/// A host that keeps it outside the store can require it later, with
/// [`Resumption::expecting`](crate::Resumption::expecting): then a session that was truncated, replaced by an older copy or
/// changed before this place is refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(Default))]
pub struct Head {
    /// The session.
    pub session: SessionId,
    /// The number of records that it had.
    pub records: u64,
    /// The hash of the last of them, as hexadecimal digits; it covers all.
    pub hash: String,
}

impl Head {
    /// Checks that a session, of which these are all records, went on from here or ends here.
    pub(crate) fn check(&self, session: &SessionId, records: &[Record]) -> Result<(), JournalError> {
        let last = self.records.checked_sub(1).and_then(|last| records.get(usize::try_from(last).ok()?));
        let found = last.filter(|_| self.session == *session).map(Record::hash);
        if found.as_ref() == Some(&self.hash) {
            return Ok(());
        }
        Err(JournalError::OtherHead {
            session: session.to_string(),
            expected: self.to_string(),
            found: records.len() as u64,
        })
    }
}

impl fmt::Display for Head {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}` with {} records, the last with the hash `{}`",
            self.session, self.records, self.hash
        )
    }
}
