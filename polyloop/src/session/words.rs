//! What comes through a door, checked before it is recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{RecordError, RecordErrorKind};
use crate::event::{RecordedFragment, UserInput};
use crate::fragment::Marking;
use crate::registry::{Registered, Registry};

/// The kind of a person's words, in errors.
const INPUT: &str = "polyloop.input";

/// How many of each kind were recorded since the last input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded(BTreeMap<&'static str, usize>);

impl Recorded {
    pub(crate) fn count(&mut self, kind: &'static str) {
        *self.0.entry(kind).or_default() += 1;
    }
}

/// Words on their way into a session: rendered and checked, not yet recorded.
#[derive(Clone, Debug)]
pub(crate) enum Words {
    Fragment(RecordedFragment),
    Input { input: UserInput, forged_marker: bool },
}

impl Words {
    /// Renders a fragment.
    #[expect(clippy::needless_pass_by_value, reason = "what is recorded is given away")]
    pub(crate) fn fragment<R: Registry, F: Registered<R>>(fragment: F) -> Result<Self, RecordError> {
        let spec = &const { F::SPEC };
        let rendered = R::render(&fragment)?;
        if rendered.text().trim().is_empty() && matches!(spec.marking, Marking::Unmarked(_)) {
            return Err(RecordError::new(spec.kind, RecordErrorKind::Empty));
        }
        Ok(Self::Fragment(RecordedFragment { spec, rendered: Arc::new(rendered) }))
    }

    /// Takes a person's own words.
    pub(crate) fn input<R: Registry>(input: UserInput) -> Result<Self, RecordError> {
        if input.as_str().trim().is_empty() {
            return Err(RecordError::new(INPUT, RecordErrorKind::Empty));
        }
        let forged_marker = R::holds_marker(input.as_str());
        Ok(Self::Input { input, forged_marker })
    }

    /// Whether this turn may record one more.
    pub(crate) fn may_follow(&self, recorded: &Recorded) -> Result<(), RecordError> {
        let Self::Fragment(RecordedFragment { spec, .. }) = self else { return Ok(()) };
        if recorded.0.get(spec.kind).copied().unwrap_or_default() >= spec.at_most {
            return Err(RecordError::new(spec.kind, RecordErrorKind::TooMany { at_most: spec.at_most }));
        }
        Ok(())
    }

    /// Counts it, as recording does.
    pub(crate) fn add_to(&self, recorded: &mut Recorded) {
        match self {
            Self::Fragment(fragment) => recorded.count(fragment.spec.kind),
            Self::Input { .. } => *recorded = Recorded::default(),
        }
    }
}
