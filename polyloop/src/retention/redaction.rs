//! Removing the texts of single items.

use std::collections::BTreeSet;
use std::fmt;

use super::{heirs, now};
use crate::error::JournalError;
use crate::event::{Event, Extent, Holders, VERSION, without_texts};
use crate::journal::{
    Chain, ChainKey, Entry, Journal, Lease, Record, RedactedRecord, SessionId, checked_chain, is_signed,
    tombstone,
};
use crate::message::ItemId;

/// Which texts are removed from a session, and what the journal states of it: who had them removed, and why.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    items: BTreeSet<ItemId>,
    records: BTreeSet<u64>,
    by: Option<String>,
    reason: Option<String>,
    key: Option<ChainKey>,
}

impl Redaction {
    /// Returns a redaction of no item.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an item: input, a fragment, a reply with its calls, an observation, a summary or an imported part.
    #[must_use]
    pub fn item(mut self, item: ItemId) -> Self {
        self.items.insert(item);
        self
    }

    /// Adds a record by its number: what is no item, such as a remark, the message of a failure, or a reply of which
    /// nothing became. A record that holds part of a reply stands for the whole reply.
    #[must_use]
    pub fn record(mut self, seq: u64) -> Self {
        self.records.insert(seq);
        self
    }

    /// States who has the texts removed. The statement stays in the journal: it should not name the person whose data goes.
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

    /// Sets the key of the chain of records, where the journal is written with one.
    #[must_use]
    pub fn chain_key(mut self, key: ChainKey) -> Self {
        self.key = Some(key);
        self
    }
}

/// What a redaction changed. Printed, it names the summaries that may repeat what was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redacted {
    /// The records that lost their texts; none where all of them had lost them before.
    pub records: Vec<u64>,
    /// The sessions that inherit one of them: each has a record now that states it.
    pub heirs: Vec<SessionId>,
    /// The summaries that a model made of what was removed. They are not removed: look at them.
    pub summaries: Vec<ItemId>,
}

impl fmt::Display for Redacted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { records, heirs, summaries } = self;
        write!(formatter, "{} records redacted, {} sessions inherit them", records.len(), heirs.len())?;
        for summary in summaries {
            write!(formatter, "; {summary} is a summary of what was removed, look at it")?;
        }
        Ok(())
    }
}

