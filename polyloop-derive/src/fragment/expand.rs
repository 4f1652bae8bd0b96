//! The impls of a sound fragment: a table, and one call for each body.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ExprPath;

use super::ast::{Case, Field, Form, Fragment};
use super::bounds::Bounds;
use super::table;
use super::value::Body;
use crate::common::place::ends;

pub(crate) fn implementations(fragment: &Fragment) -> TokenStream {
    let rendering = rendering(fragment);
    let reading = fragment.is_readable().then(|| reading(fragment));
    let changing = fragment.options.change.as_ref().map(|change| changing(fragment, change));
    let latest = fragment.options.is_latest().then(|| latest(fragment));
    let shared = shared(fragment);
    quote!(#rendering #reading #changing #latest #shared)
}

/// That each field can be shared between threads; underlines the type of one that cannot. Whether a generic type can
/// depends on its arguments.
fn shared(fragment: &Fragment) -> Option<TokenStream> {
    let p = fragment.private();
    let mut seen = BTreeSet::new();
    let fields = fragment.cases.iter().flat_map(|case| &case.fields);
    let distinct = fields.filter(|field| seen.insert(field.ty.to_token_stream().to_string()));
    let parts: Vec<TokenStream> =
        distinct.map(|Field { ty, .. }| quote!(<#ty as #p::Shared>::SHARED)).collect();
    let number = parts.len();
    let allow = fragment.allow_deprecated();
    (number > 0 && fragment.generics.params.is_empty())
        .then(|| quote!(#allow const _: [(); #number] = [#(#parts),*];))
}

/// `impl ContextFragment`
fn rendering(fragment: &Fragment) -> TokenStream {
    let p = fragment.private();
    let spec = table::spec(fragment, &p);
    let body = match fragment.cases.as_slice() {
        [case] if fragment.form == Form::Struct => body(fragment, case, 0),
        cases => {
            let arms = cases.iter().enumerate().map(|(index, case)| {
                let path = &case.path;
                let bindings =
                    case.fields.iter().filter(|field| is_bound(fragment, case, field)).map(|field| {
                        let member = &field.member;
                        let binding = binding(field, Span::mixed_site());
                        quote!(#member: #binding,)
                    });
                let body = body(fragment, case, index);
                quote!(#path { #(#bindings)* .. } => #body,)
            });
            quote!(match self { #(#arms)* })
        }
    };
    let head = head(fragment, &quote!(ContextFragment), &Bounds::of_rendering(fragment));
    quote! {
        #head {
            const SPEC: #p::FragmentSpec = #spec;
            fn body(&self) -> #p::Body {
                #body
            }
        }
    }
}

/// `impl ParseFragment`
fn reading(fragment: &Fragment) -> TokenStream {
    let p = fragment.private();
    let values = fragment.cases.iter().map(|case| {
        let path = &case.path;
        let fields = case.fields.iter().map(|field| {
            let (member, name) = (&field.member, &field.name);
            match fragment.key() {
                Some(key) if key == name => quote!(#member: __fields.key()?),
                _ => quote!(#member: __fields.take(#name)?),
            }
        });
        quote!(#path { #(#fields),* })
    });
    let value = match fragment.form {
        Form::Struct => quote!(#(#values)*),
        Form::Enum | Form::Union => {
            let last = fragment.cases.len().saturating_sub(1);
            let arms = values.enumerate().map(|(index, value)| {
                let pattern = Some(Literal::usize_unsuffixed(index)).filter(|_| index != last);
                let pattern = pattern.map_or_else(|| quote!(_), ToTokens::into_token_stream);
                quote!(#pattern => #value,)
            });
            quote!(match __template { #(#arms)* })
        }
    };
    let head = head(fragment, &quote!(ParseFragment), &Bounds::of_reading(fragment));
    quote! {
        #head {
            fn from_fields(
                __template: ::core::primitive::usize,
                __fields: &mut #p::Fields<'_>,
            ) -> ::core::result::Result<Self, #p::ParseError> {
                ::core::result::Result::Ok(#value)
            }
        }
    }
}

/// `impl ChangedFragment`
fn changing(fragment: &Fragment, change: &ExprPath) -> TokenStream {
    let p = fragment.private();
    let said = call(change, quote!(__earlier, self));
    let head = head(fragment, &quote!(ChangedFragment), &Bounds::of_rendering(fragment));
    quote! {
        #head {
            fn changed(&self, __earlier: &Self) -> ::core::option::Option<#p::Body> {
                #said
            }
        }
    }
}

/// `impl LatestFragment`, and `impl RetractableFragment` where it says how. Only what compares values asks for anything.
fn latest(fragment: &Fragment) -> TokenStream {
    let (p, ident) = (fragment.private(), &fragment.ident);
    let (generics, arguments, bounds) = fragment.generics.split_for_impl();
    let allow = fragment.allow_deprecated();
    let plain = |name| quote!(#allow impl #generics #p::#name for #ident #arguments #bounds);
    let retractable = fragment.options.absent.is_some().then(|| {
        let head = plain(quote!(RetractableFragment));
        quote!(#head {})
    });
    let flag = fragment.options.reading.key("state").filter(|_| fragment.options.change.is_some());
    let Some(flag) = flag else {
        let head = plain(quote!(LatestFragment));
        return quote!(#head {} #retractable);
    };
    let head = head(fragment, &quote!(LatestFragment), &Bounds::of_rendering(fragment));
    let value = quote_spanned!(Span::call_site().located_at(flag.span())=> self);
    quote! {
        #head {
            fn change_since(&self, __earlier: &::core::primitive::str) -> ::core::option::Option<#p::Body> {
                #p::changed_since(#value, __earlier)
            }
        }
        #retractable
    }
}

/// Everything of an impl up to its brace.
pub(crate) fn head(fragment: &Fragment, name: &TokenStream, bounds: &Bounds<'_>) -> TokenStream {
    let p = fragment.private();
    let ident = &fragment.ident;
    let (generics, arguments, _) = fragment.generics.split_for_impl();
    let allow = fragment.allow_deprecated();
    quote! {
        #[automatically_derived]
        #allow
        impl #generics #p::#name for #ident #arguments #bounds
    }
}

/// The expression of a body.
fn body(fragment: &Fragment, case: &Case, index: usize) -> TokenStream {
    let p = fragment.private();
    let text = if let Some(Body::Function(function)) = &case.body {
        let made = call(function, quote!(self));
        quote!(#p::IntoBody::into_body(#made))
    } else {
        let index = Literal::usize_unsuffixed(index);
        let values = case.placed().map(|field| reference(fragment, field));
        // By trait path: the type may have a `SPEC` of its own.
        quote!(#p::Body::template(&<Self as #p::ContextFragment>::SPEC, #index, &[#(#values),*]))
    };
    let key = fragment.key().and_then(|key| case.field(key)).map(|field| {
        let (ty, value) = (&field.ty, reference(fragment, field));
        quote!(.key(<#ty as #p::MarkerKey>::as_key(#value)))
    });
    let [id, channel] = ["id", "channel"].map(|flag| {
        let method = format_ident!("{flag}");
        case.flagged(flag).map(|field| reference(fragment, field)).map(|value| quote!(.#method(#value)))
    });
    let body = quote!(#text #key #id #channel);
    // Underlines the flag when the value cannot be recorded.
    let Some(flag) = fragment.options.reading.key("state") else {
        return body;
    };
    let value = quote_spanned!(Span::call_site().located_at(flag.span())=> self);
    quote!(#p::Recorded::recorded(#value, #body))
}

/// Whether an arm needs the field: others are left to the `..`.
fn is_bound(fragment: &Fragment, case: &Case, field: &Field) -> bool {
    fragment.key() == Some(&field.name)
        || ["id", "channel"].iter().any(|flag| field.reading.has(flag))
        || case.placed().any(|placed| placed.name == field.name)
}

/// A reference to the field's value. It underlines the field's type when that cannot be shown, so its outermost
/// tokens are placed there; those inside keep the hygiene of the expansion.
fn reference(fragment: &Fragment, field: &Field) -> TokenStream {
    let (first, last) = ends(&field.ty);
    if fragment.form == Form::Enum {
        return binding(field, Span::mixed_site().located_at(first)).into_token_stream();
    }
    let and = quote_spanned!(first=> &);
    let member = &field.member;
    let value = parenthesized(quote!(self.#member), last);
    quote!(#and #value)
}

/// The call of a function that the user names; it underlines the path when what it returns does not fit.
fn call(function: &ExprPath, arguments: TokenStream) -> TokenStream {
    let (_, last) = ends(function);
    let arguments = parenthesized(arguments, last);
    quote!(#function #arguments)
}

fn parenthesized(tokens: TokenStream, span: Span) -> Group {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(span);
    group
}

/// The name that a variant's field is bound to; no constant of the user's can have it.
fn binding(field: &Field, span: Span) -> Ident {
    format_ident!("__{}", field.name, span = span)
}
