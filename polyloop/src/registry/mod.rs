//! The closed set: which fragments and tools there are, and the checks that the compiler makes of them.

mod check;
mod const_text;
mod faults;
mod finding;
mod forms;
mod heads;
mod lock;
mod retired;
mod tools;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub use check::{check_caps, check_kinds, check_specs, check_tools};
pub use finding::{Finding, NONE};
pub use forms::check_markers;
pub use lock::assert_marker_lock;
use retired::retired_by_kind;
pub(crate) use retired::retired_types;
pub use retired::{RetiredKind, check_retired};
pub use tools::{ListedTool, RegisteredTool, ToolList, ToolTuple};

use crate::error::{ParseError, RecordError, SetError};
use crate::fragment::{
    Body, ContextFragment, FragmentSpec, MarkerIndex, ParseFragment, Rendered, SpecIdentity, parse_in,
    render_in, retraction_in,
};
use crate::message::Role;
use crate::tool::{Scalars, ToolEntry, ToolSet};

/// One registered fragment type; what `registry!` writes.
#[derive(Clone, Copy, Debug)]
pub struct FragmentEntry<K> {
    /// The variant of the registry's enum of kinds.
    pub kind: K,
    /// The type's description.
    pub spec: &'static FragmentSpec,
}

impl<K> FragmentEntry<K> {
    /// Makes the entry of a fragment type.
    #[must_use]
    pub const fn new<T: ContextFragment>(kind: K) -> Self {
        Self { kind, spec: &T::SPEC }
    }
}

/// The description of a registry, as data.
pub struct RegistrySpec<R: Registry> {
    /// The name of the registry's type.
    pub name: &'static str,
    /// The fragments, in the order of the declaration.
    pub fragments: &'static [FragmentEntry<R::Kind>],
    /// The tools, in the order of the declaration.
    pub tools: &'static [ToolEntry<R::State>],
    /// The fragment kinds that are not recorded any more, and that old sessions may hold.
    pub retired: &'static [RetiredKind],
    /// The limit of the sum of all caps, in characters.
    pub max_chars: Option<usize>,
    /// Whether near misses of scalar arguments are taken.
    pub scalars: Scalars,
}

impl<R: Registry> RegistrySpec<R> {
    /// Starts a description.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, fragments: &[], tools: &[], retired: &[], max_chars: None, scalars: Scalars::Near }
    }

    /// Sets the fragments.
    #[must_use]
    pub const fn fragments(mut self, fragments: &'static [FragmentEntry<R::Kind>]) -> Self {
        self.fragments = fragments;
        self
    }

    /// Sets the tools.
    #[must_use]
    pub const fn tools(mut self, tools: &'static [ToolEntry<R::State>]) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the fragment kinds that are not recorded any more.
    #[must_use]
    pub const fn retired(mut self, kinds: &'static [RetiredKind]) -> Self {
        self.retired = kinds;
        self
    }

    /// Sets the limit of the sum of all caps, in characters.
    #[must_use]
    pub const fn max_chars(mut self, chars: usize) -> Self {
        self.max_chars = Some(chars);
        self
    }

    /// Sets whether near misses of scalar arguments are taken.
    #[must_use]
    pub const fn scalars(mut self, scalars: Scalars) -> Self {
        self.scalars = scalars;
        self
    }
}

impl<R: Registry> fmt::Debug for RegistrySpec<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RegistrySpec").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A closed set of fragments and tools; `registry!` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a registry",
    label = "not a registry",
    note = "declare it with `registry!`"
)]
pub trait Registry: Sized + Send + Sync + 'static {
    /// The state that tools borrow from.
    type State: Send + Sync + 'static;
    /// The kinds of the registered fragments; a `match` over them breaks when one is added.
    type Kind: Copy + Eq + fmt::Debug + Send + Sync + 'static;

    /// Describes the registry.
    const SPEC: RegistrySpec<Self>;

    /// Returns what is built once for each process.
    #[doc(hidden)]
    fn built() -> &'static Built<Self>;

    /// Renders a fragment: the text that counts, markers of all registered kinds neutralised inside its values.
    ///
    /// # Errors
    ///
    /// When the text is over the cap, a key is refused, or the text would not be recognised.
    fn render<F: Registered<Self>>(fragment: &F) -> Result<Rendered, RecordError> {
        render_body::<Self, F>(fragment.body())
    }

    /// Knows a text again: which kind, which key, where its body is.
    ///
    /// A miss costs the same whatever the length of the text, and both cost the same whatever the number of kinds.
    #[must_use]
    fn recognize(text: &str) -> Option<Recognized<'_, Self::Kind>> {
        let hit = Self::built().index.recognize(text)?;
        let entry = Self::SPEC.fragments.get(hit.kind)?;
        let key = hit.key.and_then(|key| text.get(key));
        Some(Recognized { kind: entry.kind, key, body: hit.body, legacy: hit.legacy })
    }

    /// Reads a fragment back from a text that [`render`](Self::render) gave.
    ///
    /// # Errors
    ///
    /// When the text is not of this kind's form, can be split in several ways, or a field does not read.
    fn parse<F: Registered<Self> + ParseFragment>(text: &str) -> Result<F, ParseError> {
        parse_in(text, position::<Self>(F::KIND), &Self::built().index)
    }

    /// Whether a text holds a marker of some registered kind, anywhere.
    #[must_use]
    fn holds_marker(text: &str) -> bool {
        Self::built().index.contains_marker(text)
    }

    /// Returns the tools.
    ///
    /// # Errors
    ///
    /// When a type cannot be described to a model; every problem is listed. A schema is made once for each process.
    fn tools() -> Result<ToolSet<Self::State>, SetError> {
        let built = Self::built();
        built.tools.get_or_init(|| ToolSet::new(Self::SPEC.tools, Self::SPEC.scalars)).clone()
    }

    /// Returns a fingerprint of all descriptions: the same in every process, another one after any change.
    ///
    /// # Errors
    ///
    /// When the tools cannot be built.
    fn fingerprint() -> Result<String, SetError> {
        let mut hasher = blake3::Hasher::new();
        for entry in Self::SPEC.fragments {
            hasher.update(format!("{:?}\n", SpecIdentity(entry.spec)).as_bytes());
        }
        for retired in Self::SPEC.retired {
            let kind = retired.of_a_type().map(SpecIdentity);
            hasher.update(format!("retired {:?} {kind:?}\n", retired.kind()).as_bytes());
        }
        hasher.update(format!("{:?}\n", Self::SPEC.max_chars).as_bytes());
        hasher.update(Self::tools()?.fingerprint().as_bytes());
        Ok(hasher.finalize().to_hex().to_string())
    }
}