/// Removes texts from a session, for good, and records that and when it was done, and who and why as the [`Redaction`]
/// states it.
///
/// In place of each text stands `[redacted]`, in prompts too. The chain of records holds as before: their hashes stay, and
/// with them nothing that the text could be read from; whoever guesses a whole record can confirm the guess. The session
/// stays readable and goes on. Prompts that were sealed with the text cannot be made again, and
/// [`AuditedRequest::is_redacted`](crate::AuditedRequest::is_redacted) states it.
///
/// A run of the session that is under way can write nothing more; resume it afterwards. Other texts that repeat what was
/// removed, such as a later reply, are items of their own. What was exported, or sent to a model's provider or to a tool, is
/// elsewhere and is not removed. If it fails, calling it again finishes the work.
///
/// # Errors
///
/// [`NotRecorded`](JournalError::NotRecorded) for an item that the session did not record itself,
/// [`NothingToRedact`](JournalError::NothingToRedact) for a record without a text, [`InUse`](JournalError::InUse) for a reply
/// with calls that have no outcome; and when the session cannot be trusted, or the journal fails or does not support it.
/// Nothing was removed then.
///
/// ```
/// # use polyloop::prelude::*;
/// # use polyloop::MemoryJournal;
/// # registry! { struct App {} }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use polyloop::{Redaction, redact_session};
///
/// let journal = MemoryJournal::new();
/// # let model = Scripted::replies(["Noted.", "You did not tell me."].map(Reply::text));
/// let agent = Agent::<App>::builder(model).journal(journal.clone()).build()?;
/// let mut run = agent.on(()).session("chat-42").goal("My number is 555-0100.").await?;
/// run.finish().await?;
/// let item = run.items()[0].id();
///
/// let redaction = Redaction::new().item(item).by("support").reason("asked for by the customer");
/// redact_session(&journal, &"chat-42".into(), redaction).await?;
///
/// let mut run = agent.on(()).session("chat-42").goal("What is my number?").await?;
/// run.finish().await?;
/// assert_eq!(run.items()[0].text(), "[redacted]");
/// # Ok(())
/// # }
/// ```
pub async fn redact_session(
    journal: &impl Journal,
    session: &SessionId,
    redaction: Redaction,
) -> Result<Redacted, JournalError> {
    // Whoever writes meanwhile is fenced, so what is read stays the end.
    if journal.read(session, 0).await?.is_empty() {
        return Err(JournalError::NoSuchSession { session: session.to_string() });
    }
    let planned = plan(session, &journal.read(session, 0).await?, &redaction)?;
    let heirs = match planned.tombstones.first() {
        Some(first) => heirs(journal, session, first.seq).await?,
        None => Vec::new(),
    };
    // The heirs first: what they state is so when the texts go, and if that fails it is stated again the next time.
    for (heir, inherited) in &heirs {
        let lease = journal.lease(heir).await?;
        let records = journal.read(heir, 0).await?;
        check_key(heir, &records, redaction.key.as_ref())?;
        let chain = checked_chain(heir, &records)?;
        // A compaction there may repeat what it inherits.
        let repeated = planned.items.iter().filter(|(_, seq)| *seq < *inherited).map(|(item, _)| *item);
        let copies = copies(&records, &repeated.collect(), &planned.summaries)?;
        let mut events = vec![announced(Some(session.clone()), &planned.tombstones, &redaction)];
        events.extend((!copies.is_empty()).then(|| announced(None, &copies, &redaction)));
        let (seq, records) = appended(chain, &lease, &records, events, redaction.key.as_ref())?;
        journal.redact(&lease, seq, records, copies).await?;
    }
    let lease = journal.lease(session).await?;
    let before = journal.read(session, 0).await?;
    check_key(session, &before, redaction.key.as_ref())?;
    let planned = plan(session, &before, &redaction)?;
    let chain = checked_chain(session, &before)?;
    let (seq, records) = if planned.tombstones.is_empty() {
        (chain.len(), Vec::new())
    } else {
        appended(
            chain,
            &lease,
            &before,
            vec![announced(None, &planned.tombstones, &redaction)],
            redaction.key.as_ref(),
        )?
    };
    let redacted = planned.tombstones.iter().map(|record| record.seq).collect();
    journal.redact(&lease, seq, records, planned.tombstones).await?;
    let heirs = heirs.into_iter().map(|(heir, _)| heir).collect();
    Ok(Redacted { records: redacted, heirs, summaries: planned.summaries.into_iter().collect() })
}

/// Checks that the end of a session is one that the key continues.
fn check_key(session: &SessionId, records: &[Record], key: Option<&ChainKey>) -> Result<(), JournalError> {
    match (key, records.last()) {
        (Some(key), Some(last)) => key.check(last),
        (None, Some(last)) if is_signed(last) => {
            Err(JournalError::KeyNeeded { session: session.to_string() })
        }
        _ => Ok(()),
    }
}

/// What is going to be done.
struct Plan {
    tombstones: Vec<Record>,
    summaries: BTreeSet<ItemId>,
    /// The items, each with the first record that holds a text of it.
    items: Vec<(ItemId, u64)>,
}

/// The event that states a redaction.
fn announced(session: Option<SessionId>, tombstones: &[Record], redaction: &Redaction) -> Event {
    let records = tombstones.iter();
    let records = records.map(|record| RedactedRecord { seq: record.seq, hash: record.hash_as_kept() });
    Event::RecordsRedacted {
        session,
        records: records.collect(),
        by: redaction.by.clone(),
        reason: redaction.reason.clone(),
    }
}

