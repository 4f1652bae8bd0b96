//! The table of a fragment: one call of the builder for each option that was given.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use super::ast::{Case, Fragment};
use super::attr::Options;
use super::template::Segment;
use super::value::{Body, Marker, Slot};
use super::words::Word;

/// The table: only what was given, the runtime knows the defaults.
pub(crate) fn spec(fragment: &Fragment, p: &TokenStream) -> TokenStream {
    let options = &fragment.options;
    let kind = fragment.kind();
    // An injection is always the user's; the builder of the slot sees to the rest.
    let role = options.role.as_ref().map_or_else(|| quote!(Role::User), |role| role.value.to_token_stream());
    let max = options.max_chars.as_ref().map(|max| &max.literal);
    let declared = declared(fragment);
    let calls = [
        recognition(options, p),
        place(options, p),
        endurance(options, p),
        consumers(options, p),
        room(options, p),
        templates(fragment, p),
    ];
    quote!(#p::FragmentSpec::new(#kind, #p::#role, #max) #declared #(#calls)*)
}

/// Where the type stands in the source. `line!` tells the place of its own tokens, so they carry the name's span.
fn declared(fragment: &Fragment) -> TokenStream {
    let name = fragment.ident.unraw().to_string();
    let line = quote_spanned!(fragment.ident.span()=> ::core::line!());
    let file = quote_spanned!(fragment.ident.span()=> ::core::file!());
    quote!(.declared(#name, #file, #line))
}

fn recognition(options: &Options, p: &TokenStream) -> TokenStream {
    let mut calls = TokenStream::new();
    if !options.was.is_empty() {
        let was = &options.was;
        calls.extend(quote!(.was(&[#(#was),*])));
    }
    if let Some(markers) = &options.markers {
        let [begin, end] = markers.both().map(Marker::normal);
        calls.extend(quote!(.markers(#begin, #end)));
    }
    if let Some(why) = &options.unmarked {
        calls.extend(quote!(.unmarked(#why)));
    }
    let pairs = options.legacy.iter().map(|pair| {
        let [begin, end] = pair.both().map(Marker::normal);
        quote!(#p::Legacy::Pair(#begin, #end))
    });
    let prefixes = options.legacy_prefix.iter().map(|prefix| {
        let prefix = prefix.normal();
        quote!(#p::Legacy::Prefix(#prefix))
    });
    let legacy: Vec<TokenStream> = pairs.chain(prefixes).collect();
    if !legacy.is_empty() {
        calls.extend(quote!(.legacy(&[#(#legacy),*])));
    }
    calls
}

fn place(options: &Options, p: &TokenStream) -> TokenStream {
    let mut calls = flag(options, "standalone");
    let slot = options.slot.as_ref().map(|slot| match slot {
        Slot::Run => quote!(Run),
        Slot::Goal => quote!(Goal),
        Slot::Turn => quote!(Turn),
        Slot::Named(channel) => quote!(Injection(#p::Channel::Named(#channel))),
        Slot::ByField(_) => quote!(Injection(#p::Channel::Field)),
    });
    calls.extend(slot.map(|slot| quote!(.slot(#p::Slot::#slot))));
    calls.extend(options.rank.as_ref().map(|rank| quote!(.rank(#rank))));
    calls.extend(word("pin", options.pin.as_ref(), p));
    calls
}

fn endurance(options: &Options, p: &TokenStream) -> TokenStream {
    let mut calls = TokenStream::new();
    calls.extend(word("lifetime", options.lifetime.as_ref(), p));
    calls.extend(options.absent.as_ref().map(|text| quote!(.absent(#text))));
    calls.extend(options.never_retracted.as_ref().map(|why| quote!(.never_retracted(#why))));
    calls.extend(word("on_compact", options.on_compact.as_ref(), p));
    calls.extend(word("on_fork", options.on_fork.as_ref(), p));
    calls.extend(word("on_rollback", options.on_rollback.as_ref(), p));
    calls.extend(options.change.as_ref().map(|_| quote!(.change())));
    calls.extend(flag(options, "state"));
    calls
}

fn consumers(options: &Options, p: &TokenStream) -> TokenStream {
    let mut calls = flag(options, "visible");
    calls.extend(word("memory", options.memory.as_ref(), p));
    calls
}

fn room(options: &Options, p: &TokenStream) -> TokenStream {
    let mut calls = TokenStream::new();
    calls.extend(options.large.as_ref().map(|why| quote!(.large(#why))));
    let at_most = options.at_most.as_ref().map(|at_most| &at_most.literal);
    calls.extend(at_most.map(|at_most| quote!(.at_most(#at_most))));
    calls.extend(word("overflow", options.overflow.as_ref(), p));
    calls
        .extend(options.notice.as_ref().map(|notice| &notice.literal).map(|notice| quote!(.notice(#notice))));
    calls.extend(flag(options, "raw"));
    calls
}

/// `.flag()`, if given.
fn flag(options: &Options, name: &str) -> TokenStream {
    let method = format_ident!("{name}");
    if options.has(name) { quote!(.#method()) } else { TokenStream::new() }
}

/// `.method(Enum::Word)`, if given.
fn word<T: ToTokens>(method: &str, word: Option<&Word<T>>, p: &TokenStream) -> Option<TokenStream> {
    let method = format_ident!("{method}");
    word.map(|word| &word.value).map(|value| quote!(.#method(#p::#value)))
}

/// The pieces of each body, in the order of the cases. A body that a function makes has none.
fn templates(fragment: &Fragment, p: &TokenStream) -> TokenStream {
    let is_template = |case: &Case| matches!(case.body, Some(Body::Template(_)));
    if !fragment.cases.iter().any(is_template) {
        return TokenStream::new();
    }
    let templates = fragment.cases.iter().map(|case| {
        let pieces = case.segments().iter().map(|segment| match segment {
            Segment::Text(text) => quote!(#p::Piece::Text(#text)),
            Segment::Placeholder(name) if case.field(name).is_some_and(|field| field.reading.has("raw")) => {
                quote!(#p::Piece::Raw(#name))
            }
            Segment::Placeholder(name) => quote!(#p::Piece::Field(#name)),
        });
        quote!(&[#(#pieces),*])
    });
    quote!(.templates(&[#(#templates),*]))
}
