//! Fragment kinds that are not recorded any more, and that old sessions hold.

use super::const_text::ConstText;
use super::finding::{Finding, equal};
use super::{FragmentEntry, Registry};
use crate::fragment::{ContextFragment, FragmentSpec};
use crate::message::Role;

/// A fragment kind that a registry does not have any more: its items in old sessions can be read, and none is added. What
/// `registry!` writes for an entry of `retired`.
#[derive(Clone, Copy, Debug)]
pub struct RetiredKind {
    /// One description, of the type that had the kind; or, where only its name is left, one for each role.
    specs: &'static [FragmentSpec],
}

impl RetiredKind {
    /// Retires the kind of a type that is still there: its items stay exactly what they were.
    #[must_use]
    pub const fn of<T: ContextFragment>() -> Self {
        Self { specs: const { &[T::SPEC] } }
    }

    /// Retires kinds of which only the name is left, from one description for each role.
    #[doc(hidden)]
    #[must_use]
    pub const fn named(specs: &'static [FragmentSpec; 4]) -> Self {
        Self { specs }
    }

    /// Makes the descriptions that [`named`](Self::named) takes.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_every_role(kind: &'static str) -> [FragmentSpec; 4] {
        const fn spec(kind: &'static str, role: Role) -> FragmentSpec {
            FragmentSpec::new(kind, role, usize::MAX).unmarked("its type is retired")
        }

        // The first one is for records that do not say the role: nobody speaks with less authority.
        [
            spec(kind, Role::User),
            spec(kind, Role::Developer),
            spec(kind, Role::System),
            spec(kind, Role::Assistant),
        ]
    }

    /// Returns the kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.specs {
            [first, ..] => first.kind,
            [] => "",
        }
    }

    /// The description of the type, where that is still there.
    pub(crate) fn of_a_type(&self) -> Option<&'static FragmentSpec> {
        match self.specs {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The description for an item of this kind, as which a role was recorded.
    fn find(&self, kind: &str, role: Option<Role>) -> Option<&'static FragmentSpec> {
        let is_it = |spec: &&FragmentSpec| spec.kind == kind || spec.was.contains(&kind);
        let spec = self.specs.first().filter(is_it)?;
        let exact = self.specs.iter().find(|spec| Some(spec.role) == role);
        Some(if self.specs.len() > 1 { exact.unwrap_or(spec) } else { spec })
    }
}

/// Finds the description of a kind that is retired, by its name or a former one.
pub(super) fn retired_by_kind<R: Registry>(kind: &str, role: Option<Role>) -> Option<&'static FragmentSpec> {
    R::SPEC.retired.iter().find_map(|retired| retired.find(kind, role))
}

/// The descriptions of the retired types that are still there.
pub(crate) fn retired_types<R: Registry>() -> impl Iterator<Item = &'static FragmentSpec> {
    R::SPEC.retired.iter().filter_map(RetiredKind::of_a_type)
}

/// Refuses a retired kind that a registered type has, or that is retired twice.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "`get` is not const on stable; the positions are checked")]
pub const fn check_retired<K>(entries: &[FragmentEntry<K>], retired: &[RetiredKind]) -> Finding {
    let mut at = 0;
    while at < retired.len() {
        let kind = retired[at].kind();
        let mut entry = 0;
        while entry < entries.len() {
            let spec = entries[entry].spec;
            let mut has_it = equal(spec.kind, kind);
            let mut former = 0;
            while former < spec.was.len() {
                has_it = has_it || equal(spec.was[former], kind);
                former += 1;
            }
            if has_it {
                let text = ConstText::new()
                    .with("the kind `")
                    .with(kind)
                    .with("` is retired, and `")
                    .with(spec.type_name)
                    .with("` has it; leave it out of `retired`");
                return Finding::at(at, text);
            }
            entry += 1;
        }
        let mut before = 0;
        while before < at {
            if equal(retired[before].kind(), kind) {
                let text = ConstText::new()
                    .with("the kind `")
                    .with(kind)
                    .with("` is retired twice; keep one of them");
                return Finding::at(at, text);
            }
            before += 1;
        }
        at += 1;
    }
    Finding::none()
}
