//! Checking a session without the program that wrote it.

use std::fmt;

use super::chain::Chain;
use super::key::{ChainKey, Head};
use super::record::{Record, SessionId};
use super::{Fork, Journal, tombstone};
use crate::error::JournalError;

/// What a host holds against a session: nothing, a key, a place where it ended earlier, or both.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    key: Option<ChainKey>,
    head: Option<Head>,
}

impl Evidence {
    /// Returns none: only what the records themselves show is checked.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds the key with which the session is written.
    #[must_use]
    pub fn key(mut self, key: ChainKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Adds a place where the session ended earlier.
    #[must_use]
    pub fn head(mut self, head: Head) -> Self {
        self.head = Some(head);
        self
    }
}

/// What a check of a session showed. Printed, it states what is proved and what is not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The end of the session as it is now.
    pub head: Head,
    /// The records whose texts were removed.
    pub redacted: Vec<u64>,
    /// Whether the last record carries a valid code of the key.
    pub keyed: bool,
    /// The number of records that the head covers which was given.
    pub covered: Option<u64>,
    /// The sessions from which it inherits, the nearest first.
    pub inherited: Vec<SessionId>,
}

impl fmt::Display for Verification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, redacted, keyed, covered, inherited } = self;
        writeln!(formatter, "{head}")?;
        writeln!(
            formatter,
            "proved: every record but the last is what the next one names; none is missing between them"
        )?;
        if *keyed {
            writeln!(formatter, "proved: the last record, and so all of them, were written with the key")?;
        } else {
            writeln!(
                formatter,
                "not proved: who wrote the records; without a key anybody can make such a chain"
            )?;
        }
        match covered {
            Some(all) if *all == head.records => {
                writeln!(formatter, "proved: it ends where the given head ends")?;
            }
            Some(part) => writeln!(
                formatter,
                "proved: the first {part} records are those of the given head; not proved: that none is missing after the last"
            )?,
            None => writeln!(
                formatter,
                "not proved: that none is missing at the end, and that it is not an older copy"
            )?,
        }
        for parent in inherited {
            writeln!(formatter, "proved: it branched off from `{parent}`, whose records are what they were")?;
        }
        if !redacted.is_empty() {
            let events: Vec<String> = redacted.iter().map(u64::to_string).collect();
            writeln!(
                formatter,
                "not proved: the former text of {}, which was removed; the session states that it was",
                events.join(", ")
            )?;
        }
        Ok(())
    }
}

/// Checks the records of a session, of those it inherits from, and what a host holds against them.
///
/// # Errors
///
/// When the journal does not have the session or fails, and with the first record that is not what it must be.
///
/// ```
/// # use polyloop::prelude::*;
/// # use polyloop::MemoryJournal;
/// # registry! { struct App {} }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use polyloop::{Evidence, verify_session};
///
/// let journal = MemoryJournal::new();
/// let agent = Agent::<App>::builder(Scripted::replies([Reply::text("Hello.")])).journal(journal.clone()).build()?;
/// let mut run = agent.on(()).goal("Say hello.").await?;
/// run.finish().await?;
///
/// let head = run.head();
/// let verified = verify_session(&journal, run.session_id(), &Evidence::none().head(head)).await?;
/// assert_eq!(verified.covered, Some(verified.head.records));
/// println!("{verified}");
/// # Ok(())
/// # }
/// ```
pub async fn verify_session(
    journal: &impl Journal,
    session: &SessionId,
    evidence: &Evidence,
) -> Result<Verification, JournalError> {
    let records = journal.read(session, 0).await?;
    let head = checked(session, &records)?;
    let last = records.last().filter(|_| evidence.key.is_some());
    if let (Some(key), Some(last)) = (&evidence.key, last) {
        key.check(last)?;
    }
    if let Some(expected) = &evidence.head {
        expected.check(session, &records)?;
    }
    let (mut inherited, mut child) = (Vec::new(), session.clone());
    let mut next = records.first().map(Fork::of).transpose()?.flatten();
    while let Some(fork) = next {
        if fork.parent == *session || inherited.contains(&fork.parent) {
            return Err(JournalError::Lineage { session: session.to_string(), generations: inherited.len() });
        }
        let records = journal.read(&fork.parent, 0).await?;
        if !records.is_empty() {
            checked(&fork.parent, &records)?;
        }
        let last = fork.records.checked_sub(1).and_then(|last| records.get(usize::try_from(last).ok()?));
        fork.is_behind(last, &child)?;
        next = records.first().map(Fork::of).transpose()?.flatten();
        child = fork.parent.clone();
        inherited.push(fork.parent);
    }
    Ok(Verification {
        head,
        redacted: records.iter().filter(|record| record.is_redacted()).map(|record| record.seq).collect(),
        keyed: evidence.key.is_some() && records.last().is_some_and(super::key::is_signed),
        covered: evidence.head.as_ref().map(|head| head.records),
        inherited,
    })
}

/// Returns where a session ends now, for a host that keeps it elsewhere.
///
/// # Errors
///
/// When the journal does not have the session or fails, and when its records do not belong together.
pub async fn session_head(journal: &impl Journal, session: &SessionId) -> Result<Head, JournalError> {
    checked(session, &journal.read(session, 0).await?)
}

/// Checks all records of a session, and returns where it ends.
pub(crate) fn checked(session: &SessionId, records: &[Record]) -> Result<Head, JournalError> {
    Ok(chain(session, records)?.head())
}

/// Checks all records of a session, and returns its chain.
pub(crate) fn chain(session: &SessionId, records: &[Record]) -> Result<Chain, JournalError> {
    if records.is_empty() {
        return Err(JournalError::NoSuchSession { session: session.to_string() });
    }
    let mut chain = Chain::new(session.clone());
    records.iter().try_for_each(|record| chain.follow(record))?;
    tombstone::check(records)?;
    Ok(chain)
}
