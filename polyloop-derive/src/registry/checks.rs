//! The checks over the specs, as constants at the place of the registry.
//!
//! One constant per check, so that one build reports the finding of each. The panic that ends a build stands on the
//! entry that is at fault, hence one statement per entry.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::ast::{List, Registry};
use super::expand::private;
use crate::common::place::ends;

/// Every check that the lists call for.
pub(super) fn checks(registry: &Registry) -> TokenStream {
    let p = private(registry);
    let name = &registry.name;
    let text = registry.text();
    let spec = quote!(<#name as #p::Registry>::SPEC);
    let mut checks = TokenStream::new();
    if !registry.fragments.entries.is_empty() {
        let list = &registry.fragments;
        for check in [quote!(check_kinds), quote!(check_markers), quote!(check_specs)] {
            checks.extend(constant(
                registry,
                &quote!(#p::#check(#spec.fragments)),
                list,
                place(registry, list),
            ));
        }
        if let Some(max_chars) = &registry.max_chars {
            let call = quote!(#p::check_caps(#text, #spec.fragments, #max_chars));
            checks.extend(constant(registry, &call, &List::default(), max_chars.span()));
        }
    }
    if !registry.retired.entries.is_empty() {
        let list = &registry.retired;
        let call = quote!(#p::check_retired(#spec.fragments, #spec.retired));
        checks.extend(constant(registry, &call, list, place(registry, list)));
    }
    if !registry.tools.entries.is_empty() {
        let list = &registry.tools;
        checks.extend(constant(registry, &quote!(#p::check_tools(#spec.tools)), list, place(registry, list)));
    }
    checks
}

fn place(registry: &Registry, list: &List) -> Span {
    list.span.unwrap_or_else(|| registry.name.span())
}

/// One check: the finding, and one statement per entry that ends the build if it is the one at fault.
fn constant(registry: &Registry, call: &TokenStream, list: &List, place: Span) -> TokenStream {
    let p = private(registry);
    let cfgs = registry.cfgs();
    let at = Ident::new("__at", Span::mixed_site());
    let has_cfg = list.entries.iter().any(|entry| !entry.cfgs.is_empty());
    let entries = list.entries.iter().enumerate().map(|(index, entry)| {
        let cfgs = &entry.cfgs;
        let panic = panic(ends(&entry.ty));
        if has_cfg {
            // Which entry has which index is known only when the compiler has dropped some.
            quote!(#(#cfgs)* { if __FOUND.culprit == #at { #panic } #at += 1; })
        } else {
            quote!(if __FOUND.culprit == #index { #panic })
        }
    });
    let counter = has_cfg.then(|| quote!(let mut #at = 0usize;));
    let panic = panic((place, place));
    quote! {
        #(#cfgs)*
        const _: () = {
            const __FOUND: #p::Finding = #call;
            if __FOUND.culprit != #p::NONE {
                #counter
                #(#entries)*
                #panic
            }
        };
    }
}

/// The panic that ends the build; underlines all from the first place to the last.
fn panic((first, last): (Span, Span)) -> TokenStream {
    let mut arguments = Group::new(Delimiter::Parenthesis, quote!("{}", __FOUND.text()));
    arguments.set_span(last);
    quote_spanned!(first=> ::core::panic! #arguments)
}
