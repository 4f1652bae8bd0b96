//! The kinds of fragments in a random history: each with another answer to compaction, forks and rollbacks.

use serde::{Deserialize, Serialize};

use crate::fragment::Body;
use crate::{ContextFragment, registry};

/// Where the agent works.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = user, markers("<place>", "</place>"), lifetime = latest, max_chars = 99)]
#[fragment(absent = "no place", body = "{name}")]
pub(super) struct Place {
    pub(super) name: usize,
}

/// What it may do. A child keeps what its parent was told.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = developer, unmarked = "short", lifetime = latest, on_fork = keep, max_chars = 99)]
#[fragment(absent = "no rights", on_compact = keep, body = "rights {level}")]
pub(super) struct Rights {
    pub(super) level: usize,
}

/// How far it is; only what changed is said.
#[derive(ContextFragment, Serialize, Deserialize)]
#[fragment(crate = crate, role = user, markers("<count>", "</count>"), lifetime = latest, max_chars = 99, state)]
#[fragment(absent = "no count", change = more, body = "{number}")]
pub(super) struct Count {
    pub(super) number: usize,
}

fn more(earlier: &Count, now: &Count) -> Option<Body> {
    let more = now.number.checked_sub(earlier.number)?;
    Some(Body::new().text("and ").value(more).text(" more"))
}

/// News of one turn.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = user, unmarked = "news", slot = turn, lifetime = once, max_chars = 99, at_most = 99)]
#[fragment(body = "news {number}")]
pub(super) struct News {
    pub(super) number: usize,
}

/// What stays.
#[derive(ContextFragment)]
#[fragment(crate = crate, role = developer, unmarked = "note", on_rollback = keep, max_chars = 99, at_most = 99)]
#[fragment(body = "note {number}")]
pub(super) struct Note {
    pub(super) number: usize,
}

registry! {
    pub(super) struct App { fragments: [Place, Rights, Count, News, Note], crate: crate }
}

registry! {
    /// A later version of the program, in which one kind is not recorded any more.
    pub(super) struct Later { fragments: [Place, Rights, Count, News], retired: [Note], crate: crate }
}
