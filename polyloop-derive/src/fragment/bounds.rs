//! What the generated impls ask of the type's parameters and of its fields' types.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::GenericParam;

use super::ast::{Field, Fragment};

/// Predicates that are added to the user's own; each is kept once.
pub(crate) struct Bounds<'a> {
    fragment: &'a Fragment,
    parameters: Vec<&'a Ident>,
    predicates: Vec<TokenStream>,
    seen: BTreeSet<String>,
}

impl<'a> Bounds<'a> {
    /// What the trait itself asks: a fragment is shared between threads and outlives what made it.
    pub(crate) fn of_parameters(fragment: &'a Fragment) -> Self {
        let parameters = fragment.generics.params.iter().filter_map(name).collect();
        let mut bounds = Self { fragment, parameters, predicates: Vec::new(), seen: BTreeSet::new() };
        for parameter in fragment.generics.type_params() {
            let ident = &parameter.ident;
            bounds.add(quote!(#ident: ::core::marker::Send + ::core::marker::Sync + 'static));
        }
        // A lifetime that is not used makes it a condition: what cannot be shared is reported once, at its field.
        bounds.add(quote!(for<'__a> Self: ::core::marker::Send + ::core::marker::Sync));
        bounds
    }

    /// What `ContextFragment` asks of a generic type; a type without parameters is simply used as it is.
    pub(crate) fn of_rendering(fragment: &'a Fragment) -> Self {
        let mut bounds = Self::of_parameters(fragment);
        let p = fragment.private();
        for case in &fragment.cases {
            let flagged = ["id", "channel"].into_iter().filter_map(|flag| case.flagged(flag));
            for field in case.placed().chain(flagged) {
                bounds.add_generic(field, &quote!(::core::fmt::Display));
            }
            if let Some(field) = fragment.key().and_then(|key| case.field(key)) {
                bounds.add_generic(field, &quote!(#p::MarkerKey));
            }
        }
        if fragment.options.has("state") && !bounds.parameters.is_empty() {
            bounds.add(quote!(Self: #p::Recorded));
        }
        bounds
    }

    /// What reading back asks of each field. The `for` keeps a type that cannot be read from being an error:
    /// the impl then does not apply.
    pub(crate) fn of_reading(fragment: &'a Fragment) -> Self {
        let mut bounds = Self::of_rendering(fragment);
        let p = fragment.private();
        for case in &fragment.cases {
            let key = fragment.key().and_then(|key| case.field(key));
            for Field { ty, .. } in case.placed().chain(key) {
                bounds.add(quote!(for<'__a> #ty: #p::FromText));
            }
        }
        bounds
    }

    fn add(&mut self, predicate: TokenStream) {
        if self.seen.insert(predicate.to_string()) {
            self.predicates.push(predicate);
        }
    }

    fn add_generic(&mut self, Field { ty, .. }: &Field, bound: &TokenStream) {
        if mentions(ty.to_token_stream(), &self.parameters) {
            self.add(quote!(#ty: #bound));
        }
    }
}

impl ToTokens for Bounds<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let written = self.fragment.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        let added = &self.predicates;
        let predicates = quote!(#(#written,)* #(#added),*);
        if !predicates.is_empty() {
            tokens.extend(quote!(where #predicates));
        }
    }
}

fn name(parameter: &GenericParam) -> Option<&Ident> {
    match parameter {
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
        GenericParam::Lifetime(_) => None,
    }
}

/// Whether one of the names occurs among the tokens.
fn mentions(tokens: TokenStream, names: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.contains(&&ident),
        TokenTree::Group(group) => mentions(group.stream(), names),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
