//! What a project makes of a person's words before a model sees them.

use std::fmt;
use std::marker::PhantomData;

use super::doors::Told;
use crate::event::UserInput;
use crate::fragment::{ContextFragment, LatestFragment, Rendered};
use crate::registry::{Registered, Registry};

/// Makes what is sent of a text that was typed.
pub(crate) type Sanitizer<R> = dyn Fn(&str, &Known<'_, R>) -> String + Send + Sync;

/// The facts that a model was told before a person's words: what a sanitizer may look at. All of it is recorded.
pub struct Known<'t, R: Registry> {
    told: &'t Told<'t>,
    registry: PhantomData<fn() -> R>,
}

impl<'t, R: Registry> Known<'t, R> {
    pub(super) fn new(told: &'t Told<'t>) -> Self {
        Self { told, registry: PhantomData }
    }

    /// Returns a fact in full as the model was told it last; none where it was told nothing of it, or that it holds no
    /// longer. [`Registry::parse`] reads the fragment back from its text. See [`Session::told`](crate::Session::told).
    #[must_use]
    pub fn told<F: Registered<R> + LatestFragment>(&self) -> Option<&'t Rendered> {
        let kind = const { <F as ContextFragment>::SPEC }.kind;
        self.told.latest(kind).filter(|fragment| !fragment.retracts).map(|fragment| &**fragment.in_full())
    }

    /// What is sent, and what was typed where that is something else.
    pub(super) fn sanitized(
        &self,
        typed: UserInput,
        sanitizer: Option<&Sanitizer<R>>,
    ) -> (UserInput, Option<UserInput>) {
        let Some(sanitizer) = sanitizer else { return (typed, None) };
        let sent = typed.with_texts(|text| sanitizer(text, self));
        if sent == typed { (typed, None) } else { (sent, Some(typed)) }
    }
}

impl<R: Registry> fmt::Debug for Known<'_, R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Known").finish_non_exhaustive()
    }
}
