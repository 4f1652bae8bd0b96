//! The list `retired`: kinds in quotes, and types.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::ParseBuffer;
use syn::{Attribute, Error, LitStr, Token, Type, bracketed, token};

use super::ast::{Entry, List};
use crate::common::sink::Sink;

/// What an entry is not, and what it should be.
const NO_ENTRY: &str =
    "this is no entry of `retired`; write the kind of a fragment in quotes, or the type that had it";

/// Parses `["old.kind", OldType, …]`. A kind becomes a type that no type is: the literal.
pub(super) fn list(parts: &ParseBuffer<'_>, place: Span, sink: &Sink) -> syn::Result<List> {
    if !parts.peek(token::Bracket) {
        return Err(Error::new(place, "a list stands in brackets; write `[First, Second]`"));
    }
    let content;
    let brackets = bracketed!(content in parts);
    let mut entries = Vec::new();
    while !content.is_empty() {
        match entry(&content, sink) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                sink.push(error);
                while !content.is_empty() && !content.peek(Token![,]) {
                    content.parse::<proc_macro2::TokenTree>()?;
                }
            }
        }
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(List { span: Some(brackets.span.join()), entries })
}

fn entry(content: &ParseBuffer<'_>, sink: &Sink) -> syn::Result<Entry> {
    let mut cfgs = Vec::new();
    for attribute in content.call(Attribute::parse_outer)? {
        if attribute.path().is_ident("cfg") {
            cfgs.push(attribute);
        } else {
            sink.error(attribute, "an entry takes `#[cfg]` and doc comments only; put the rest on the type");
        }
    }
    let place = content.span();
    let ty = if content.peek(LitStr) {
        let kind: LitStr = content.parse()?;
        if kind.value().trim().is_empty() {
            return Err(Error::new(kind.span(), NO_ENTRY));
        }
        Type::Verbatim(kind.to_token_stream())
    } else {
        content.parse().map_err(|_| Error::new(place, NO_ENTRY))?
    };
    if !content.is_empty() && !content.peek(Token![,]) {
        return Err(content.error("two entries stand side by side; put a `,` between them"));
    }
    let text = ty.to_token_stream().to_string().replace(' ', "");
    Ok(Entry { cfgs, docs: Vec::new(), ty, text, name: None, renamed: None })
}

/// The value of the runtime for an entry.
pub(super) fn value(entry: &Entry, p: &TokenStream) -> TokenStream {
    let (cfgs, ty) = (&entry.cfgs, &entry.ty);
    let retired = quote!(#p::RetiredKind);
    match ty {
        Type::Verbatim(kind) => quote!(#(#cfgs)* #retired::named(const { &#retired::in_every_role(#kind) })),
        ty => quote!(#(#cfgs)* #retired::of::<#ty>()),
    }
}
