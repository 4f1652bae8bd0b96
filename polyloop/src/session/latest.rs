//! What is said only if the model does not know it.

use std::fmt;
use std::sync::Arc;

use crate::error::{RecordError, RecordErrorKind};
use crate::event::RecordedFragment;
use crate::fragment::{Absent, ContextFragment, FragmentSpec, LatestFragment, Rendered, RetractableFragment};
use crate::registry::{Registered, Registry, render_body, render_retraction};

/// What is said of what changed since an earlier value, which is given as it was recorded.
type Change = dyn Fn(&str) -> Option<Result<Rendered, RecordError>> + Send + Sync;

/// A fact as it is now, rendered in full.
#[derive(Clone)]
pub(crate) struct Latest {
    full: RecordedFragment,
    change: Arc<Change>,
}

impl Latest {
    pub(super) fn new<R: Registry, F: Registered<R> + LatestFragment>(
        fragment: F,
    ) -> Result<Self, RecordError> {
        let full = RecordedFragment::new(&const { F::SPEC }, R::render(&fragment)?);
        let change = move |earlier: &str| {
            let body = fragment.change_since(earlier)?;
            Some(render_body::<R, F>(body))
        };
        Ok(Self { full, change: Arc::new(change) })
    }

    pub(super) fn kind(&self) -> &'static str {
        self.full.spec.kind
    }

    /// What is recorded behind the latest statement, or in its place; none where that says it.
    pub(super) fn behind<R: Registry>(
        self,
        earlier: Option<&RecordedFragment>,
        in_its_place: bool,
    ) -> Result<Option<RecordedFragment>, RecordError> {
        let Self { full, change } = self;
        if full.rendered.text().trim().is_empty() {
            // There is nothing to say of it any more.
            return Retraction { spec: full.spec }.behind::<R>(earlier);
        }
        let Some(earlier) = earlier.filter(|earlier| !earlier.retracts) else { return Ok(Some(full)) };
        if earlier.in_full().text() == full.rendered.text() {
            return Ok(None);
        }
        // Where the earlier one is gone there is nothing to change.
        let state = earlier.in_full().state().filter(|_| !in_its_place);
        match state.and_then(|state| change(state)) {
            None => Ok(Some(full)),
            Some(changed) => Ok(Some(RecordedFragment {
                full: Some(full.rendered),
                ..RecordedFragment::new(full.spec, changed?)
            })),
        }
    }
}

impl fmt::Debug for Latest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Latest").field(&self.full).finish()
    }
}

/// The end of a fact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retraction {
    spec: &'static FragmentSpec,
}

impl Retraction {
    pub(super) fn new<F: ContextFragment + RetractableFragment>() -> Self {
        Self { spec: &const { F::SPEC } }
    }

    pub(super) fn kind(self) -> &'static str {
        self.spec.kind
    }

    /// What is recorded behind the latest statement; none where nothing is to be taken back.
    pub(super) fn behind<R: Registry>(
        self,
        earlier: Option<&RecordedFragment>,
    ) -> Result<Option<RecordedFragment>, RecordError> {
        let Some(earlier) = earlier.filter(|earlier| !earlier.retracts) else { return Ok(None) };
        let Some(Absent::Says(says)) = self.spec.absent else {
            return Err(RecordError::new(self.spec.kind, RecordErrorKind::NeverRetracted));
        };
        let rendered = render_retraction::<R>(self.spec, earlier.in_full(), says)?;
        Ok(Some(RecordedFragment { retracts: true, ..RecordedFragment::new(self.spec, rendered) }))
    }
}
