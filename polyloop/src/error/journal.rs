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
