//! Fragments: what a runtime tells a model, each text first a type.
//!
//! One definition ([`FragmentSpec`] and a body) renders the text and knows it again later.

mod body;
mod first_bytes;
mod identity;
mod index;
mod key;
mod marker;
mod neutral;
mod parse;
mod pattern;
mod render;
mod spec;
mod trie;
mod vocabulary;

pub use body::{Body, IntoBody, Recorded, Shared};
pub use key::{Key, MarkerKey};
pub use marker::Marker;
pub use parse::{Fields, FromText, ParseFragment};
pub use render::Rendered;
pub use spec::FragmentSpec;
pub(crate) use spec::LARGE;
pub use vocabulary::{
    Absent, Channel, Legacy, Lifetime, Marking, Memory, OnCompact, OnFork, OnRollback, Overflow, Piece, Pin,
    Slot,
};

pub(crate) use identity::SpecIdentity;
pub(crate) use index::MarkerIndex;
pub(crate) use marker::{byte, lower_at};
pub(crate) use parse::parse_in;
pub(crate) use render::{render as render_in, retraction as retraction_in};

use crate::error::RecordError;

/// A type whose values may be shown to a model, once a registry names it.
///
/// Most types derive it; all options are in the tables of [`derive@ContextFragment`](derive@crate::ContextFragment).
///
/// Derive it, or implement it by hand: the description and the body are all there is to give. Rendering and
/// matching are final (see [`Render`] and [`Recognize`]), so they cannot drift apart; a registry checks a
/// description written by hand exactly like a derived one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a context fragment",
    label = "not a context fragment",
    note = "annotate the type with `#[derive(ContextFragment)]`"
)]
pub trait ContextFragment: Send + Sync + 'static {
    /// Describes the type.
    const SPEC: FragmentSpec;

    /// Returns the text between the markers.
    fn body(&self) -> Body;
}

/// The rendering of any fragment, also behind `dyn`.
///
/// The markers of the type itself are neutralised inside values. The text that counts is the one that a registry
/// renders, with the markers of every registered kind: [`Registry::render`](crate::Registry::render).
pub trait Render: Send + Sync {
    /// Returns the description of the type.
    fn spec(&self) -> FragmentSpec;

    /// Renders the fragment.
    ///
    /// # Errors
    ///
    /// When the text is over the cap of the type, a key is refused, or the result would not be recognised.
    fn render(&self) -> Result<Rendered, RecordError>;
}

impl<T: ContextFragment> Render for T {
    fn spec(&self) -> FragmentSpec {
        T::SPEC
    }

    fn render(&self) -> Result<Rendered, RecordError> {
        let spec = T::SPEC;
        render_in(&spec, 0, self.body(), &MarkerIndex::new(std::iter::once(&spec)))
    }
}

/// The recognition of a type's text.
pub trait Recognize: ContextFragment {
    /// Whether the text is a fragment of this type, in its present or an old form.
    #[must_use]
    fn matches(text: &str) -> bool {
        let spec = Self::SPEC;
        MarkerIndex::new(std::iter::once(&spec)).recognize(text).is_some()
    }
}

impl<T: ContextFragment> Recognize for T {}

/// A fragment with `lifetime = latest`: the next of its kind supersedes it, so a model is told only what it does not know.
///
/// The derive implements it; see [`Session::sync`](crate::Session::sync).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no latest value, so there is nothing to compare it with",
    label = "not `lifetime = latest`",
    note = "add `lifetime = latest` to `{Self}`, or record it each time with `inject`"
)]
pub trait LatestFragment {
    /// Returns what is said when `self` follows an earlier value, which is given as it was recorded, as JSON text. `None` asks
    /// for the full form.
    fn change_since(&self, earlier: &str) -> Option<Body> {
        let _ = earlier;
        None
    }
}

/// A `latest` fragment that says so when its fact stops holding.
///
/// The derive implements it for `absent = "…"`; see [`Session::retract`](crate::Session::retract).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be taken back: it does not say what the model is told then",
    label = "has no `absent` text",
    note = "add `absent = \"…\"` to `{Self}`"
)]
pub trait RetractableFragment {}

/// Reads the earlier value, and asks the type what changed.
#[doc(hidden)]
pub fn changed_since<T: ChangedFragment + Recorded>(value: &T, earlier: &str) -> Option<Body> {
    value.changed(&T::read_back(earlier)?)
}

/// A `latest` fragment that can say only what changed.
pub trait ChangedFragment: ContextFragment {
    /// Returns what is said when `self` follows `earlier`; `None` asks for the full form.
    fn changed(&self, earlier: &Self) -> Option<Body>;
}
