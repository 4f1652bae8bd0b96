//! The values that hold when a compaction states facts anew.

use std::fmt;

use super::driver::Driver;
use crate::error::RecordError;
use crate::fragment::{LatestFragment, RetractableFragment};
use crate::registry::{Registered, Registry};
use crate::session::Words;

/// A hook of the host that supplies these values.
pub(crate) type RestateHook<R> = dyn Fn(&mut Restating<R>) + Send + Sync;

/// Takes the present values of facts after a compaction, from the hook that
/// [`AgentBuilder::restate_with`](crate::AgentBuilder::restate_with) sets.
///
/// A value that was stated anew and holds no longer is replaced at its place, so the next request contains the present one only.
/// Facts that the hook does not mention keep the value that was stated last.
pub struct Restating<R: Registry> {
    words: Vec<Result<Words, RecordError>>,
    registry: std::marker::PhantomData<fn() -> R>,
}

impl<R: Registry> Restating<R> {
    /// States a fact as it is now, as [`Session::sync`](crate::Session::sync). What cannot be recorded is in
    /// [`Report::not_recorded`](crate::Report::not_recorded).
    pub fn sync<F: Registered<R> + LatestFragment>(&mut self, fragment: F) {
        self.words.push(Words::latest::<R, F>(fragment));
    }

    /// Takes a fact back, as [`Session::retract`](crate::Session::retract).
    pub fn retract<F: Registered<R> + RetractableFragment>(&mut self) {
        self.words.push(Ok(Words::retract::<R, F>()));
    }
}

impl<R: Registry> fmt::Debug for Restating<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Restating").field("values", &self.words.len()).finish_non_exhaustive()
    }
}

impl<R: Registry> Driver<R> {
    /// Records the present values of what a compaction stated anew.
    pub(super) fn restate_present_values(&mut self) {
        let Some(hook) = self.definition.restate_with.clone() else { return };
        let mut restating = Restating { words: Vec::new(), registry: std::marker::PhantomData };
        hook(&mut restating);
        for words in restating.words {
            if let Err(error) = words.and_then(|words| self.session.record(words)) {
                self.not_recorded(error);
            }
        }
    }
}
