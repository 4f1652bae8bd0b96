//! The grammar: a struct whose fields are the registry's parts. One bad part does not hide the others.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseBuffer, ParseStream};
use syn::{
    Attribute, Error, Expr, ExprLit, Generics, Ident, Lit, LitInt, Token, Type, Visibility, braced,
    bracketed, token,
};

use super::ast::{Entry, List, Registry, Scalars};
use super::retired;
use crate::common::docs;
use crate::common::nearest::nearest;
use crate::common::sink::Sink;
use crate::tool::bare;

/// Each part's name, and how it is written.
const PARTS: [(&str, &str); 7] = [
    ("state", "state: Store"),
    ("fragments", "fragments: [Skill]"),
    ("tools", "tools: [read_file]"),
    ("retired", "retired: [\"old.kind\"]"),
    ("max_chars", "max_chars: 80_000"),
    ("scalars", "scalars: near"),
    ("crate", "crate: path::to::polyloop"),
];

/// Parses the whole declaration; only without a name or braces is there nothing to go on with.
pub(super) fn registry(input: ParseStream<'_>, sink: &Sink) -> syn::Result<Registry> {
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility: Visibility = input.parse()?;
    if !input.peek(Token![struct]) {
        return Err(Error::new(
            input.span(),
            "a registry is declared like a struct; write `struct App { … }`",
        ));
    }
    input.parse::<Token![struct]>()?;
    let name: Ident = input
        .parse()
        .map_err(|error| Error::new(error.span(), "a registry has a name; write `struct App { … }`"))?;
    let generics: Generics = input.parse()?;
    if !generics.params.is_empty() {
        sink.error(
            &generics,
            "a registry is one closed set, so it cannot be generic; leave out the parameters",
        );
    }
    let mut registry = Registry {
        attributes,
        visibility,
        name,
        state: None,
        fragments: List::default(),
        tools: List::default(),
        retired: List::default(),
        max_chars: None,
        scalars: None,
        krate: None,
    };
    if !input.peek(token::Brace) {
        let name = &registry.name;
        let remedy = format!("write `struct {name} {{ … }}`");
        sink.error_at(input.span(), format!("a registry has its parts in braces; {remedy}"));
        input.parse::<TokenStream>()?;
        return Ok(registry);
    }
    let parts;
    braced!(parts in input);
    let mut seen: Vec<String> = Vec::new();
    while !parts.is_empty() {
        part(&parts, &mut registry, &mut seen, sink)?;
    }
    if !input.is_empty() {
        let rest: TokenStream = input.parse()?;
        sink.error(rest, "`registry!` declares one registry; write another `registry!` for the next");
    }
    Ok(registry)
}

/// Parses `key: value` and the comma behind it.
fn part(
    parts: &ParseBuffer<'_>,
    registry: &mut Registry,
    seen: &mut Vec<String>,
    sink: &Sink,
) -> syn::Result<()> {
    let attributes = parts.call(Attribute::parse_outer)?;
    for attribute in attributes.iter().filter(|attribute| !docs::is_doc(attribute)) {
        sink.error(
            attribute,
            "a part of a registry takes no attributes; `#[cfg]` goes on the entries of a list",
        );
    }
    if parts.peek(Token![,]) {
        sink.push(parts.error("no part stands in front of this `,`; leave it out"));
        return parts.parse::<Token![,]>().map(drop);
    }
    if !parts.peek(Ident::peek_any) {
        sink.push(
            parts.error("a part of a registry begins with its name; write for example `tools: [read_file]`"),
        );
        return skip(parts);
    }
    let key = parts.call(Ident::parse_any)?;
    let word = key.unraw().to_string();
    let Some(&(_, sample)) = PARTS.iter().find(|(known, _)| *known == word) else {
        sink.error(&key, unknown(&word));
        return skip(parts);
    };
    if seen.contains(&word) {
        sink.error(&key, format!("`{word}` is given twice; keep one of them"));
        return skip(parts);
    }
    if parts.peek(Token![:]) {
        parts.parse::<Token![:]>()?;
    } else {
        let message = format!("the value of `{word}` stands behind `:`; write for example `{sample}`");
        sink.error_at(place(parts, &key), message);
        seen.push(word);
        return skip(parts);
    }
    let read = value(parts, &word, &key, sample, registry, sink);
    seen.push(word);
    match read {
        Ok(()) if parts.is_empty() => Ok(()),
        Ok(()) if parts.peek(Token![,]) => parts.parse::<Token![,]>().map(drop),
        Ok(()) => {
            sink.push(parts.error("two parts stand side by side; put a `,` between them"));
            if starts_part(parts) { Ok(()) } else { skip(parts) }
        }
        Err(error) => {
            sink.push(error);
            skip(parts)
        }
    }
}

fn value(
    parts: &ParseBuffer<'_>,
    word: &str,
    key: &Ident,
    sample: &str,
    registry: &mut Registry,
    sink: &Sink,
) -> syn::Result<()> {
    let place = place(parts, key);
    let wanted = |what| Error::new(place, format!("`{word}` takes {what}; write for example `{sample}`"));
    match word {
        "state" => registry.state = Some(parts.parse().map_err(|_| wanted("a type"))?),
        "fragments" => registry.fragments = list(parts, true, place, sink)?,
        "retired" => registry.retired = retired::list(parts, place, sink)?,
        "tools" => registry.tools = list(parts, false, place, sink)?,
        "max_chars" => registry.max_chars = max_chars(parts, place, sink)?,
        "scalars" => registry.scalars = scalars(parts, place, sink)?,
        _ => {
            let path = parts.call(syn::Path::parse_mod_style);
            registry.krate = Some(path.map_err(|_| wanted("a path"))?);
        }
    }
    Ok(())
}

