//! Those who wait for the same transaction. Whoever was told of it helps to tell the others.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::answer::Answered;
use crate::error::JournalError;
use crate::journal::Lease;

/// Where the answer of the writing thread goes, with those who are not told yet.
pub(super) type Answer<T> = oneshot::Sender<(Answered<T>, Told)>;

/// One of those who wait, with what is told.
pub(super) enum Done {
    Lease(Answer<Lease>, Answered<Lease>),
    Written(Answer<()>, Answered<()>),
}

impl Done {
    pub(super) fn refused(self, error: &JournalError) -> Self {
        match self {
            Self::Lease(answer, _) => Self::Lease(answer, Err(error.clone())),
            Self::Written(answer, _) => Self::Written(answer, Err(error.clone())),
        }
    }
}

/// Those who are not told yet. To wake somebody takes the writing thread a call of the system, again and again; whoever
/// was woken has the others on the same runtime, most of the time, and wakes them in passing.
#[derive(Clone)]
pub(super) struct Told(Arc<Mutex<VecDeque<Done>>>);

impl Told {
    pub(super) fn of(waiting: impl IntoIterator<Item = Done>) -> Self {
        Self(Arc::new(Mutex::new(waiting.into_iter().collect())))
    }

    /// Tells whoever is left. Who stopped waiting gets no answer.
    pub(super) fn tell(&self) {
        while self.tell_next() {}
    }

    /// Tells one more, and says whether there was one.
    pub(super) fn tell_next(&self) -> bool {
        match self.next() {
            Some(Done::Lease(answer, lease)) => drop(answer.send((lease, self.clone()))),
            Some(Done::Written(answer, written)) => drop(answer.send((written, self.clone()))),
            None => return false,
        }
        true
    }

    fn next(&self) -> Option<Done> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn whoever_was_told_tells_the_others_also_where_one_does_not_wait_any_more() {
        let (answers, mut waiting): (Vec<_>, Vec<_>) = (0..4).map(|_| oneshot::channel()).unzip();
        let told = Told::of(answers.into_iter().map(|answer| Done::Written(answer, Ok(()))));
        waiting.remove(0);
        // The writing thread came no further than this.
        let Some(Done::Written(first, answer)) = told.next() else { unreachable!("there are four") };
        drop(first.send((answer, told.clone())));
        let Some(Done::Written(second, answer)) = told.next() else { unreachable!("there are three") };
        drop(second.send((answer, told)));
        let (answer, others) = waiting.remove(0).try_recv().unwrap();
        assert_eq!(answer, Ok(()));
        assert!(waiting.iter_mut().all(|waiting| waiting.try_recv().is_err()), "nobody told them");
        others.tell();
        assert!(waiting.iter_mut().all(|waiting| waiting.try_recv().is_ok()), "now they know");
    }
}
