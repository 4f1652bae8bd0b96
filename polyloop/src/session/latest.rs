//! What is said only if the model does not know it.

use std::fmt;
use std::sync::Arc;

use crate::error::{RecordError, RecordErrorKind};
use crate::event::RecordedFragment;
use crate::fragment::{
    Absent, ContextFragment, FragmentSpec, LatestFragment, Marking, Rendered, RetractableFragment,
};
use crate::registry::{Registered, Registry, render_body, render_retraction};

/// What is said of what changed since an earlier value, which is given as it was recorded.
type Change = dyn Fn(&str) -> Option<Result<Rendered, RecordError>> + Send + Sync;

/// A fact as it is now, rendered in full.
#[derive(Clone)]
pub(crate) struct Latest {
    full: RecordedFragment,
    /// Whether there is nothing to say of it.
    is_silent: bool,
    change: Arc<Change>,
}

impl Latest {
    pub(super) fn new<R: Registry, F: Registered<R> + LatestFragment>(
        fragment: F,
    ) -> Result<Self, RecordError> {
        let spec = &const { F::SPEC };
        let body = fragment.body();
        let is_silent = body.is_blank() && emptiness_is_an_end(spec);
        let place = body.without_words();
        let full = RecordedFragment::new(spec, render_body::<R, F>(body)?);
        let change = move |earlier: &str| {
            let body = fragment.change_since(earlier).filter(|body| !body.is_blank())?;
            Some(render_body::<R, F>(body.placed_like(place.clone())))
        };
        Ok(Self { full, is_silent, change: Arc::new(change) })
    }

    pub(super) fn spec(&self) -> &'static FragmentSpec {
        self.full.spec
    }

    /// Returns `true` if a statement says it already.
    pub(super) fn is_stated_by(&self, now: &RecordedFragment) -> bool {
        if self.is_silent {
            return now.retracts;
        }
        !now.retracts && now.in_full().text() == self.full.rendered.text()
    }

    /// What is recorded behind the latest statement, or in its place; none where that says it.
    pub(super) fn behind<R: Registry>(
        self,
        earlier: Option<&RecordedFragment>,
        in_its_place: bool,
    ) -> Result<Option<RecordedFragment>, RecordError> {
        let Self { full, is_silent, change } = self;
        let live = earlier.filter(|earlier| !earlier.retracts);
        if live.is_some_and(|live| live.in_full().text() == full.rendered.text()) {
            return Ok(None);
        }
        if is_silent {
            return Retraction { spec: full.spec }.behind::<R>(earlier);
        }
        // Where the earlier one is gone there is nothing to change.
        let changed = live.filter(|_| !in_its_place);
        let changed = changed.and_then(|live| change(live.in_full().state()?)).transpose();
        Ok(Some(match whole(changed)? {
            None => full,
            Some(changed) => {
                RecordedFragment { full: Some(full.rendered), ..RecordedFragment::new(full.spec, changed) }
            }
        }))
    }
}

/// Whether an empty body says that the fact stopped holding: where the type has other bodies, and words for that; or
/// where nothing would be left to say.
fn emptiness_is_an_end(spec: &FragmentSpec) -> bool {
    let has_words = matches!(spec.absent, Some(Absent::Says(_))) && !spec.is_all_markers();
    has_words || matches!(spec.marking, Marking::Unmarked(_))
}

/// What changed, if all of that can be said; else the full form is.
fn whole(changed: Result<Option<Rendered>, RecordError>) -> Result<Option<Rendered>, RecordError> {
    use RecordErrorKind::{NoRoomForNotice, TooLarge};
    match changed {
        Err(error) if matches!(error.reason(), TooLarge { .. } | NoRoomForNotice { .. }) => Ok(None),
        changed => Ok(changed?.filter(|changed| changed.chars() == changed.true_chars())),
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

    pub(super) fn spec(self) -> &'static FragmentSpec {
        self.spec
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
