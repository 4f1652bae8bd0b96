//! What comes through a door, checked before it is recorded.

use std::collections::BTreeMap;

use super::latest::{Latest, Retraction};
use crate::error::{RecordError, RecordErrorKind};
use crate::event::{RecordedFragment, UserInput};
use crate::fragment::{FragmentSpec, LatestFragment, Lifetime, Marking, RetractableFragment};
use crate::registry::{Registered, Registry};

/// The kind of a person's words, in errors.
pub(super) const INPUT: &str = "polyloop.input";

/// How many of each kind were recorded since the last input, or since a run began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded(BTreeMap<&'static str, usize>);

impl Recorded {
    pub(crate) fn count(&mut self, fragment: &RecordedFragment) {
        if is_limited(fragment) {
            *self.0.entry(fragment.spec.kind).or_default() += 1;
        }
    }

    /// Whether this turn may record one more.
    pub(crate) fn admits(&self, fragment: &RecordedFragment) -> Result<(), RecordError> {
        let FragmentSpec { kind, at_most, .. } = *fragment.spec;
        if is_limited(fragment) && self.0.get(kind).copied().unwrap_or_default() >= at_most {
            return Err(RecordError::new(kind, RecordErrorKind::TooMany { at_most }));
        }
        Ok(())
    }
}

/// Returns `true` if `at_most` counts this. Of a `latest` kind one statement holds at any time, whatever is superseded; a limit
/// would keep a false one.
fn is_limited(fragment: &RecordedFragment) -> bool {
    fragment.spec.lifetime != Lifetime::Latest
}

/// Words on their way into a session: rendered and checked, not yet recorded.
#[derive(Clone, Debug)]
pub(crate) enum Words {
    Fragment(RecordedFragment),
    /// A fact as it is now.
    Latest(Latest),
    /// The end of a fact.
    Retraction(Retraction),
    /// A person's own words, as typed.
    Input(UserInput),
}

impl Words {
    /// Renders a fragment.
    pub(crate) fn fragment<R: Registry, F: Registered<R>>(fragment: F) -> Result<Self, RecordError> {
        rendered::<R, F>(fragment).map(Self::Fragment)
    }

    /// Renders a fact that is said if the model does not know it.
    pub(crate) fn latest<R: Registry, F: Registered<R> + LatestFragment>(
        fragment: F,
    ) -> Result<Self, RecordError> {
        Latest::new::<R, F>(fragment).map(Self::Latest)
    }

    /// The end of a fact, which is said if the model knows it.
    pub(crate) fn retract<R: Registry, F: Registered<R> + RetractableFragment>() -> Self {
        Self::Retraction(Retraction::new::<F>())
    }

    /// Takes a person's own words.
    pub(crate) fn input(typed: UserInput) -> Result<Self, RecordError> {
        if typed.is_blank() {
            Err(RecordError::new(INPUT, RecordErrorKind::Empty))
        } else {
            Ok(Self::Input(typed))
        }
    }
}

/// Renders a fragment that says something.
#[expect(clippy::needless_pass_by_value, reason = "what is recorded is given away")]
pub(crate) fn rendered<R: Registry, F: Registered<R>>(fragment: F) -> Result<RecordedFragment, RecordError> {
    let spec = &const { F::SPEC };
    let rendered = R::render(&fragment)?;
    if rendered.text().trim().is_empty() && matches!(spec.marking, Marking::Unmarked(_)) {
        return Err(RecordError::new(spec.kind, RecordErrorKind::Empty));
    }
    Ok(RecordedFragment::new(spec, rendered))
}
