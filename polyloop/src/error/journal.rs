//! What can go wrong with a journal.

use thiserror::Error;

/// Says why a journal could not be written or read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The journal has nothing of this session.
    #[error("the journal has no session `{session}`; `Journal::list` tells which it has")]
    NoSuchSession {
        /// The session's id.
        session: String,
    },
    /// The id of a session is empty: sessions that belong to different people would be one.
    #[error("the id of the session is empty; give each session one of its own")]
    EmptySessionId,
    /// The journal has a session that is to be imported, or to be begun by a request, a fork or an import; also where another
    /// one began it at the same time.
    #[error("the journal has the session `{session}` already; take another id, or another journal")]
    SessionExists {
        /// The session's id.
        session: String,
    },
    /// The journal does not have what a session inherits.
    #[error(
        "the session `{session}` branched off from `{parent}` behind {records} records, and the journal has no such session \
         or not so many of them; bring it there with `import_session`"
    )]
    NoParent {
        /// The session's id.
        session: String,
        /// The id of the session from which it branched off.
        parent: String,
        /// How many records of that it inherits.
        records: u64,
    },
    /// What a session inherits is not what it was when it branched off.
    #[error(
        "the session `{session}` branched off from `{parent}` behind {records} records with the hash `{recorded}`, and the \
         hash there is `{found}`; it is another session of this name"
    )]
    OtherParent {
        /// The session's id.
        session: String,
        /// The id of the session from which it branched off.
        parent: String,
        /// How many records of that it inherits.
        records: u64,
        /// The hash of the last of them, when it branched off.
        recorded: String,
        /// The hash of that record now.
        found: String,
    },
    /// A session branched off from itself, or over too many others.
    #[error(
        "the session `{session}` branched off from itself, or over more than {generations} others; branch off from an earlier one"
    )]
    Lineage {
        /// The session's id.
        session: String,
        /// Over how many others a session may have branched off.
        generations: usize,
    },
    /// Somebody else took the session over.
    #[error(
        "the session was taken over (lease {held}, now {current}), so nothing more is written from here; drop this run, \
         and go on with `Request::session` or `Agent::resume`"
    )]
    Fenced {
        /// The epoch of the lease in hand.
        held: u64,
        /// The epoch of the last lease.
        current: u64,
    },
    /// The records are not the next ones.
    #[error("event {seq} cannot be appended, the next one is {next}; read the session again")]
    OutOfOrder {
        /// The number of the first record.
        seq: u64,
        /// The number that comes next.
        next: u64,
    },
    /// The records of a session do not belong together.
    #[error("event {seq} {reason}; the session cannot be trusted and is not opened")]
    Broken {
        /// The number of the event.
        seq: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An event cannot be read.
    #[error("event {seq} of the kind `{kind}` cannot be read: {reason}")]
    Unreadable {
        /// The number of the event.
        seq: u64,
        /// Its kind.
        kind: String,
        /// Why.
        reason: String,
    },
    /// A fragment's kind is not registered any more.
    #[error(
        "event {seq} holds a fragment of the kind `{kind}`, and the registry knows {}; \
         register it, name it in `was` of the type that replaces it, or in `retired` of the registry",
        listed(.known)
    )]
    UnknownFragment {
        /// The number of the event.
        seq: u64,
        /// The fragment's kind.
        kind: String,
        /// The kinds that are registered.
        known: Vec<String>,
    },
    /// A session is not what it was when its end was noted.
    #[error(
        "the session `{session}` has {found} records now and does not hold the head {expected}: it was changed, truncated or \
         replaced by an older copy; restore it, or go on without the head if you know why"
    )]
    OtherHead {
        /// The session's id.
        session: String,
        /// The head that was expected.
        expected: String,
        /// The number of records that there are.
        found: u64,
    },
    /// The session was erased.
    #[error("the session `{session}` was erased; begin another one, with an id of its own")]
    Erased {
        /// The session's id.
        session: String,
    },
    /// A session is written with a key, and somebody without it would go on.
    #[error(
        "the session `{session}` is written with a key of the chain, and none was given; set it with `Redaction::chain_key`"
    )]
    KeyNeeded {
        /// The session's id.
        session: String,
    },
    /// A session cannot be erased while others inherit from it.
    #[error(
        "the session `{session}` cannot be erased, {} inherit from it; erase them too, with `Erasure::with_forks`",
        listed(.forks)
    )]
    HasForks {
        /// The session's id.
        session: String,
        /// The ids of the sessions that branched off from it.
        forks: Vec<String>,
    },
    /// A session did not record what is to be redacted.
    #[error(
        "the session `{session}` did not record {what}; an inherited item is redacted in the session that recorded it, as \
         `Audit` names it"
    )]
    NotRecorded {
        /// The session's id.
        session: String,
        /// The item or the event.
        what: String,
    },
    /// A record holds no text that could be redacted.
    #[error("event {seq} of the kind `{kind}` holds no text to redact; name an item, or another event")]
    NothingToRedact {
        /// The number of the event.
        seq: u64,
        /// Its kind.
        kind: String,
    },
    /// A reply is in use: a run would act on what is left of it.
    #[error(
        "{what} is still being acted on; let the run go on until its calls have outcomes, or cancel it, then redact"
    )]
    InUse {
        /// The item or the event.
        what: String,
    },
    /// The store acknowledged an event and does not give it back.
    #[error("the store acknowledged event {seq} and does not have it; nothing is sent")]
    Lost {
        /// The number of the event.
        seq: u64,
    },
    /// The store itself failed.
    #[error("the store failed: {message}")]
    Store {
        /// What it said.
        message: String,
    },
}

impl JournalError {
    /// The same error, where a session was to be begun: whoever took it over, or wrote to it, has begun it.
    pub(crate) fn of_a_new_session(self, session: &str) -> Self {
        match self {
            Self::Fenced { .. } | Self::OutOfOrder { .. } => {
                Self::SessionExists { session: session.to_string() }
            }
            error => error,
        }
    }
}

fn listed(known: &[String]) -> String {
    if known.is_empty() {
        return "none".to_owned();
    }
    known.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ")
}