/// The records of an heir that repeat texts of inherited items, without these.
fn copies(
    records: &[Record],
    items: &BTreeSet<ItemId>,
    summaries: &BTreeSet<ItemId>,
) -> Result<Vec<Record>, JournalError> {
    let holders = Holders::of(records)?;
    let further = holders.summaries_of(items.iter().chain(summaries));
    let summaries = summaries.union(&further).copied().collect();
    let held = holders.repeating(items.iter().chain(&summaries)).collect();
    tombstones(records, &held, &BTreeSet::new(), (items, &summaries))
}

/// The records that hold texts, without these; those that lost them before are left out.
fn tombstones(
    records: &[Record],
    held: &BTreeSet<u64>,
    whole: &BTreeSet<u64>,
    (items, summaries): (&BTreeSet<ItemId>, &BTreeSet<ItemId>),
) -> Result<Vec<Record>, JournalError> {
    let mut tombstones = Vec::new();
    for record in records.iter().filter(|record| held.contains(&record.seq)) {
        let is_whole = whole.contains(&record.seq);
        let extent = if is_whole { Extent::Whole } else { Extent::Items { items, summaries } };
        match without_texts(record, &extent)? {
            Some(event) if *event != *tombstone::event(&record.payload) => {
                tombstones.push(record.with_tombstone(&event));
            }
            None if is_whole => {
                let kind = record.kind.to_string();
                return Err(JournalError::NothingToRedact { seq: record.seq, kind });
            }
            _ => {}
        }
    }
    Ok(tombstones)
}

fn plan(session: &SessionId, records: &[Record], redaction: &Redaction) -> Result<Plan, JournalError> {
    checked_chain(session, records)?;
    let holders = Holders::of(records)?;
    let not_recorded = |what| JournalError::NotRecorded { session: session.to_string(), what };
    let mut items = redaction.items.clone();
    let mut whole = BTreeSet::new();
    for seq in &redaction.records {
        if usize::try_from(*seq).ok().and_then(|seq| records.get(seq)).is_none() {
            return Err(not_recorded(format!("event {seq}")));
        }
        if holders.is_undecided(*seq) {
            return Err(JournalError::InUse { what: format!("event {seq}") });
        }
        match holders.reply_in(*seq) {
            Some(item) => drop(items.insert(item)),
            None => drop(whole.insert(*seq)),
        }
    }
    let items: BTreeSet<ItemId> = items.into_iter().map(|item| holders.original(item)).collect();
    let mut held = whole.clone();
    for item in &items {
        if holders.is_open(*item) {
            return Err(JournalError::InUse { what: item.to_string() });
        }
        held.extend(holders.of_item(*item).ok_or_else(|| not_recorded(item.to_string()))?);
    }
    let summaries = holders.summaries_of(items.iter());
    held.extend(holders.repeating(items.iter().chain(&summaries)));
    let tombstones = tombstones(records, &held, &whole, (&items, &summaries))?;
    let first = |item: &ItemId| Some((*item, *holders.of_item(*item)?.first()?));
    let items = items.iter().filter_map(first).collect();
    Ok(Plan { tombstones, summaries, items })
}

/// The records that state a redaction, with the number of the first.
fn appended(
    mut chain: Chain,
    lease: &Lease,
    before: &[Record],
    events: Vec<Event>,
    key: Option<&ChainKey>,
) -> Result<(u64, Vec<Record>), JournalError> {
    let (seq, run, at) = (chain.len(), before.last().map_or(0, |last| last.run), now());
    let entry = |event: Event| {
        let (kind, payload) = (event.kind(), event.payload()?);
        Ok(Entry { kind, v: VERSION, payload, run, epoch: lease.epoch, at })
    };
    let entries =
        [Event::LeaseTaken {}].into_iter().chain(events).map(entry).collect::<Result<_, JournalError>>()?;
    Ok((seq, chain.extend_all(entries, key)))
}
