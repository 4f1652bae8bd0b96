//! Calls and their results: each call has one, and it stands directly behind the message that calls.

use std::collections::BTreeMap;

use super::{CallKey, Entry, ForeignMessage};
use crate::error::{HistoryError, HistoryFault, HistoryPlace};

/// Puts each result behind its call; also says of how many something stood between. The order is else what it was.
pub(super) fn paired(entries: Vec<Entry>) -> Result<(Vec<ForeignMessage>, usize), HistoryError> {
    let mut messages: Vec<ForeignMessage> = Vec::new();
    let mut open: BTreeMap<CallKey, (usize, usize, HistoryPlace)> = BTreeMap::new();
    let mut faults = Vec::new();
    let mut moved = 0;
    for entry in entries {
        match entry {
            Entry::Spoken(spoken) => {
                for (number, call) in spoken.calls.iter().enumerate() {
                    let here = (messages.len(), number, call.place);
                    if let Some((_, _, place)) = open.insert(call.key.clone(), here) {
                        faults.push(unanswered(&call.key, place, Some(call.place)));
                    }
                }
                messages.push(ForeignMessage { spoken, outcomes: Vec::new() });
            }
            Entry::Outcome(outcome) => {
                let waiting = open.remove(&outcome.key);
                let caller = waiting.and_then(|(at, number, _)| Some((at, number, messages.get_mut(at)?)));
                let Some((at, number, caller)) = caller else {
                    let reason = HistoryFault::NoCall { call: outcome.key.name().to_owned() };
                    faults.push(HistoryError::new(outcome.place, reason));
                    continue;
                };
                caller.outcomes.push((number, outcome.parts));
                moved += usize::from(at + 1 < messages.len());
            }
        }
    }
    faults.extend(open.iter().map(|(key, (_, _, place))| unanswered(key, *place, None)));
    match faults.into_iter().min_by_key(HistoryError::place) {
        Some(first) => Err(first),
        None => Ok((messages, moved)),
    }
}

fn unanswered(key: &CallKey, place: HistoryPlace, again: Option<HistoryPlace>) -> HistoryError {
    HistoryError::new(place, HistoryFault::Unanswered { call: key.name().to_owned(), again })
}
