//! Erasing whole sessions.

use serde::{Deserialize, Serialize};

use super::{heirs, now};
use crate::error::JournalError;
use crate::event::{Event, VERSION};
use crate::journal::{Chain, ChainKey, ERASED, Entry, Journal, SessionId};

/// The kind of record that names the session of a run inside a call.
const INTENT: &str = "action.intent";

/// How a session is erased, and what its last record states: who had it erased, and why.
#[derive(Clone, Debug, Default)]
pub struct Erasure {
    by: Option<String>,
    reason: Option<String>,
    with_forks: bool,
    key: Option<ChainKey>,
}

/// The payload of the one record that stays.
#[derive(Serialize, Deserialize)]
struct Erased {
    /// The number of records that there were.
    records: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Erasure {
    /// Returns an erasure that states nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// States who has the session erased. The text stays in the journal: it should name no person whose data goes.
    #[must_use]
    pub fn by(mut self, by: impl Into<String>) -> Self {
        self.by = Some(by.into());
        self
    }

    /// States why. The text stays in the journal.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Erases also the sessions that branched off from it, which inherit its records. Without this a session that others
    /// inherit from is not erased.
    #[must_use]
    pub fn with_forks(mut self) -> Self {
        self.with_forks = true;
        self
    }

    /// Sets the key of the chain of records, where the journal is written with one.
    #[must_use]
    pub fn chain_key(mut self, key: ChainKey) -> Self {
        self.key = Some(key);
        self
    }
}

/// Erases a session from a journal, with the sessions of the runs inside its calls, and returns the ids of all that were
/// erased.
///
/// One record stays of each: its id, that and when it was erased, and who and why as the [`Erasure`] states it. The id is
/// not used again, since the idempotency keys of its calls would be those of the erased ones; so an id should not name a
/// person. A run of the session that is under way can write nothing more. What was exported, or sent to a model's provider or
/// to a tool, is elsewhere and is not erased.
///
/// If it fails, calling it again finishes the work.
///
/// # Errors
///
/// [`HasForks`](JournalError::HasForks) where other sessions inherit from one of these, unless they are erased too;
/// [`NoSuchSession`](JournalError::NoSuchSession); and when the journal fails, or does not support it.
///
/// ```
/// # use polyloop::prelude::*;
/// # use polyloop::{Journal, JournalError, MemoryJournal};
/// # registry! { struct App {} }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use polyloop::{Erasure, erase_session};
///
/// let journal = MemoryJournal::new();
/// let agent = Agent::<App>::builder(Scripted::replies([Reply::text("Hello.")])).journal(journal.clone()).build()?;
/// agent.on(()).session("chat-42").goal("I am Ada.").await?.finish().await?;
///
/// let session = "chat-42".into();
/// erase_session(&journal, &session, Erasure::new().by("support").reason("asked for by the customer")).await?;
/// assert_eq!(journal.read(&session, 0).await?.len(), 1);
/// let refused = agent.on(()).session("chat-42").goal("Hello?").await.unwrap_err();
/// assert_eq!(refused, RunError::Journal(JournalError::Erased { session: "chat-42".to_owned() }));
/// # Ok(())
/// # }
/// ```
pub async fn erase_session(
    journal: &impl Journal,
    session: &SessionId,
    erasure: Erasure,
) -> Result<Vec<SessionId>, JournalError> {
    let sessions = all(journal, session, erasure.with_forks).await?;
    let mut erased = Vec::with_capacity(sessions.len());
    for session in &sessions {
        let lease = journal.lease(session).await?;
        let before = journal.read(session, 0).await?;
        // Called again after a failure: the first statement stays.
        if let [only] = &*before
            && only.kind == ERASED
        {
            erased.push((lease, only.clone()));
            continue;
        }
        let (records, by, reason) = (before.len() as u64, erasure.by.clone(), erasure.reason.clone());
        let payload = serde_json::to_string(&Erased { records, by, reason });
        let payload = payload.map_err(|error| JournalError::Store { message: error.to_string() })?;
        let payload = payload.into();
        let entry = Entry { kind: ERASED, v: VERSION, payload, run: 0, epoch: lease.epoch, at: now() };
        let record = Chain::new(session.clone()).extend_all(vec![entry], erasure.key.as_ref());
        erased.extend(record.into_iter().map(|record| (lease.clone(), record)));
    }
    journal.erase(erased).await?;
    Ok(sessions)
}

/// The sessions that go together: those of the runs inside calls, and where it is asked for those that branched off.
async fn all(
    journal: &impl Journal,
    session: &SessionId,
    with_forks: bool,
) -> Result<Vec<SessionId>, JournalError> {
    let mut found = vec![session.clone()];
    let mut next = 0;
    while let Some(session) = found.get(next).cloned() {
        next += 1;
        if journal.read_kinds(&session, &[crate::journal::OPENED, ERASED]).await?.is_empty() {
            // The session of a call that never began; or none at all.
            if next == 1 {
                return Err(JournalError::NoSuchSession { session: session.to_string() });
            }
            found.retain(|known| *known != session);
            next -= 1;
            continue;
        }
        let forks = heirs(journal, &session, 0).await?;
        let forks: Vec<SessionId> = forks.into_iter().map(|(fork, _)| fork).collect();
        if !with_forks && !forks.is_empty() {
            let forks = forks.iter().map(ToString::to_string).collect();
            return Err(JournalError::HasForks { session: session.to_string(), forks });
        }
        let mut more = forks;
        for record in journal.read_kinds(&session, &[INTENT]).await? {
            if let Some(Event::CallStarted { intent, .. }) = Event::read(&record, |_, _| Err(Vec::new()))? {
                more.extend(intent.child);
            }
        }
        for session in more {
            if !found.contains(&session) {
                found.push(session);
            }
        }
    }
    Ok(found)
}
