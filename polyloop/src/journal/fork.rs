//! Where a session branched off from another one.

use serde::{Deserialize, Serialize};

use super::record::{Record, SessionId};
use crate::error::JournalError;

/// The kind of a session's first record.
pub(crate) const OPENED: &str = "session.opened";

/// Says where a session branched off from another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fork {
    /// The other session.
    pub parent: SessionId,
    /// How many of its records are inherited: what [`ForkRequest::at`](crate::ForkRequest::at) takes.
    pub records: u64,
    /// The hash of the last of them, which stands for all.
    pub hash: String,
}

impl Fork {
    /// Reads it in the first record of a session; none where that branched off from nowhere.
    pub(crate) fn of(first: &Record) -> Result<Option<Self>, JournalError> {
        #[derive(Deserialize)]
        struct Opened {
            fork: Option<Fork>,
        }

        if first.kind != OPENED {
            return Ok(None);
        }
        let opened: Opened = serde_json::from_str(&first.payload).map_err(|error| {
            JournalError::Unreadable { seq: first.seq, kind: OPENED.to_owned(), reason: error.to_string() }
        })?;
        Ok(opened.fork)
    }

    /// Whether this is the last record that is inherited, as it was when the session branched off.
    pub(crate) fn is_behind(&self, last: Option<&Record>, session: &SessionId) -> Result<(), JournalError> {
        let (session, parent, records) = (session.to_string(), self.parent.to_string(), self.records);
        let Some(last) = last.filter(|last| last.seq.checked_add(1) == Some(records)) else {
            return Err(JournalError::NoParent { session, parent, records });
        };
        let found = last.hash();
        if found == self.hash {
            return Ok(());
        }
        Err(JournalError::OtherParent { session, parent, records, recorded: self.hash.clone(), found })
    }
}