/// A fragment that is registered in `R`; `registry!` implements it for each entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not registered in `{R}`, so it cannot be shown to the model",
    label = "not registered in `{R}`",
    note = "what a model sees is a type with `#[derive(ContextFragment)]`, listed under `fragments` in `registry!`"
)]
pub trait Registered<R: Registry>: Listed<R> {}

/// An entry under `fragments`; what `registry!` writes.
///
/// Apart from [`Registered`], so that a type which is not registered is told so, without a list of those that are.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not listed in `{R}`, and nothing else makes it a member; list it under `fragments` in `registry!`",
    label = "not listed in `{R}`"
)]
pub trait Listed<R: Registry>: ContextFragment {
    const KIND: R::Kind;
}

#[diagnostic::do_not_recommend]
impl<R: Registry, T: Listed<R>> Registered<R> for T {}

/// What a text was recognised as.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recognized<'t, K> {
    /// The kind.
    pub kind: K,
    /// The key inside the markers.
    pub key: Option<&'t str>,
    /// Where the body is in the text, in bytes.
    pub body: Range<usize>,
    /// Whether an old form matched.
    pub legacy: bool,
}

/// What a registry builds once per process.
#[doc(hidden)]
pub struct Built<R: Registry> {
    pub(crate) index: MarkerIndex,
    tools: OnceLock<Result<ToolSet<R::State>, SetError>>,
}

impl<R: Registry> fmt::Debug for Built<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Built").finish_non_exhaustive()
    }
}

/// A place for what is built at the first use.
#[doc(hidden)]
#[derive(Debug)]
pub struct OnceBuilt<R: Registry>(OnceLock<Built<R>>);

impl<R: Registry> OnceBuilt<R> {
    #[expect(clippy::new_without_default, reason = "a static is made by a const function")]
    #[must_use]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    pub fn get(&'static self) -> &'static Built<R> {
        self.0.get_or_init(|| Built {
            index: MarkerIndex::with_retired(
                R::SPEC.fragments.iter().map(|entry| entry.spec),
                retired_types::<R>(),
            ),
            tools: OnceLock::new(),
        })
    }
}

/// Whether texts hold a marker that a model is told one behind another: in one of them, or across several.
pub(crate) fn hold_marker<R: Registry>(parts: &[Arc<str>]) -> bool {
    match parts {
        [one] => R::holds_marker(one),
        parts => R::holds_marker(&parts.concat()),
    }
}

/// Finds the description of a kind by its name or a former one, also of one that is retired, as which this role was recorded;
/// else tells which kinds there are.
pub(crate) fn fragment_by_kind<R: Registry>(
    kind: &str,
    role: Option<Role>,
) -> Result<&'static FragmentSpec, Vec<String>> {
    let specs = || R::SPEC.fragments.iter().map(|entry| entry.spec);
    let named = specs().find(|spec| spec.kind == kind);
    named
        .or_else(|| specs().find(|spec| spec.was.contains(&kind)))
        .or_else(|| retired_by_kind::<R>(kind, role))
        .ok_or_else(|| specs().map(|spec| spec.kind.to_owned()).collect())
}

/// Renders a body of a kind.
pub(crate) fn render_body<R: Registry, F: Registered<R>>(body: Body) -> Result<Rendered, RecordError> {
    render_in(&F::SPEC, position::<R>(F::KIND), body, &R::built().index)
}

/// Renders what is said when a fact stops holding.
pub(crate) fn render_retraction<R: Registry>(
    spec: &FragmentSpec,
    earlier: &Rendered,
    says: &str,
) -> Result<Rendered, RecordError> {
    let own = R::SPEC.fragments.iter().position(|entry| entry.spec.kind == spec.kind);
    retraction_in(spec, own.unwrap_or(usize::MAX), earlier, says, &R::built().index)
}

/// Where a kind stands in its registry.
fn position<R: Registry>(kind: R::Kind) -> usize {
    R::SPEC.fragments.iter().position(|entry| entry.kind == kind).unwrap_or(usize::MAX)
}
