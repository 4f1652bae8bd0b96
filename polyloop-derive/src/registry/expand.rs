//! The tokens of a registry: a marker type, the enum of kinds, two tables, and one marker per entry.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Ident;

use super::ast::{Registry, Scalars};
use super::retired;
use crate::common::krate;

/// Everything but the checks.
pub(super) fn items(registry: &Registry) -> TokenStream {
    let types = types(registry);
    let implementation = implementation(registry);
    let members = members(registry);
    quote!(#types #implementation #members)
}

/// The path of the names that an expansion uses.
pub(super) fn private(registry: &Registry) -> TokenStream {
    let krate = krate::path(registry.krate.as_ref());
    quote!(#krate::__private)
}

fn types(registry: &Registry) -> TokenStream {
    let Registry { attributes, visibility, name, .. } = registry;
    let kind = registry.kind();
    let cfgs = registry.cfgs();
    let variants = registry.named_fragments().into_iter().map(|(entry, name)| {
        let doc = format!("`{}`", entry.text);
        let (cfgs, docs) = (&entry.cfgs, &entry.docs);
        let docs = if docs.is_empty() { quote!(#[doc = #doc]) } else { quote!(#(#docs)*) };
        quote!(#(#cfgs)* #docs #name)
    });
    let has_unusual = registry.named_fragments().iter().any(|(_, name)| is_unusual(name));
    let unusual = has_unusual
        .then(|| quote!(#[allow(non_camel_case_types, reason = "a kind has the name of its type")]));
    let doc = format!("The fragment kinds of `{}`.", registry.text());
    let derives = [
        ("Clone", quote!(::core::clone::Clone)),
        ("Copy", quote!(::core::marker::Copy)),
        ("Debug", quote!(::core::fmt::Debug)),
    ];
    let derives = derives.into_iter().filter(|(name, _)| !registry.derives(name)).map(|(_, path)| path);
    quote! {
        #(#attributes)*
        #[derive(#(#derives),*)]
        #visibility struct #name;

        #(#cfgs)*
        #[doc = #doc]
        #unusual
        #[derive(
            ::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug,
            ::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash,
        )]
        #visibility enum #kind { #(#variants),* }
    }
}

/// Whether the compiler would ask for another spelling; the author of the type has answered that already.
fn is_unusual(name: &Ident) -> bool {
    let name = name.to_string();
    name.contains('_') || name.starts_with(char::is_lowercase)
}

fn implementation(registry: &Registry) -> TokenStream {
    let p = private(registry);
    let Registry { name, max_chars, .. } = registry;
    let kind = registry.kind();
    let cfgs = registry.cfgs();
    let state = state_type(registry);
    // The only place with a bound on an entry's type; an error underlines the entry. By trait path, so that no note
    // leads from there into our own source.
    let fragments = registry.named_fragments().into_iter().map(|(entry, variant)| {
        let (cfgs, ty) = (&entry.cfgs, &entry.ty);
        quote!(#(#cfgs)* #p::FragmentEntry { kind: #kind::#variant, spec: &<#ty as #p::ContextFragment>::SPEC })
    });
    let tools = registry.distinct_tools().into_iter().map(|entry| {
        let (cfgs, ty) = (&entry.cfgs, &entry.ty);
        let tool = quote!(<#ty as #p::Tool<<#name as #p::Registry>::State>>);
        quote!(#(#cfgs)* #p::ToolEntry::of(&#tool::SPEC, #tool::prepare, #tool::identity))
    });
    let retired = &registry.retired.entries;
    let retired = (!retired.is_empty()).then(|| {
        let retired = retired.iter().map(|entry| retired::value(entry, &p));
        quote!(.retired(&[#(#retired),*]))
    });
    let max_chars = max_chars.iter();
    let scalars = registry.scalars.map(|scalars| match scalars {
        Scalars::Near => quote!(.scalars(#p::Scalars::Near)),
        Scalars::Exact => quote!(.scalars(#p::Scalars::Exact)),
    });
    let text = registry.text();
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #p::Registry for #name {
            type State = #state;
            type Kind = #kind;
            const SPEC: #p::RegistrySpec<Self> = #p::RegistrySpec::new(#text)
                .fragments(&[#(#fragments),*])
                .tools(&[#(#tools),*])
                #retired
                #(.max_chars(#max_chars))*
                #scalars;
            fn built() -> &'static #p::Built<Self> {
                static __BUILT: #p::OnceBuilt<#name> = #p::OnceBuilt::new();
                __BUILT.get()
            }
        }
    }
}

fn state_type(registry: &Registry) -> TokenStream {
    registry.state.as_ref().map_or_else(|| quote!(()), ToTokens::to_token_stream)
}

/// What makes each entry a member, so that the compiler refuses everything else.
///
/// The bound of each is the trait's own, written again with a lifetime that is not used: so the compiler takes it as a
/// condition, and a type that does not meet it is reported once, at the table.
fn members(registry: &Registry) -> TokenStream {
    let p = private(registry);
    let state = state_type(registry);
    let name = &registry.name;
    let kind = registry.kind();
    let outer: Vec<_> = registry.cfgs().collect();
    let fragments = registry.named_fragments().into_iter().map(|(entry, variant)| {
        let (cfgs, ty) = (&entry.cfgs, &entry.ty);
        quote! {
            #(#outer)*
            #(#cfgs)*
            #[automatically_derived]
            impl #p::Listed<#name> for #ty where for<'__a> #ty: #p::ContextFragment {
                const KIND: #kind = #kind::#variant;
            }
        }
    });
    let tools = registry.distinct_tools().into_iter().map(|entry| {
        let (cfgs, ty) = (&entry.cfgs, &entry.ty);
        quote! {
            #(#outer)*
            #(#cfgs)*
            #[automatically_derived]
            impl #p::ListedTool<#name> for #ty where for<'__a> #ty: #p::Tool<#state> {}
        }
    });
    quote!(#(#fragments)* #(#tools)*)
}
