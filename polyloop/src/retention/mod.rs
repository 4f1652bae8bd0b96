//! Removing data: whole sessions, and the texts of single items.

mod erasure;
mod redaction;

pub use erasure::{Erasure, erase_session};
pub use redaction::{Redacted, Redaction, redact_session};

use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::JournalError;
use crate::journal::{Fork, Journal, OPENED, SessionId};

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The sessions that inherit a session's record with the number `seq`, directly or through another one; each with the
/// number of records of that session that it inherits.
async fn heirs(
    journal: &impl Journal,
    session: &SessionId,
    seq: u64,
) -> Result<Vec<(SessionId, u64)>, JournalError> {
    let mut forks = Vec::new();
    for other in journal.list().await? {
        let opened = journal.read_kinds(&other, &[OPENED]).await?;
        if let Some(fork) = opened.first().map(Fork::of).transpose()?.flatten() {
            forks.push((other, fork));
        }
    }
    let inherits = |parent: &SessionId, fork: &Fork| fork.parent == *parent;
    let direct = forks.iter().filter(|(_, fork)| inherits(session, fork) && fork.records > seq);
    let mut found: Vec<(SessionId, u64)> = direct.map(|(id, fork)| (id.clone(), fork.records)).collect();
    // A fork of a fork inherits everything that the first one inherits.
    let mut next = 0;
    while let Some((parent, records)) = found.get(next).cloned() {
        next += 1;
        let is_new = |id: &SessionId| *id != *session && found.iter().all(|(known, _)| known != id);
        let further = forks.iter().filter(|(id, fork)| inherits(&parent, fork) && is_new(id));
        let further: Vec<_> = further.map(|(id, _)| (id.clone(), records)).collect();
        found.extend(further);
    }
    Ok(found)
}
