//! `registry!`: the closed set of what a model may be shown, and the checks over it.

mod ast;
mod checks;
mod expand;
mod parse;
mod retired;
#[cfg(test)]
mod tests;
mod valid;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{ParseStream, Parser};

use crate::common::sink::Sink;

/// Expands `registry! { struct App { … } }`.
pub(crate) fn declare(input: TokenStream) -> TokenStream {
    let sink = Sink::new();
    let parser = |input: ParseStream<'_>| parse::registry(input, &sink);
    let registry = sink.take(parser.parse2(input));
    if let Some(registry) = &registry {
        valid::check(registry, &sink);
    }
    match (sink.finish(), &registry) {
        (Ok(()), Some(registry)) => {
            let items = expand::items(registry);
            let checks = checks::checks(registry);
            quote!(#items #checks)
        }
        // Without the checks: over half a registry they would find what is no mistake.
        (Err(errors), Some(registry)) => {
            let items = expand::items(registry);
            quote!(#errors #items)
        }
        (Err(errors), None) => errors,
        (Ok(()), None) => TokenStream::new(),
    }
}