fn unknown(word: &str) -> String {
    let keys = PARTS.map(|(key, _)| key);
    let all = keys.map(|key| format!("`{key}`")).join(", ");
    match nearest(word, keys) {
        Some(known) => format!("`{word}` is no part of a registry; did you mean `{known}`?"),
        None => format!("`{word}` is no part of a registry; the parts are {all}"),
    }
}

/// Goes on behind the next comma that is followed by a key, or to the end.
fn skip(parts: &ParseBuffer<'_>) -> syn::Result<()> {
    while !parts.is_empty() {
        let is_end = parts.peek(Token![,]);
        parts.parse::<proc_macro2::TokenTree>()?;
        if is_end && (starts_part(parts) || parts.is_empty()) {
            break;
        }
    }
    Ok(())
}

fn starts_part(parts: &ParseBuffer<'_>) -> bool {
    let is_path = parts.peek2(Token![::]);
    let is_key =
        parts.peek(Ident::peek_any) && (parts.peek2(Token![:]) || parts.peek2(Token![=])) && !is_path;
    is_key || parts.peek(Token![#])
}

/// What to underline when there is no sound value: what stands in its place, or the key.
fn place(parts: &ParseBuffer<'_>, key: &Ident) -> Span {
    if parts.is_empty() || parts.peek(Token![,]) { key.span() } else { parts.span() }
}

fn max_chars(parts: &ParseBuffer<'_>, place: Span, sink: &Sink) -> syn::Result<Option<LitInt>> {
    const NO_NUMBER: &str = "`max_chars` is a whole number; write for example `max_chars: 80_000`";
    let value: Expr = parts.parse().map_err(|_| Error::new(place, NO_NUMBER))?;
    let mut literal = &value;
    while let Expr::Group(group) = literal {
        literal = &group.expr;
    }
    if let Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) = literal
        && let Ok(chars) = number.base10_parse::<usize>()
    {
        if chars > 0 {
            return Ok(Some(LitInt::new(number.base10_digits(), number.span())));
        }
        sink.error(value, "`max_chars` leaves no room at all; give a larger number, or leave it out");
    } else {
        sink.error(value, NO_NUMBER);
    }
    Ok(None)
}

fn scalars(parts: &ParseBuffer<'_>, place: Span, sink: &Sink) -> syn::Result<Option<Scalars>> {
    let no_word = |_| Error::new(place, "`scalars` takes a bare word; write `near` or `exact`");
    let word = parts.call(Ident::parse_any).map_err(no_word)?;
    if word == "near" {
        return Ok(Some(Scalars::Near));
    }
    if word == "exact" {
        return Ok(Some(Scalars::Exact));
    }
    sink.error(&word, format!("`{word}` is no value of `scalars`; write `near` or `exact`"));
    Ok(None)
}

/// Parses `[A, b::B as C, …]`.
fn list(parts: &ParseBuffer<'_>, are_fragments: bool, place: Span, sink: &Sink) -> syn::Result<List> {
    if !parts.peek(token::Bracket) {
        return Err(Error::new(place, "a list stands in brackets; write `[First, Second]`"));
    }
    let content;
    let brackets = bracketed!(content in parts);
    let mut entries = Vec::new();
    while !content.is_empty() {
        match entry(&content, are_fragments, sink) {
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

fn entry(content: &ParseBuffer<'_>, is_fragment: bool, sink: &Sink) -> syn::Result<Entry> {
    let (mut cfgs, mut docs) = (Vec::new(), Vec::new());
    for attribute in content.call(Attribute::parse_outer)? {
        if attribute.path().is_ident("cfg") {
            cfgs.push(attribute);
        } else if docs::is_doc(&attribute) {
            docs.push(attribute);
        } else {
            sink.error(attribute, "an entry takes `#[cfg]` and doc comments only; put the rest on the type");
        }
    }
    let place = content.span();
    let ty: Type = content.parse().map_err(|_| {
        let what = if is_fragment { "the type of a fragment" } else { "the name of a tool, without quotes" };
        Error::new(place, format!("this is no entry of the list; write {what}"))
    })?;
    let renamed = if content.peek(Token![as]) {
        let keyword: Token![as] = content.parse()?;
        let place = if content.is_empty() { keyword.span } else { content.span() };
        let name: Ident =
            content.parse().map_err(|_| Error::new(place, "a name stands behind `as`; write `… as Name`"))?;
        if !is_fragment {
            let remedy = "give it another with `#[tool(name = \"…\")]`";
            sink.error(quote::quote!(#keyword #name), format!("a tool's name is its own; {remedy}"));
        }
        Some(name)
    } else {
        None
    };
    if !content.is_empty() && !content.peek(Token![,]) {
        return Err(content.error("two entries stand side by side; put a `,` between them"));
    }
    let name = renamed.clone().or_else(|| last_segment(&ty));
    let text = ty.to_token_stream().to_string().replace(' ', "");
    Ok(Entry { cfgs, docs, ty, text, name, renamed })
}

fn last_segment(ty: &Type) -> Option<Ident> {
    match bare(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.clone()),
        _ => None,
    }
}
