//! One impl for each provided field.

use proc_macro2::TokenStream;
use quote::quote;

use super::ast::State;

pub(crate) fn implementations(state: &State) -> TokenStream {
    let (p, ident) = (&state.private, &state.ident);
    let (generics, arguments, _) = state.generics.split_for_impl();
    let written = state.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    // A state is shared between threads; whether a generic one can be depends on its arguments.
    // A lifetime that is not used makes it a condition: what cannot be shared is reported once, at its field.
    let clause = quote! {
        where #(#written,)* for<'__a> Self: ::core::marker::Send + ::core::marker::Sync
    };
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
    let shared = state.provided.iter().map(|field| &field.ty);
    let number = state.provided.len();
    let shared = (number > 0 && state.generics.params.is_empty())
        .then(|| quote!(#allow const _: [(); #number] = [#(<#shared as #p::Shared>::SHARED),*];));
    quote!(#(#implementations)* #shared)
}
