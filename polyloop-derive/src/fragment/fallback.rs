//! What is still emitted for a fragment with a mistake, so that the mistake is the only thing reported.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{ConstParam, GenericParam, TypeParam};

use super::ast::Fragment;
use super::bounds::Bounds;
use super::expand::head;
use super::valid::{is_kind, is_reserved};

/// Impls that can be named but never run.
pub(crate) fn stubs(fragment: &Fragment) -> TokenStream {
    let p = fragment.private();
    let kind = legal_kind(&fragment.kind());
    let name = fragment.ident.unraw().to_string();
    let [rendering, reading, latest, retractable] =
        [quote!(ContextFragment), quote!(ParseFragment), quote!(LatestFragment), quote!(RetractableFragment)]
            .map(|name| stub_head(fragment, &name));
    quote! {
        #rendering {
            const SPEC: #p::FragmentSpec = #p::FragmentSpec::new(#kind, #p::Role::User, 1)
                .declared(#name, ::core::file!(), ::core::line!())
                .unmarked("its declaration has a mistake");
            fn body(&self) -> #p::Body {
                ::core::unreachable!()
            }
        }
        #reading {
            fn from_fields(
                _: ::core::primitive::usize,
                _: &mut #p::Fields<'_>,
            ) -> ::core::result::Result<Self, #p::ParseError> {
                ::core::unreachable!()
            }
        }
        #latest {}
        #retractable {}
    }
}

/// The kind, or one made of it to which no check of the registry objects.
fn legal_kind(kind: &str) -> String {
    if is_kind(kind) && !is_reserved(kind) {
        return kind.to_owned();
    }
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    format!("refused_{}", kind.chars().map(plain).collect::<String>())
}

/// A lifetime is among the mistakes; the traits ask for `'static`, so the stub is for that.
fn stub_head(fragment: &Fragment, name: &TokenStream) -> TokenStream {
    if fragment.generics.lifetimes().next().is_none() {
        return head(fragment, name, &Bounds::of_parameters(fragment));
    }
    let p = fragment.private();
    let ident = &fragment.ident;
    let arguments = fragment.generics.params.iter().map(|parameter| match parameter {
        GenericParam::Lifetime(_) => quote!('static),
        GenericParam::Type(TypeParam { ident, .. }) | GenericParam::Const(ConstParam { ident, .. }) => {
            quote!(#ident)
        }
    });
    let mut generics = fragment.generics.clone();
    generics.params =
        generics.params.into_iter().filter(|it| !matches!(it, GenericParam::Lifetime(_))).collect();
    let (parameters, ..) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #p::#name for #ident<#(#arguments),*>
    }
}
