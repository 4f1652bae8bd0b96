//! One impl for each provided field.

use proc_macro2::TokenStream;
use quote::quote;

use super::ast::State;

pub(crate) fn implementations(state: &State) -> TokenStream {
    let (p, ident) = (&state.private, &state.ident);
    let (generics, arguments, _) = state.generics.split_for_impl();
    let written = state.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    // A state is shared between threads; whether a generic one can be depends on its arguments.
    let shared = (!state.generics.params.is_empty())
        .then(|| quote!(#ident #arguments: ::core::marker::Send + ::core::marker::Sync));
    let predicates: Vec<TokenStream> = written.map(|predicate| quote!(#predicate)).chain(shared).collect();
    let clause = (!predicates.is_empty()).then(|| quote!(where #(#predicates),*));
    let allow = state.is_deprecated.then(
        || quote!(#[allow(deprecated, reason = "a deprecated item may have an impl; who uses it is warned")]),
    );
    let implementations = state.provided.iter().map(|field| {
        let (member, ty) = (&field.member, &field.ty);
        quote! {
            #[automatically_derived]
            #allow
            impl #generics #p::Provide<#ty> for #ident #arguments #clause {
                fn provide(&self) -> &#ty {
                    &self.#member
                }
            }
        }
    });
    quote!(#(#implementations)*)
}
