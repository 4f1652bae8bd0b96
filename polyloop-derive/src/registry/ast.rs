//! The registry as written, each part with the tokens that an error underlines.

use proc_macro2::Span;
use quote::format_ident;
use syn::ext::IdentExt;
use syn::{Attribute, Ident, LitInt, Path, Type, Visibility};

use crate::tool::bare;
use crate::toolbox::module_of;

/// The whole declaration.
pub(super) struct Registry {
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    pub(super) name: Ident,
    pub(super) state: Option<Type>,
    pub(super) fragments: List,
    pub(super) tools: List,
    pub(super) retired: List,
    pub(super) max_chars: Option<LitInt>,
    pub(super) scalars: Option<Scalars>,
    pub(super) krate: Option<Path>,
}

/// One of the lists.
#[derive(Default)]
pub(super) struct List {
    /// Where the list stands, for what concerns no single entry.
    pub(super) span: Option<Span>,
    pub(super) entries: Vec<Entry>,
}

/// One type in a list.
pub(super) struct Entry {
    /// `#[cfg]` only.
    pub(super) cfgs: Vec<Attribute>,
    pub(super) docs: Vec<Attribute>,
    pub(super) ty: Type,
    /// The type as it is written, without the spaces that tokens are printed with.
    pub(super) text: String,
    /// The name behind `as`, or the last segment of the path.
    pub(super) name: Option<Ident>,
    /// The name behind `as`.
    pub(super) renamed: Option<Ident>,
}

/// Are near misses of scalar arguments taken?
#[derive(Clone, Copy)]
pub(super) enum Scalars {
    Near,
    Exact,
}

impl Registry {
    /// The name as people read it: without `r#`.
    pub(super) fn text(&self) -> String {
        self.name.unraw().to_string()
    }

    /// The enum of kinds: `AppKind`.
    pub(super) fn kind(&self) -> Ident {
        format_ident!("{}Kind", self.name, span = self.name.span())
    }

    /// The `#[cfg]`s of the declaration, which everything beside the struct repeats.
    pub(super) fn cfgs(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
    }

    /// Whether the author derives the trait already.
    pub(super) fn derives(&self, name: &str) -> bool {
        let derives = self.attributes.iter().filter(|attribute| attribute.path().is_ident("derive"));
        let mut listed = derives.filter_map(|attribute| attribute.meta.require_list().ok());
        listed.any(|list| list.tokens.clone().into_iter().any(|token| token.to_string() == name))
    }

    /// The fragments that have a name to stand under, each name and each type once.
    pub(super) fn named_fragments(&self) -> Vec<(&Entry, &Ident)> {
        let mut named: Vec<(&Entry, &Ident)> = Vec::new();
        for entry in &self.fragments.entries {
            let clashes = |other: &Entry| other.is_same(entry) || other.name == entry.name;
            if let Some(name) = &entry.name
                && named.iter().all(|(other, _)| !clashes(other) || other.excludes(entry))
            {
                named.push((entry, name));
            }
        }
        named
    }

    /// The tools, each once.
    pub(super) fn distinct_tools(&self) -> Vec<&Entry> {
        let mut distinct: Vec<&Entry> = Vec::new();
        // A method is refused for what it is; the compiler would say nothing more of use.
        for entry in self.tools.entries.iter().filter(|entry| entry.as_method().is_none()) {
            if distinct.iter().all(|other| !other.is_same(entry) || other.excludes(entry)) {
                distinct.push(entry);
            }
        }
        distinct
    }
}

impl Entry {
    /// Where the tool stands that is written like a method: `todo_tools::read` for `Todo::read`.
    pub(super) fn as_method(&self) -> Option<Path> {
        let Type::Path(written) = bare(&self.ty) else {
            return None;
        };
        let mut path = written.path.clone();
        let owner = path.segments.iter_mut().nth_back(1).filter(|_| written.qself.is_none())?;
        if !owner.ident.unraw().to_string().starts_with(char::is_uppercase) {
            return None;
        }
        *owner = module_of(&owner.ident).into();
        Some(path)
    }

    /// Whether the two may be meant never to be there together; only the compiler knows, so both must say so.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        !self.cfgs.is_empty() && !other.cfgs.is_empty()
    }

    /// Whether both are the same type, as far as the tokens tell.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.text == other.text
    }
}
